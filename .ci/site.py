#!/usr/bin/env python3
"""Builds the site, docs/ as an mdBook, in target/site/book, and checks every link in it. Needs Python 3.11.

    python3 .ci/site.py MDBOOK      the program mdbook, of 0.5 or newer

Pages keep their places among each other, so that their links hold. Links to other files of the project lead to the
repository that OWNER.toml names, and are plain text while it names none.
"""

import html.parser
import os
import pathlib
import re
import shutil
import subprocess
import sys
import urllib.parse

from crates import load
from pages import LINK, ROOT, blocks, is_local, links, map_prose, project_files

SITE = ROOT / "target/site"
# Files that pages show or link to, which the site has as they are.
CARRIED = (".svg", ".png", ".json")


def chapters():
    """The pages of the book by their places in the project, with their titles."""
    text = (ROOT / "docs/SUMMARY.md").read_text()
    return {os.path.normpath(f"docs/{target}"): title for title, target in LINK.findall(text)}


def unlisted(listed):
    """The pages that the book should have and lacks."""
    wanted = [path for path in project_files(".md") if re.fullmatch(r"docs/[^/]+|formats/.+/README\.md", path)]
    wanted.remove("docs/SUMMARY.md")
    return [f"docs/SUMMARY.md does not list {path}" for path in wanted if path not in listed]


def html_name(path):
    """The place of a page on the site."""
    return re.sub(r"\.md$", ".html", re.sub(r"(^|/)README\.md$", r"\1index.html", path))


def relinked(page, text, listed, repository, carried):
    """A page with its links as they are on the site; adds to `carried` the files that it needs."""
    folder = os.path.dirname(page)

    def link(match):
        shown, target = match[1], match[2]
        path, hash_, anchor = target.partition("#")
        if not path or re.match(r"[a-z]+:[^:]", target):
            return match[0]
        place = os.path.normpath(os.path.join(folder, path))
        if place in listed:
            return f"[{shown}]({html_name(path)}{hash_}{anchor})"
        if place.endswith(CARRIED):
            carried.add(place)
            return match[0]
        if is_local(target) and repository:
            kind = "tree" if (ROOT / place).is_dir() else "blob"
            return f"[{shown}]({repository}/{kind}/main/{urllib.parse.quote(place)}{hash_}{anchor})"
        return shown

    return map_prose(text, lambda prose: LINK.sub(link, prose))


def titled(text, title):
    """A page that begins with its title; one without gets it, and its headings go a level down."""
    if re.match(r"\s*# ", text) and len(re.findall(r"^# ", "".join(piece for is_code, piece in blocks(text) if not is_code), re.M)) == 1:
        return text
    text = re.sub(r"^\s*# .*\n", "", text) if re.match(r"\s*# ", text) else text
    lower = (piece if is_code else re.sub(r"^(#{1,5} )", r"#\1", piece, flags=re.M) for is_code, piece in blocks(text))
    return f"# {title}\n\n{''.join(lower)}"


def coloured(page, text):
    """A page whose blocks say a language that the site can colour: what rustdoc takes for Rust is called that."""
    def opened(block):
        if page.startswith("formats/"):
            block = re.sub(r"^```(no_run|ignore)?\n", lambda match: "```rust" + (match[1] and f",{match[1]}" or "") + "\n", block)
        return re.sub(r"^```pycon\n", "```python\n", block)

    return "".join(opened(piece) if is_code else piece for is_code, piece in blocks(text))


def assemble(listed, repository):
    """Writes the source of the book."""
    source = SITE / "src"
    shutil.rmtree(SITE, ignore_errors=True)
    carried = set()
    for page, title in listed.items():
        text = coloured(page, titled((ROOT / page).read_text(), title))
        place = source / page
        place.parent.mkdir(parents=True, exist_ok=True)
        place = place.with_name("index.md") if place.name == "README.md" else place
        place.write_text(relinked(page, text, listed, repository, carried))
    for path in carried:
        (source / path).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(ROOT / path, source / path)
    summary = (ROOT / "docs/SUMMARY.md").read_text()
    as_listed = {os.path.relpath(path, "docs"): re.sub(r"README\.md$", "index.md", path) for path in listed}
    (source / "SUMMARY.md").write_text(LINK.sub(lambda match: f"[{match[1]}]({as_listed[match[2]]})", summary))
    for name in ("book.toml", "site.css"):
        shutil.copy(ROOT / "docs" / name, SITE / name)


class Page(html.parser.HTMLParser):
    """What a page of the site links to, and the places that can be linked to in it."""

    def __init__(self, path):
        super().__init__()
        self.ids, self.targets = [], []
        self.feed(path.read_text())

    def handle_starttag(self, _, attributes):
        attributes = dict(attributes)
        self.ids += [attributes[name] for name in ("id", "name") if attributes.get(name)]
        self.targets += [attributes[name] for name in ("href", "src") if attributes.get(name)]


def broken(book):
    """The links of the site that lead nowhere."""
    pages = {path: Page(path) for path in sorted(book.rglob("*.html"))}
    for path, page in pages.items():
        if path.name in ("404.html", "toc.html"):
            continue
        for target in page.targets:
            parts = urllib.parse.urlsplit(target)
            if parts.scheme or parts.netloc:
                continue
            place = pathlib.Path(os.path.normpath(path.parent / urllib.parse.unquote(parts.path))) if parts.path else path
            anchor = urllib.parse.unquote(parts.fragment)
            if not place.is_file():
                yield f"{path.relative_to(book)}: {target}: there is no {place.relative_to(book)}"
            elif anchor and place in pages and anchor not in pages[place].ids:
                yield f"{path.relative_to(book)}: {target}: there is no #{anchor}"


def self_test():
    """Checks that links are rewritten as they should be, and titles set."""
    listed = {"README.md": "R", "docs/a.md": "A", "formats/x/README.md": "X"}
    carried = set()

    def told(text, repository=""):
        return relinked("docs/a.md", text, listed, repository, carried)

    assert told("[r](../README.md#y) [x](../formats/x/README.md)") == "[r](../index.html#y) [x](../formats/x/index.html)"
    assert told("[s](../src/main.rs) [t](spr_core::Error) `[s](../src)`") == "s t `[s](../src)`"
    assert told("[s](../src)", "https://h") == "[s](https://h/tree/main/src)"
    assert told("![p](pictures/p.svg) [h](https://h) [i](#i)") == "![p](pictures/p.svg) [h](https://h) [i](#i)"
    assert carried == {"docs/pictures/p.svg"}
    assert titled("# One\n## Two\n", "T") == "# One\n## Two\n"
    assert titled("Text.\n# One\n```\n# code\n```\n", "T") == "# T\n\nText.\n## One\n```\n# code\n```\n"
    assert coloured("formats/x/README.md", "```no_run\na\n```\n```\nb\n```\n") == "```rust,no_run\na\n```\n```rust\nb\n```\n"
    assert coloured("docs/a.md", "```\na\n```\n") == "```\na\n```\n"


def main():
    self_test()
    listed = chapters()
    faults = unlisted(listed)
    assemble(listed, load("OWNER.toml")["repository"])
    subprocess.run([sys.argv[1], "build", SITE], check=True)
    faults += broken(SITE / "book")
    for fault in faults:
        print(f"site: {fault}")
    if not faults:
        print(f"{len(listed)} pages in {(SITE / 'book').relative_to(ROOT)}")
    sys.exit(bool(faults))


main()
