#!/usr/bin/env python3
"""Other programs read what spr-convert writes, and the other way round.

    pip install -r requirements.txt
    python run.py PATH_TO_SPR_CONVERT [--python COMMAND ...] [--only MODULE ...]

`--only random --cases N --seed S` tries N random conversions from seed S on; `--cases 1` repeats one.
`--only tables --cases N` reads N random tables.
Every Python with NumPy under ~/.pyenv is tried with pickles, and each COMMAND (such as
"env PYTHONPATH=/path/to/numpy python2.7"). Prints a line for each check; status 1 if one fails.
"""
import argparse
import shutil
import sys

import archives
import differential
import hdf5
import htk
import hub
import jsonl
import kaldi
import labels
import manifests
import pfile
import pickles
import shar
import sound
import spraak
import stores
import tables
import tars
from harness import Harness


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program")
    parser.add_argument("--python", action="append", default=[], metavar="COMMAND")
    parser.add_argument("--cases", type=int, default=2000, help="random conversions (default: 2000)")
    parser.add_argument("--seed", type=int, default=1, help="the seed of the first of them (default: 1)")
    parser.add_argument("--jobs", type=int, default=2, help="of them at once (default: 2)")
    modules = {"kaldi": kaldi, "pfile": pfile, "pickle": pickles, "spraak": spraak, "jsonl": jsonl,
               "labels": labels, "manifests": manifests, "stores": stores, "shar": shar, "archives": archives,
               "tars": tars, "htk": htk, "hdf5": hdf5, "hub": hub, "sound": sound, "tables": tables,
               "random": differential}
    parser.add_argument("--only", action="append", choices=sorted(modules))
    args = parser.parse_args()
    t = Harness(args.program)
    try:
        for name in args.only or modules:
            extra = {"pickle": [args.python], "tables": [args.cases], "random": [args.cases, args.seed, args.jobs]}.get(name, [])
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
