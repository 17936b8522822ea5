"""What the checks of pages share: the links and the anchors of a page in Markdown. Needs Python 3.11."""

import os
import pathlib
import re

ROOT = pathlib.Path(__file__).resolve().parent.parent

FENCE = re.compile(r"^ {0,3}(```+|~~~+)")
LINK = re.compile(r"\[((?:[^\[\]]|\[[^\[\]]*\])*)\]\(([^()\s]+)\)")
HEADING = re.compile(r"^(#{1,6}) +(.+?)(?: +#+)?$", re.M)


# Folders of what is built or fetched, and of what fuzzing found.
MADE = {".git", ".ruff_cache", ".venv", "__pycache__", "dist", "target"}
FUZZED = {"fuzz/artifacts", "fuzz/corpus", "fuzz/coverage"}


def project_files(*suffixes):
    """The places of the project's files with one of the suffixes, or of all, in order: from the folder and not from
    git, which refuses in a checkout of another owner and knows nothing of an archive's folder."""
    found = []
    for folder, folders, names in os.walk(ROOT):
        place = pathlib.Path(folder).relative_to(ROOT)
        folders[:] = [name for name in folders if name not in MADE and (place / name).as_posix() not in FUZZED]
        found += [(place / name).as_posix() for name in names if name.endswith(suffixes or "")]
    return sorted(found)


def blocks(text):
    """Cuts a page into pieces of code in fences and of prose, as pairs of whether it is code and its text."""
    inside, piece = None, []
    for line in text.splitlines(keepends=True):
        fence = FENCE.match(line)
        if inside is None and fence:
            yield False, "".join(piece)
            inside, piece = fence[1], [line]
        elif inside is not None and fence and fence[1].startswith(inside) and line.strip() == fence[1]:
            yield True, "".join(piece) + line
            inside, piece = None, []
        else:
            piece.append(line)
    yield inside is not None, "".join(piece)


def map_prose(text, change):
    """Applies `change` to the prose of a page, with code between backquotes put aside."""
    def prose(piece):
        spans = []

        def aside(match):
            spans.append(match[0])
            return f"\0{len(spans) - 1}\0"

        piece = change(re.sub(r"(`+)(?!`).+?(?<!`)\1(?!`)", aside, piece, flags=re.S))
        return re.sub(r"\0(\d+)\0", lambda match: spans[int(match[1])], piece)

    return "".join(piece if is_code else prose(piece) for is_code, piece in blocks(text))


def links(text):
    """The targets of the links and pictures of a page."""
    found = []
    map_prose(text, lambda prose: found.extend(match[2] for match in LINK.finditer(prose)) or prose)
    return found


def is_local(target):
    """Whether a link is to a file or a place in one: not to another host, nor to a Rust item, which rustdoc checks."""
    return "::" not in target and not re.match(r"[a-z]+:", target)


def anchors(text):
    """The names of the headings of a page, as code hosts and mdBook give them."""
    found = []
    for heading in (match[2] for is_code, piece in blocks(text) if not is_code for match in HEADING.finditer(piece)):
        shown = LINK.sub(r"\1", heading)
        name = re.sub(r"[^\w\- ]", "", shown.lower()).replace(" ", "-")
        earlier = sum(other == name or re.fullmatch(rf"{re.escape(name)}-\d+", other) is not None for other in found)
        found.append(f"{name}-{earlier}" if earlier else name)
    return found
