#!/usr/bin/env python3
"""Reading and writing Kaldi archives in Python: spr_convert beside kaldi_native_io and omniio.

    python bench.py [--size 64] [--rounds 5] [--folder DIR] [--json FILE]

Each measurement is a process of its own; those of all packages take turns, and of each the least CPU
and wall time of the rounds counts. Files are in the page cache. What is not installed is left out.
"""
import argparse
import json
import os
import subprocess
import sys
import tempfile
import time

ROWS, COLS, LOOKUPS = 400, 80, 1000

PACKAGES = {"spr_convert": "spr_convert", "compat.kaldiio": "spr_convert", "kaldi_native_io": "kaldi_native_io", "omniio": "omniio.kaldi"}


def pairs(count):
    """Keys and a matrix, the same for all."""
    import numpy as np

    matrix = np.random.default_rng(1).standard_normal((ROWS, COLS)).astype(np.float32)
    return ((f"utterance-{i:07}", matrix) for i in range(count))


def some_keys(count):
    """Keys in random order."""
    import random

    return random.Random(1).choices([f"utterance-{i:07}" for i in range(count)], k=LOOKUPS)


def touch(value):
    """Looks at a value, so that none is read only in name."""
    return value[0, 0]


def read(package, folder, count):
    """All matrices of an archive, front to back."""
    path, seen = f"{folder}/a.ark", 0
    if package == "spr_convert":
        import spr_convert

        for utt in spr_convert.open(path):
            touch(utt.features)
            seen += 1
    elif package == "kaldi_native_io":
        import kaldi_native_io

        for _, value in kaldi_native_io.SequentialFloatMatrixReader(f"ark:{path}"):
            # A view of what the next one is read into: whoever keeps it copies it.
            touch(value.copy())
            seen += 1
    else:
        for _, value in module(package).load_ark(path):
            touch(value)
            seen += 1
    assert seen == count


def lookup(package, folder, count):
    """Matrices by their keys, in random order, through a script file."""
    path, keys = f"{folder}/a.scp", some_keys(count)
    if package == "spr_convert":
        import spr_convert

        data = spr_convert.load(path)
    elif package == "kaldi_native_io":
        import kaldi_native_io

        data = kaldi_native_io.RandomAccessFloatMatrixReader(f"scp:{path}")
    else:
        data = module(package).load_scp(path)
    for key in keys:
        touch(data[key])


def write(package, folder, count):
    """An archive and its script file."""
    name = f"ark,scp:{folder}/{os.getpid()}.ark,{folder}/{os.getpid()}.scp"
    if package == "spr_convert":
        import spr_convert

        writer = spr_convert.Writer(name)
    elif package == "kaldi_native_io":
        import kaldi_native_io

        writer = kaldi_native_io.FloatMatrixWriter(name)
    else:
        writer = module(package).WriteHelper(name)
    for key, value in pairs(count):
        writer[key] = value
    writer.close()


def module(package):
    """Those with the calls of kaldiio."""
    if package == "omniio":
        import omniio.kaldi

        return omniio.kaldi
    from spr_convert.compat import kaldiio

    return kaldiio


def small(package, folder, count):
    """Matrices of one number, front to back: what an utterance costs beyond its bytes."""
    path = f"{folder}/small.ark"
    if package == "spr_convert":
        import spr_convert

        for utt in spr_convert.open(path):
            utt.features
    elif package == "kaldi_native_io":
        import kaldi_native_io

        for _, value in kaldi_native_io.SequentialFloatMatrixReader(f"ark:{path}"):
            value.copy()
    else:
        for _, value in module(package).load_ark(path):
            pass


def load(package, folder, count):
    """The import alone."""
    __import__(PACKAGES[package])


JOBS = {"read": read, "lookup": lookup, "write": write, "small": small, "import": load}
SMALL = 100_000


def one(job, package, folder, count):
    """Does a job in this process, and prints CPU and wall seconds without those of the imports."""
    if job != "import":
        import numpy  # noqa: F401

        __import__(PACKAGES[package])
        if job == "write":
            next(pairs(1))
    wall, cpu = time.perf_counter(), time.process_time()
    JOBS[job](package, folder, count)
    print(json.dumps([time.process_time() - cpu, time.perf_counter() - wall]))


def installed(package):
    return subprocess.run([sys.executable, "-c", f"import {PACKAGES[package]}"], capture_output=True).returncode == 0


def make(folder, size):
    """The files, and how many matrices are in the large one."""
    import numpy as np
    import spr_convert

    count = (size << 20) // (ROWS * COLS * 4)
    with spr_convert.Writer(f"ark,scp:{folder}/a.ark,{folder}/a.scp") as writer:
        for key, matrix in pairs(count):
            writer[key] = matrix
    with spr_convert.Writer(f"{folder}/small.ark") as writer:
        for i in range(SMALL):
            writer[f"{i:07}"] = np.ones((1, 1), np.float32)
    return count


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--size", type=int, default=64, help="MiB of the archive (default: 64)")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--folder", help="where the files are made (default: a temporary folder)")
    parser.add_argument("--job", choices=sorted(JOBS), help=argparse.SUPPRESS)
    parser.add_argument("--package", help=argparse.SUPPRESS)
    parser.add_argument("--count", type=int, help=argparse.SUPPRESS)
    args = parser.parse_args()
    if args.job:
        return one(args.job, args.package, args.folder, args.count)
    packages = [package for package in PACKAGES if installed(package)]
    with tempfile.TemporaryDirectory(dir=args.folder) as folder:
        count = make(folder, args.size)
        best = {}
        for _ in range(args.rounds):
            for job in JOBS:
                for package in packages:
                    command = [sys.executable, __file__, "--job", job, "--package", package, "--folder", folder, "--count", str(count)]
                    cpu, wall = json.loads(subprocess.run(command, check=True, capture_output=True, text=True).stdout)
                    known = best.get((job, package), (cpu, wall))
                    best[job, package] = (min(cpu, known[0]), min(wall, known[1]))
                    for name in os.listdir(folder):
                        if name.split(".")[0].isdigit():
                            os.remove(f"{folder}/{name}")
        print(f"{args.size} MiB in {count} matrices of {ROWS} x {COLS}, least of {args.rounds} rounds\n")
        print("| job | package | CPU ms | wall ms | CPU against spr_convert |\n|---|---|---|---|---|")
        for job in JOBS:
            for package in packages:
                cpu, wall = best[job, package]
                print(f"| {job} | {package} | {1000 * cpu:.1f} | {1000 * wall:.1f} | {cpu / best[job, 'spr_convert'][0]:.1f} |")
    return 0


if __name__ == "__main__":
    sys.exit(main())
