#!/usr/bin/env python3
"""Writes what the program and the wheel say of the crates that they hold: THIRD-PARTY.md with their
licences, sbom.cdx.json (CycloneDX 1.5), and NOTICE. With --check it compares the files instead.

    python3 .ci/third_party.py [--check]

Texts are the crates' own, each once, with the copyright lines of all crates that have it. Of a choice
of licences the one is taken that comes first in deny.toml. Needs cargo and Python 3.11.
"""

import collections
import json
import pathlib
import re
import subprocess
import sys

from crates import ROOT, allowed_licences, chosen, load, packages, self_test

# The artefacts: where their files are, what they are called, and the workspace that they are built from.
ARTEFACTS = [(".", "the program spr-convert", "spr-convert"), ("python", "the Python wheel", "spr-convert-python")]

# The platforms of the artefacts.
TARGETS = ["x86_64-unknown-linux-gnu", "x86_64-unknown-linux-musl", "aarch64-unknown-linux-gnu", "aarch64-unknown-linux-musl",
           "x86_64-apple-darwin", "aarch64-apple-darwin", "x86_64-pc-windows-msvc"]

# How the texts of licences are known.
SIGNS = [
    ("Apache-2.0 WITH LLVM-exception", "LLVM Exceptions to the Apache"),
    ("Apache-2.0", "Apache License Version 2.0, January 2004"),
    ("MPL-2.0", "Mozilla Public License Version 2.0"),
    ("GPL-2.0", "GNU GENERAL PUBLIC LICENSE Version 2"),
    ("BSL-1.0", "Boost Software License"),
    ("Unicode-3.0", "UNICODE LICENSE V3"),
    ("Unlicense", "This is free and unencumbered software"),
    ("MIT", "Permission is hereby granted, free of charge, to any person obtaining a copy"),
    ("bzip2-1.0.6", "4. The name of the author may not be used to endorse"),
    ("Zlib", "This software is provided 'as-is', without any express or implied warranty."),
    ("BSD-3-Clause", "names of its contributors may be used to endorse"),
    ("BSD-3-Clause", "nor the names of"),
    ("BSD-2-Clause", "Redistribution and use in source and binary forms"),
    ("ISC", "provided that the above copyright notice and this permission notice appear in all copies"),
    ("0BSD", "Permission to use, copy, modify, and/or distribute this software for any purpose with or without fee"),
]
CARRIED = re.compile(r"(licen[cs]e|copying|notice|unlicense)([-_.].*)?$", re.I)
COPYRIGHT = re.compile(r"\s*(copyright\b|\(c\)|©).*\d{4}.*$|\s*copyright (\(c\)|©|by) .*$", re.I)


def held(manifest, name):
    """The crates from crates.io that the artefact holds on one platform at least, in order."""
    tree = ["cargo", "tree", "--locked", "--manifest-path", manifest, "-p", name, "-e", "normal", "--prefix", "none", "-f", "{p}"]
    tree += [f"--target={target}" for target in TARGETS]
    lines = subprocess.check_output(tree, cwd=ROOT, text=True).splitlines()
    wanted = {tuple(line.split()[:2]) for line in lines}
    every = [package for package in packages(manifest) if package["source"]]
    found = [package for package in every if (package["name"], f"v{package['version']}") in wanted]
    return sorted(found, key=lambda package: (package["name"], package["version"]))


def words(text):
    """The words of a text without what only lays it out."""
    return " ".join(re.sub(r"[*#>`_\"“”]", " ", text).split())


def recognised(text):
    """The names of the licences that a text has, as some files have several."""
    plain = words(text).casefold()
    found = {name for name, sign in SIGNS if words(sign).casefold() in plain}
    # What these have in common with others.
    for name, part in [("BSD-3-Clause", "BSD-2-Clause"), ("bzip2-1.0.6", "BSD-2-Clause"), ("ISC", "0BSD"),
                       ("Apache-2.0 WITH LLVM-exception", "Apache-2.0")]:
        if name in found:
            found.discard(part)
    return found


def texts(package, licences):
    """The texts that a crate asks to be carried: those of the licences that are taken of it, and any
    other that stands in it and is not one of those that may be left."""
    offered = {name for name, _ in SIGNS if re.search(rf"(^|[\s(/]){re.escape(name)}($|[\s)/])", package["license"])}
    # A library in C that comes with its crate offers a choice of its own.
    left = (offered - set(licences)) | {"GPL-2.0"}
    folder = pathlib.Path(package["manifest_path"]).parent
    for path in sorted(folder.rglob("*")):
        if path.is_file() and path.suffix not in (".rs", ".c", ".h", ".html", ".toml") and CARRIED.match(path.name):
            text = path.read_text(encoding="utf-8", errors="replace").replace("\r\n", "\n").strip()
            names = recognised(text)
            if not names or not names <= left:
                yield names, text


def copyright_lines(text):
    """The lines that say whose a text is, without those that are part of the licence's own wording."""
    found = [line.strip(" #*") for line in text.splitlines() if COPYRIGHT.match(line)]
    return [line for line in found if "[yyyy]" not in line and "{yyyy}" not in line]


class Texts:
    """The distinct texts of licences, with the crates and the copyright lines of each."""

    def __init__(self):
        self.shown = {}
        self.crates = collections.defaultdict(dict)

    def add(self, names, text, crate):
        """Adds a text as it stands in a crate, with the names of its licences."""
        rest = "\n".join(line.rstrip() for line in text.splitlines() if not COPYRIGHT.match(line)).strip()
        # A heading, the way lines are broken and marks of Markdown make no other text.
        same = words(re.sub(r"\A.{0,60}licen[cs]e.{0,20}\n", "", rest, flags=re.I)).casefold()
        self.shown.setdefault(same, (" and ".join(sorted(names)) or "other", rest))
        lines = self.crates[same].setdefault(crate, [])
        lines += [line for line in copyright_lines(text) if line not in lines]

    def standard(self, licence):
        """The text of a licence that most crates have."""
        fit = [same for same, (name, _) in self.shown.items() if name == licence]
        if not fit:
            sys.exit(f"third_party: no crate has the text of {licence}")
        return self.shown[max(fit, key=lambda same: len(self.crates[same]))][1]

    def __iter__(self):
        order = sorted(self.shown, key=lambda same: (self.shown[same][0], -len(self.crates[same]), same))
        return ((*self.shown[same], self.crates[same]) for same in order)


def gathered(crates, taken):
    """The texts of all crates. One that lacks the text of a licence gets the usual one, with its authors."""
    found = Texts()
    missing = []
    for package in crates:
        crate = f"{package['name']} {package['version']}"
        own = list(texts(package, taken[crate]))
        for names, text in own:
            found.add(names, text, crate)
        missing += [(name, package) for name in taken[crate] if not any(name in names for names, _ in own)]
    for licence, package in missing:
        crate = f"{package['name']} {package['version']}"
        authors = ", ".join(re.sub(r"\s*<.*?>", "", author) for author in package["authors"])
        line = f"Copyright (c) {authors or 'the authors of ' + package['name']}"
        found.add({licence}, f"{line}\n{found.standard(licence)}", crate)
    return found


def page(title, crates, taken):
    """The text of THIRD-PARTY.md."""
    out = [
        "# Licences of third parties\n",
        f"These crates are part of {title}, or are on Linux, macOS or Windows, with the default features. They are used"
        " unchanged, and their source is on crates.io under the names and versions given here. The texts follow the table."
        " Made by `.ci/third_party.py`.\n",
        "| crate | version | licence | taken as |",
        "|---|---|---|---|",
    ]
    for package in crates:
        name, version = package["name"], package["version"]
        out.append(f"| {name} | {version} | {package['license']} | {' and '.join(taken[f'{name} {version}'])} |")
    for licence, text, users in gathered(crates, taken):
        out.append(f"\n## {licence}\n\n{', '.join(users)}\n\n```text")
        lines = sorted({line for lines in users.values() for line in lines})
        out += [*lines, *([""] if lines else []), text, "```"]
    return "\n".join(out) + "\n"


def notice(crates, taken):
    """The text of NOTICE: what those who pass the artefacts on must know."""
    mpl = [f"    {package['name']} {package['version']}" for package in crates
           if "MPL-2.0" in taken[f"{package['name']} {package['version']}"]]
    return "\n".join([
        "spr-convert", "",
        "Built with the features `mp3` or `vorbis`, which it is by default, the program holds crates under the",
        "Mozilla Public License 2.0, whose text is in the THIRD-PARTY.md of each binary, wheel and package. They are used",
        "unchanged. Their source is on crates.io under these names and versions:", "", *mpl, "",
        "Letters in pictures were drawn from the font Noto Sans Mono, which is under the SIL Open Font License 1.1, by the",
        "crate noto-sans-mono-bitmap.", ""])


def sbom(name, crates, taken):
    """The text of sbom.cdx.json: one line for each crate, and nothing that changes from run to run."""
    folder = dict((name, where) for where, _, name in ARTEFACTS)[name]
    sums = {(entry["name"], entry["version"]): entry.get("checksum") for entry in load(f"{folder}/Cargo.lock")["package"]}
    version = load("Cargo.toml")["workspace"]["package"]["version"]
    components = []
    for package in crates:
        key = (package["name"], package["version"])
        purl = f"pkg:cargo/{key[0]}@{key[1].replace('+', '%2B')}"
        components.append({
            "type": "library", "bom-ref": purl, "name": key[0], "version": key[1], "purl": purl,
            "hashes": [{"alg": "SHA-256", "content": sums[key]}],
            "licenses": [{"expression": re.sub(r"\s*/\s*", " OR ", package["license"])}],
        })
    top = {"type": "application", "bom-ref": f"{name}@{version}", "name": name, "version": version,
           "licenses": [{"expression": "MIT OR Apache-2.0"}]}
    head = {"bomFormat": "CycloneDX", "specVersion": "1.5", "version": 1, "metadata": {"component": top}}
    lines = ",\n".join("    " + json.dumps(component) for component in components)
    return json.dumps(head)[:-1] + f', "components": [\n{lines}\n]' + "}\n"


def files():
    """Gives each file with its text."""
    for folder, title, name in ARTEFACTS:
        crates = held("Cargo.toml" if folder == "." else f"{folder}/Cargo.toml", name)
        taken = {}
        for package in crates:
            licences = allowed_licences(package["name"])
            taken[f"{package['name']} {package['version']}"] = chosen(package["license"] or "none", licences)
        refused = [crate for crate, names in taken.items() if names is None]
        if refused:
            sys.exit(f"third_party: deny.toml does not allow the licences of {', '.join(refused)}")
        yield f"{folder}/THIRD-PARTY.md", page(title, crates, taken)
        yield f"{folder}/sbom.cdx.json", sbom(name, crates, taken)
        if folder == ".":
            yield "NOTICE", notice(crates, taken)


def main():
    self_test()
    check = sys.argv[1:] == ["--check"]
    stale = 0
    for name, text in files():
        path = ROOT / name
        if check and (not path.is_file() or path.read_text() != text):
            print(f"third_party: {name.removeprefix('./')} is not current; .ci/third_party.py writes it")
            stale += 1
        elif not check:
            path.write_text(text)
    sys.exit(bool(stale))


main()
