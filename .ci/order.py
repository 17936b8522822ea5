#!/usr/bin/env python3
"""Prints the crates that are published, each after those that it depends on. Needs Python 3.11."""

import graphlib
import json
import subprocess

from crates import ROOT


def order(packages):
    """The names of `packages`, as cargo describes them, in the order of publishing."""
    published = {package["name"]: package for package in packages if package["publish"] != []}
    # What tests alone need, cargo leaves out of what it publishes if it has no version.
    needed = {name: sorted({told["name"] for told in package["dependencies"] if told["name"] in published and told["req"] != "*"})
              for name, package in sorted(published.items())}
    return list(graphlib.TopologicalSorter(needed).static_order())


def main():
    command = ["cargo", "metadata", "--format-version", "1", "--no-deps", "--locked"]
    print("\n".join(order(json.loads(subprocess.check_output(command, cwd=ROOT))["packages"])))


main()
