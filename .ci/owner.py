#!/usr/bin/env python3
"""Checks what only the owner can fill in, which stands in OWNER.toml. Needs Python 3.11.

    python3 .ci/owner.py                  says what is empty, and fails if other files contradict it
    python3 .ci/owner.py --write          puts the address of the repository into packages' manifests
    python3 .ci/owner.py --release TAG    fails if anything is empty, or if TAG is not this version
"""

import re
import sys

from crates import ROOT, load

MEMBER = 'repository.workspace = true\n'


def manifests():
    """The manifests of the crates that are published: those that inherit the version."""
    for path in sorted(ROOT.glob("**/Cargo.toml")):
        inside = path.relative_to(ROOT).parts
        if "target" not in inside and "version.workspace = true" in path.read_text():
            yield path


def placed(address):
    """Gives each file that has the address of the repository, and its text as it should be."""
    for path in manifests():
        text = re.sub(r'^repository(\.workspace)? = .*\n', "", path.read_text(), flags=re.M)
        if address:
            text = text.replace("license.workspace = true\n", f"license.workspace = true\n{MEMBER}", 1)
            text = re.sub(r'(\[workspace\.package\]\n(?:[^\n\[]+\n)*?license = .*\n)', rf'\1repository = "{address}"\n', text)
        yield path, text
    path = ROOT / "python/pyproject.toml"
    text = re.sub(r'^\[project\.urls\]\n(?:\S.*\n)*\n', "", path.read_text(), flags=re.M)
    if address:
        text = text.replace("[project.scripts]\n", f'[project.urls]\nRepository = "{address}"\n\n[project.scripts]\n', 1)
    yield path, text


def unready(owner, tag):
    """What stands between this tree and the release that `tag` names."""
    version = load("Cargo.toml")["workspace"]["package"]["version"]
    if tag != f"v{version}":
        yield f"the tag {tag} is not v{version}, the version in Cargo.toml"
    if not re.search(rf"^## {re.escape(version)}, \d{{4}}-\d\d-\d\d$", (ROOT / "CHANGELOG.md").read_text(), re.M):
        yield f"CHANGELOG.md has no line `## {version}, YEAR-MONTH-DAY`"
    for path in (ROOT / "README.md", *sorted(ROOT.glob("docs/*.md"))):
        if re.search(r"\breleased yet\b", path.read_text()):
            yield f"{path.relative_to(ROOT)} says that it is not released yet"
    yield from (f"{name} in OWNER.toml is empty" for name, value in owner.items() if not value)


def main():
    owner = load("OWNER.toml")
    faults = [f"OWNER.toml has no {name}" for name in ("repository", "contact") if name not in owner]
    address = owner.get("repository", "")
    if address and not re.fullmatch(r"https://[^\s\"\\]+", address):
        faults.append("repository in OWNER.toml is no https:// address")
    elif sys.argv[1:] == ["--write"]:
        for path, text in placed(address):
            path.write_text(text)
    faults += [f"{path.relative_to(ROOT)} differs from OWNER.toml; --write mends that"
               for path, text in placed(address) if path.read_text() != text]
    if sys.argv[1:2] == ["--release"]:
        faults += unready(owner, " ".join(sys.argv[2:]))
    else:
        for name in (name for name, value in owner.items() if not value):
            print(f"owner: {name} in OWNER.toml is still to be filled in")
    for fault in faults:
        print(f"owner: {fault}")
    sys.exit(bool(faults))


main()
