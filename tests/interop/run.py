#!/usr/bin/env python3
"""Other programs read what spr-convert writes, and the other way round.

    pip install -r requirements.txt
    python run.py PATH_TO_SPR_CONVERT [--python COMMAND ...] [--only MODULE ...]

Every Python with NumPy under ~/.pyenv is tried with pickles, and each COMMAND (such as
"env PYTHONPATH=/path/to/numpy python2.7"). Prints a line for each check; status 1 if one fails.
"""
import argparse
import shutil
import sys

import jsonl
import kaldi
import pfile
import pickles
import spraak
from harness import Harness


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program")
    parser.add_argument("--python", action="append", default=[], metavar="COMMAND")
    modules = {"kaldi": kaldi, "pfile": pfile, "pickle": pickles, "spraak": spraak, "jsonl": jsonl}
    parser.add_argument("--only", action="append", choices=sorted(modules))
    args = parser.parse_args()
    t = Harness(args.program)
    try:
        for name in args.only or modules:
            extra = [args.python] if name == "pickle" else []
            try:
                modules[name].checks(t, *extra)
            except Exception as error:  # a setup step failed: its module ends there
                with t.check("%s: set up" % name):
                    raise error
    finally:
        shutil.rmtree(t.folder)
    print("%d passed, %d failed" % (t.passed, t.failed))
    return 1 if t.failed else 0


if __name__ == "__main__":
    sys.exit(main())
