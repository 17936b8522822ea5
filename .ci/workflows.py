#!/usr/bin/env python3
"""Checks that hosted CI runs what .ci/run does: each script and step that a workflow names exists, each
step is named by a workflow, and no command of theirs goes past the scripts. Needs Python 3.11."""

import pathlib
import re
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent

# Commands that prepare a runner or publish, which a checkout has no use for.
HOSTED = ("pip install ", "rustup toolchain install ", "cargo install cargo-fuzz", "cargo install cargo-public-api ", "cargo install cargo-deny ",
          "sudo apt-get install -y ", "docker run ", "gh release create ")


def commands(text):
    """The commands of a workflow, with the values of the matrix in their places."""
    for command in re.findall(r"^\s*(?:- )?run: (.+)$", text, re.M):
        key = re.search(r"\$\{\{ matrix\.(\w+) \}\}", command)
        if not key:
            yield command
            continue
        listed = re.search(rf"^( *){key[1]}:\n((?:\1 +- .+\n)+)", text, re.M)
        values = re.findall(r"^ *- (.+)$", listed[2], re.M) if listed else re.findall(rf"^ *{key[1]}: (.+)$", text, re.M)
        if not values:
            yield f"{command} (no values of {key[1]})"
        for value in values:
            yield command.replace(key[0], value)


def faults_of(name, text, steps, used):
    """The faults of one workflow; adds to `used` the steps that it names."""
    if re.search(r"run: *[|>]", text):
        yield f"{name}: a command of several lines belongs into a script in .ci"
    for command in commands(text):
        words = command.split()
        script = next((word for word in words[:2] if word.startswith(".ci/")), None)
        if script is None:
            if not command.startswith(HOSTED):
                yield f"{name}: `{command}` goes past the scripts in .ci"
        elif not (ROOT / script).is_file():
            yield f"{name}: there is no {script}"
        elif script == ".ci/run":
            used |= set(words[1:])
            for step in words[1:]:
                if step not in steps:
                    yield f"{name}: .ci/run has no step {step}"


def self_test():
    """Checks that faults are found."""
    text = "      matrix:\n        steps:\n          - a b\n          - c\n    steps:\n      - run: .ci/run ${{ matrix.steps }}\n"
    used = set()
    assert list(faults_of("x", text, ["a", "b"], used)) == ["x: .ci/run has no step c"]
    assert used == {"a", "b", "c"}
    assert list(faults_of("x", "- run: cargo test\n- run: .ci/none\n", [], used)) == [
        "x: `cargo test` goes past the scripts in .ci", "x: there is no .ci/none"]


def main():
    self_test()
    steps = subprocess.check_output([ROOT / ".ci/run", "--list"], text=True).split()
    used = set()
    faults = []
    paths = sorted(ROOT.glob(".github/workflows/*.yml"))
    for path in paths:
        faults += faults_of(path.name, path.read_text(), steps, used)
    faults += [f"no workflow runs the step {step}" for step in steps if step not in used]
    functions = re.findall(r"^step_(\w+)\(\)", (ROOT / ".ci/run").read_text(), re.M)
    if functions != steps:
        faults.append(f".ci/run lists {steps} and has functions for {functions}")
    for fault in faults:
        print(f"workflows: {fault}")
    sys.exit(bool(faults))


main()
