#!/usr/bin/env python3
"""Checks the links in all pages of the project: each names a file that is there, and a heading in it.
Links to other hosts are not followed. The figures in docs/why.md must be those of benches/README.md.
Needs Python 3.11."""

import os
import pathlib
import re
import sys

from pages import ROOT, anchors, is_local, links, project_files


def faults_of(page, text, read):
    """The faults of one page. `read` gives the text of a page, nothing for other files and folders, and None
    where nothing is."""
    for target in filter(is_local, links(text)):
        path, _, anchor = target.partition("#")
        place = os.path.normpath(os.path.join(os.path.dirname(page), path)) if path else page
        there = text if not path else read(place)
        if path.startswith("/") or place.startswith(".."):
            yield f"{page}: {target} leads out of the project"
        elif there is None:
            yield f"{page}: {target}: there is no {place}"
        elif anchor and anchor not in anchors(there):
            yield f"{page}: {target}: {place} has no heading #{anchor}"


def measured(benches):
    """The rows of benches/README.md that docs/why.md has: those in which another program was timed."""
    for line in benches.splitlines():
        match [cell.strip() for cell in line.strip("|").split("|")]:
            case [job, _, _, ours, _, _, peak, _, others] if ours.startswith("**") and others:
                yield f"| {job} | {ours.strip('*')} ({peak} MiB) | {others} |"
            case [_, ours, other, _] if re.fullmatch(r"[\d.]+", ours) and re.fullmatch(r"\S+ [\d.]+", other):
                yield line


def copied(benches, why):
    """The rows of figures that are in one of both pages alone."""
    _, _, why = why.partition("\n## What was measured\n")
    rows = [line for line in why.splitlines() if re.match(r"\| .* \| [\d.]+", line)]
    for line in sorted(set(measured(benches)) ^ set(rows)):
        yield f"docs/why.md: differs from benches/README.md: {line}"


def self_test():
    """Checks that faults are found."""
    other = "# One `two` & three\n## Same\n## Same\n```sh\n# no heading\n```\n"
    read = {"docs/b.md": other, "src": "", "x.md": "# X\n"}.get

    def faults(text):
        return [fault.split(": ", 1)[1] for fault in faults_of("docs/a.md", text, read)]

    assert faults("[a](b.md) [b](b.md#one-two--three) [c](b.md#same-1) [`d`\ne](../src) ![f](../x.md#x)\n# Y\n[g](#y)") == []
    assert faults("[a](c.md)") == ["c.md: there is no docs/c.md"]
    assert faults("[a](b.md#no-heading)") == ["b.md#no-heading: docs/b.md has no heading #no-heading"]
    assert faults("[a](#none)") == ["#none: docs/a.md has no heading #none"]
    assert faults("[a](../../x.md)") == ["../../x.md leads out of the project"]
    assert faults("`[a](c.md)`\n```\n[a](c.md)\n```\n[r](spr_core::Error) [h](https://example.org)") == []
    benches = "| ark | 1.0 | 0.1 | **1.5** | | 2 | 21 | 1 | cat 3.0 (4 MiB) |\n| FLAC | 0.1 | flac 0.2 | 0.5 |\n| 9 | 1 | 2 | 3 |\n"
    why = "\n## What was measured\n| job | spr | others |\n| ark | 1.5 (21 MiB) | cat 3.0 (4 MiB) |\n| FLAC | 0.1 | flac 0.2 | 0.5 |\n"
    assert list(copied(benches, why)) == []
    assert len(list(copied(benches, why.replace("1.5", "1.4")))) == 2
    assert faults("| [a](x.md) | `b` [c](y.md) |") == ["x.md: there is no docs/x.md", "y.md: there is no docs/y.md"]


def main():
    self_test()
    files = project_files()
    known = set(files)
    for path in files:
        known |= {str(folder) for folder in pathlib.PurePosixPath(path).parents}

    def read(place):
        if place.endswith(".md") and place in files:
            return (ROOT / place).read_text()
        return "" if place in known else None

    pages = project_files(".md")
    faults = [fault for page in pages for fault in faults_of(page, read(page), read)]
    faults += copied(read("benches/README.md"), read("docs/why.md"))
    for fault in faults:
        print(f"links: {fault}")
    if not faults:
        print(f"{sum(len(list(filter(is_local, links(read(page))))) for page in pages)} links in {len(pages)} pages")
    sys.exit(bool(faults))


main()
