#!/usr/bin/env python3
"""Checks the links in all pages of the project: each names a file that is there, and a heading in it.
Links to other hosts are not followed. Needs Python 3.11."""

import os
import pathlib
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
    for fault in faults:
        print(f"links: {fault}")
    if not faults:
        print(f"{sum(len(list(filter(is_local, links(read(page))))) for page in pages)} links in {len(pages)} pages")
    sys.exit(bool(faults))


main()
