#!/usr/bin/env python3
"""Sets the version of all packages, and the date of it in the changelog. Needs Python 3.11.

    python3 .ci/version.py VERSION          from "not released yet" to VERSION and the day of today
    python3 .ci/version.py VERSION --open   begins the part of the changelog for the work towards VERSION
"""

import datetime
import re
import subprocess
import sys

from crates import ROOT, load

OPEN = "not released yet"


def replaced(text, old, new):
    """The TOML `text` with the version `new` where its own packages have `old`."""
    own = re.compile(rf'^((?:version = |spr-[\w-]+ = .*\bpath = .*\bversion = )"=?){re.escape(old)}"', re.M)
    return own.sub(rf'\g<1>{new}"', text)


def changed(text, old, new, is_open, today):
    """The changelog with the new version in its headings, or None if it is not in the state for that."""
    unreleased = re.search(rf"^## ([\d.]+), {OPEN}$", text, re.M)
    if is_open:
        return None if unreleased else text.replace("\n## ", f"\n## {new}, {OPEN}\n\n## ", 1)
    if not unreleased or unreleased[1] not in (old, new):
        return None
    return text.replace(unreleased[0], f"## {new}, {today}")


def self_test():
    """Checks that own versions are found, and no others."""
    text = 'version = "0.1.0"\nspr-core = { path = "core", version = "0.1.0" }\nspr-plot = { path = "plot", version = "=0.1.0" }\nglob = { version = "0.1.0" }\n'
    assert replaced(text, "0.1.0", "0.2.0") == text.replace("0.1.0", "0.2.0", 3)
    log = f"# Changelog\n\n## 0.1.0, {OPEN}\n\n- a\n"
    done = changed(log, "0.1.0", "0.1.0", False, "2000-01-01")
    assert "## 0.1.0, 2000-01-01\n" in done and changed(done, "0.1.0", "0.2.0", False, "") is None
    assert f"## 0.2.0, {OPEN}\n\n## 0.1.0, 2000" in changed(done, "0.1.0", "0.2.0", True, "")


def main():
    self_test()
    new, *options = sys.argv[1:] or [""]
    if not re.fullmatch(r"\d+\.\d+\.\d+", new) or options not in ([], ["--open"]):
        sys.exit(__doc__)
    old = load("Cargo.toml")["workspace"]["package"]["version"]
    log = ROOT / "CHANGELOG.md"
    text = changed(log.read_text(), old, new, bool(options), datetime.date.today().isoformat())
    if text is None:
        sys.exit(f"version: CHANGELOG.md has {'a' if options else 'no'} version that is {OPEN}")
    log.write_text(text)
    state = f"Version {new}, {OPEN}" if options else f"Version {new}"
    for path in (ROOT / "README.md", *sorted(ROOT.glob("docs/*.md"))):
        text = re.sub(rf"^Version {re.escape(old)}(, {OPEN})?", state, path.read_text(), flags=re.M)
        path.write_text(text.replace(f"spr-convert {old}", f"spr-convert {new}"))
    manifests = [path for path in ROOT.glob("**/Cargo.toml") if "target" not in path.relative_to(ROOT).parts]
    for path in manifests:
        path.write_text(replaced(path.read_text(), old, new))
    for workspace in ("Cargo.toml", "python/Cargo.toml", "fuzz/Cargo.toml", "tests/stranger/Cargo.toml"):
        subprocess.run(["cargo", "update", "--workspace", "--offline", "--quiet", "--manifest-path", workspace], cwd=ROOT, check=True)
    subprocess.run([sys.executable, ROOT / ".ci/third_party.py"], check=True)


main()
