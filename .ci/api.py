#!/usr/bin/env python3
"""Keeps lists of the public items of the libraries in docs/api, so that each change of them is seen in a diff.
Needs Python 3.11, a nightly Rust and cargo-public-api; where these lack, it says so and checks nothing.

    python3 .ci/api.py                   writes the lists
    python3 .ci/api.py --check [--must]  fails if a list differs from the code; with --must also where tools lack
"""

import difflib
import os
import subprocess
import sys

from pages import ROOT

# Crates, with the features that have public items of their own. Formats differ by what they read and write.
CRATES = {
    "spr-core": ["--all-features"],
    "spr-engine": [],
    "spr-convert": ["--no-default-features", "--features", "cli,plot,survey,kaldi,spraak,kaldi-tools,bzip2,gzip,zstd,resample"],
}
FOLDER = ROOT / "docs/api"


def missing():
    """What is missing to make lists."""
    for name, command in (("nightly Rust", ["cargo", "+nightly", "--version"]), ("cargo-public-api", ["cargo", "public-api", "--version"])):
        try:
            found = subprocess.run(command, cwd=ROOT, capture_output=True).returncode == 0
        except FileNotFoundError:
            found = False
        if not found:
            return name
    return None


def listed(crate):
    """The public items of a crate, one a line, without what derives and blankets add; None where the nightly and
    the tool don't fit each other."""
    command = ["cargo", "+nightly", "public-api", "-p", crate, "-sss", "--color", "never", *CRATES[crate]]
    folder = {"CARGO_TARGET_DIR": str(ROOT / "target/api")} | os.environ
    run = subprocess.run(command, cwd=ROOT, env=folder, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    if run.returncode:
        print(f"not checked: {crate}: {run.stderr.strip().splitlines()[-1]}")
        return None
    return run.stdout


def main():
    check, must = "--check" in sys.argv, "--must" in sys.argv
    lack = missing()
    if lack:
        print(f"not checked: there is no {lack}")
        sys.exit(must)
    faults = 0
    for crate in CRATES:
        text, path = listed(crate), FOLDER / f"{crate}.txt"
        if text is None:
            faults += must
            continue
        before = path.read_text() if path.exists() else ""
        if not check:
            path.write_text(text)
        elif before != text:
            faults += 1
            changed = difflib.unified_diff(before.splitlines(), text.splitlines(), "recorded", "now", lineterm="", n=0)
            print(f"api: docs/api/{crate}.txt differs from the code; `python3 .ci/api.py` writes it:", *changed, sep="\n")
        print(f"{crate}: {len(text.splitlines())} lines")
    sys.exit(bool(faults))


main()
