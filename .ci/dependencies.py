#!/usr/bin/env python3
"""Checks the dependencies: licences, sources and second versions against deny.toml, and that CONTRIBUTING.md
gives a reason for each of [workspace.dependencies] and knows where the crates of the design work; and that no
build makes a crate of others once more. Needs Python 3.11 and nothing else.

`cargo deny check licenses bans sources` does more; this is for where it is not installed.
"""

import collections
import re
import subprocess
import sys
import tomllib

from crates import CRATES_IO, ROOT, allowed_licences, chosen, load, packages, self_test


def licences_and_sources(manifest):
    foreign = [package for package in packages(manifest) if package["source"]]
    for package in foreign:
        name = f"{package['name']} {package['version']}"
        if package["source"] != CRATES_IO:
            yield f"{name} comes from {package['source']}"
        if chosen(package["license"] or "none", allowed_licences(package["name"])) is None:
            yield f"{name} is under {package['license']}, which deny.toml does not allow"
    if len(foreign) < 20:
        yield f"{len(foreign)} dependencies are too few to be all"


def second_versions(versions, skipped):
    """Compares the crates that have several versions, by workspace, with those that deny.toml names."""
    needed = set()
    for manifest, pairs in versions.items():
        names = collections.Counter(name for name, _ in pairs)
        twice = {(name, version) for name, version in pairs if names[name] > 1}
        needed |= twice
        left = collections.Counter(name for name, _ in twice - skipped)
        for name in sorted(name for name, count in left.items() if count > 1):
            found = " and ".join(sorted(version for other, version in twice if other == name))
            yield f"{manifest} has {name} in the versions {found}, which deny.toml does not name"
    for name, version in sorted(skipped - needed):
        yield f"deny.toml names {name} {version}, which is no second version"


def all_second_versions(manifests):
    """Applies `second_versions` to these workspaces."""
    versions = {manifest: {(package["name"], package["version"]) for package in packages(manifest)} for manifest in manifests}
    skipped = {tuple(entry["crate"].split("@")) for entry in load("deny.toml")["bans"]["skip"]}
    return second_versions(versions, skipped)


def test_of_second_versions():
    """Checks that second versions are found, and exceptions that are none."""
    pairs = {("a", "1"), ("a", "2"), ("b", "1")}
    assert not list(second_versions({"x": pairs}, {("a", "1")}))
    assert list(second_versions({"x": pairs}, set())) == ["x has a in the versions 1 and 2, which deny.toml does not name"]
    assert list(second_versions({"x": pairs}, {("a", "1"), ("b", "1")})) == ["deny.toml names b 1, which is no second version"]


def reasons():
    text = (ROOT / "CONTRIBUTING.md").read_text()
    table = text.split("## Dependencies")[1].split("\n## ")[0]
    rows = re.findall(r"^\| ([^|]+) \| ([^|]+) \|$", table, re.M)
    given = {name for crates, _ in rows[1:] for name in re.findall(r"[\w-]+", re.sub(r"\(.*?\)", "", crates))}
    dependencies = load("Cargo.toml")["workspace"]["dependencies"]
    used = {name for name, how in dependencies.items() if not (isinstance(how, dict) and "path" in how)}
    for name in sorted(used - given):
        yield f"CONTRIBUTING.md gives no reason for {name}"
    for name in sorted(given - used):
        yield f"CONTRIBUTING.md gives a reason for {name}, which Cargo.toml does not have"


def places():
    """Compares the folders in the table of the crates of the design with their Cargo.toml."""
    text = (ROOT / "CONTRIBUTING.md").read_text().split("| designed with |")[1].split("\n\n")[0]
    rows = re.findall(r"^\| ([\w-]+) \| ([^|]+) \|", text, re.M)
    if len(rows) < 8:
        yield f"CONTRIBUTING.md has {len(rows)} of the 8 crates of the design"
    manifests = [path for path in ROOT.glob("**/Cargo.toml") if not {"target", "fuzz", "python"} & set(path.parts)]
    for name, where in rows:
        kind = "dev-dependencies" if where.startswith("tests of") else "dependencies"
        using = [path.parent for path in manifests if name in tomllib.loads(path.read_text()).get(kind, {})]
        real = {"src" if folder == ROOT else folder.relative_to(ROOT).as_posix() for folder in using}
        told = set(re.findall(r"`([^`]+)`", where))
        for folder in sorted(real ^ told):
            wrong = "does not name" if folder in real else "wrongly names"
            yield f"CONTRIBUTING.md {wrong} {folder} as a place of {name}"


# Crates whose features differ for the Python package, which needs no tests: seconds to build.
SMALL = {"byteorder", "regex-syntax"}


def built_twice():
    """Finds the crates that one build makes as no other can use them: of what `--features spr-convert/remote` needs, a
    build of the workspace without, and those of the workspaces beside it."""
    def tree(*options):
        command = ["cargo", "tree", "--locked", "--prefix", "none", "--format", "{p} {f}", *options]
        return {line.removesuffix(" (*)") for line in subprocess.check_output(command, cwd=ROOT, text=True).splitlines() if line}

    whole = tree("--workspace", "--features", "spr-convert/remote")
    names = {line.split()[0] for line in whole}
    builds = {
        "the workspace without remote": ["--workspace", "--exclude", "spr-remote"],
        "the Python package": ["--manifest-path", "python/Cargo.toml", "--features", "remote"],
        "the stranger's crate": ["--manifest-path", "tests/stranger/Cargo.toml"],
        "the fuzz targets": ["--manifest-path", "fuzz/Cargo.toml"],
    }
    for build, options in builds.items():
        found = tree(*options)
        if len(found) < 100:
            yield f"{len(found)} crates are too few to be all of {build}"
        for line in sorted(found - whole):
            name, version = line.split()[:2]
            # Our own crates have different features on purpose, or are of another workspace.
            if name in names - SMALL and "(/" not in line:
                yield f"{name} {version} is built again for {build}: other features or another version (tests/features)"


def main():
    self_test()
    test_of_second_versions()
    manifests = ["Cargo.toml", "python/Cargo.toml"]
    faults = [fault for manifest in manifests for fault in licences_and_sources(manifest)]
    faults += all_second_versions(manifests)
    faults += reasons()
    faults += places()
    faults += built_twice()
    for fault in faults:
        print(f"dependencies: {fault}")
    sys.exit(bool(faults))


main()
