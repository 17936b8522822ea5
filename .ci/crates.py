"""What the checks of dependencies share: where crates come from and how licence expressions are met.
Needs Python 3.11 and nothing else."""

import json
import pathlib
import re
import subprocess
import tomllib

ROOT = pathlib.Path(__file__).resolve().parent.parent
CRATES_IO = "registry+https://github.com/rust-lang/crates.io-index"


def load(name):
    """Reads a TOML file of the project."""
    return tomllib.loads((ROOT / name).read_text())


def allowed_licences(crate):
    """The licences that deny.toml allows for a crate, the preferred ones first."""
    told = load("deny.toml")["licenses"]
    more = [exception["allow"] for exception in told["exceptions"] if exception["crate"] == crate]
    return sum(more, told["allow"])


def packages(manifest):
    """All packages that a workspace may use, on any platform and with any feature, as cargo describes them."""
    command = ["cargo", "metadata", "--format-version", "1", "--locked", "--manifest-path", manifest]
    return json.loads(subprocess.check_output(command, cwd=ROOT))["packages"]


def chosen(expression, licences):
    """The licences to take of an SPDX expression, or None if `licences` can't meet it. Of several
    choices, the one that comes first in `licences`. `A/B` is an old way to say `A OR B`."""
    words = re.findall(r"[()]|[^\s()/]+", expression.replace("/", " OR "))

    # AND binds closer than OR.
    def any_of():
        choices = [all_of()]
        while words[:1] == ["OR"]:
            words.pop(0)
            choices.append(all_of())
        met = [choice for choice in choices if choice is not None]
        return min(met, key=lambda choice: max(map(licences.index, choice)), default=None)

    def all_of():
        parts = [one()]
        while words[:1] == ["AND"]:
            words.pop(0)
            parts.append(one())
        return None if None in parts else sum(parts, [])

    def one():
        word = words.pop(0)
        if word == "(":
            met = any_of()
            words.pop(0)
            return met
        if words[:1] == ["WITH"]:
            word = f"{word} WITH {words[1]}"
            del words[:2]
        return [word] if word in licences else None

    met = any_of()
    if words:
        raise ValueError(f"not understood: {expression}")
    return met


def self_test():
    """Checks that expressions are understood."""
    licences = ["MIT", "Zlib"]
    for expression, met in [
        ("MIT", ["MIT"]),
        ("GPL-3.0", None),
        ("GPL-3.0 OR MIT", ["MIT"]),
        ("Zlib OR MIT", ["MIT"]),
        ("MIT/Apache-2.0", ["MIT"]),
        ("MIT AND Apache-2.0", None),
        ("(MIT OR Apache-2.0) AND Zlib", ["MIT", "Zlib"]),
        ("(MIT OR Apache-2.0) AND GPL-3.0", None),
        ("Apache-2.0 WITH LLVM-exception", None),
    ]:
        assert chosen(expression, licences) == met, expression
