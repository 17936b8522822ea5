#!/usr/bin/env python3
"""Reading and writing Kaldi archives in Python: spr_convert beside kaldi_native_io and omniio.

    python bench.py [--size 64] [--rounds 5] [--folder DIR]

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

#: What is read: rows, columns, bytes a value takes about, and options of Kaldi's.
SORTS = {
    "": (400, 80, 4, {}),
    "small": (10, 13, 4, {}),
    "large": (4000, 80, 4, {}),
    "text": (400, 80, 10, {"text": True}),
    "compressed": (400, 80, 1, {"compress": 1}),
}
LOOKUPS = 1000
PACKAGES = {
    "spr_convert": "spr_convert",
    "compat.kaldiio": "spr_convert",
    "kaldi_native_io": "kaldi_native_io",
    "omniio": "omniio.kaldi",
}
#: Each job, and of what sorts it is done.
JOBS = {
    "read": ["", "small", "text", "compressed"],
    "lookup": ["", "small", "large"],
    "write": ["", "small", "text"],
    "import": [""],
}


def key_of(number):
    return f"utterance-{number:07}"


def matrix(sort):
    """A matrix like log mel energies."""
    import numpy as np

    rows, cols, _, _ = SORTS[sort]
    return np.random.default_rng(1).normal(12, 3, (rows, cols)).astype(np.float32)


def module(package):
    """Those with the calls of kaldiio."""
    if package == "omniio":
        import omniio.kaldi

        return omniio.kaldi
    from spr_convert.compat import kaldiio

    return kaldiio


def read(package, folder, sort, count):
    """All matrices of an archive, front to back."""
    path, seen = f"{folder}/{sort}.ark", 0
    if package == "spr_convert":
        import spr_convert

        for utt in spr_convert.open(path):
            utt.features[0, 0]
            seen += 1
    elif package == "kaldi_native_io":
        import kaldi_native_io

        for _, value in kaldi_native_io.SequentialFloatMatrixReader(f"ark:{path}"):
            # A view of what the next one is read into: whoever keeps it copies it.
            value.copy()[0, 0]
            seen += 1
    else:
        for _, value in module(package).load_ark(path):
            value[0, 0]
            seen += 1
    assert seen == count


def lookup(package, folder, sort, count):
    """Matrices by their keys, in random order, through a script file."""
    import random

    path = f"{folder}/{sort}.scp"
    keys = random.Random(1).choices([key_of(i) for i in range(count)], k=LOOKUPS)
    if package == "spr_convert":
        import spr_convert

        data = spr_convert.load(path)
    elif package == "kaldi_native_io":
        import kaldi_native_io

        data = kaldi_native_io.RandomAccessFloatMatrixReader(f"scp:{path}")
    else:
        data = module(package).load_scp(path)
    for key in keys:
        data[key][0, 0]


def write(package, folder, sort, count):
    """An archive and its script file."""
    name = f"{folder}/{os.getpid()}"
    name = f"ark,t:{name}.ark" if sort == "text" else f"ark,scp:{name}.ark,{name}.scp"
    if package == "spr_convert":
        import spr_convert

        # The others leave it to the system to put files on the disk.
        writer = spr_convert.Writer(name, sync=False)
    elif package == "kaldi_native_io":
        import kaldi_native_io

        writer = kaldi_native_io.FloatMatrixWriter(name)
    else:
        writer = module(package).WriteHelper(name)
    value = matrix(sort)
    for number in range(count):
        writer[key_of(number)] = value
    writer.close()


def one(args):
    """Does a job in this process, and prints its CPU and wall seconds."""
    if args.job != "import":
        # Their time is that of another job.
        import numpy  # noqa: F401

        __import__(PACKAGES[args.package])
        matrix(args.sort)
    wall, cpu = time.perf_counter(), time.process_time()
    if args.job == "import":
        __import__(PACKAGES[args.package])
    else:
        job = {"read": read, "lookup": lookup, "write": write}[args.job]
        job(args.package, args.folder, args.sort, args.count)
    print(json.dumps([time.process_time() - cpu, time.perf_counter() - wall]))


def make(folder, sort, size):
    """The files of a sort, and how many matrices there are in them."""
    import spr_convert

    rows, cols, width, options = SORTS[sort]
    count = (size << 20) // (rows * cols * width)
    if sort == "small":
        # Few bytes: it is about what each costs beside them.
        count = min(count, 100_000)
    kinds = (
        f"{folder}/{sort}.ark" if options else f"ark,scp:{folder}/{sort}.ark,{folder}/{sort}.scp"
    )
    with spr_convert.Writer(kinds, options=options, sync=False) as writer:
        value = matrix(sort)
        for number in range(count):
            writer[key_of(number)] = value
    return count


def run(job, package, folder, sort, count):
    """A job in a process of its own, with one thread for NumPy's algebra, which waits actively."""
    command = [sys.executable, __file__, "--job", job, "--package", package, "--sort", sort]
    command += ["--folder", folder, "--count", str(count)]
    environment = {**os.environ, "OPENBLAS_NUM_THREADS": "1"}
    done = subprocess.run(command, check=True, capture_output=True, text=True, env=environment)
    for name in os.listdir(folder):
        if name.split(".")[0].isdigit():
            os.remove(f"{folder}/{name}")
    return json.loads(done.stdout)


def installed(package):
    command = [sys.executable, "-c", f"import {PACKAGES[package]}"]
    return subprocess.run(command, capture_output=True).returncode == 0


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--size", type=int, default=64, help="MiB of an archive (default: 64)")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--folder", help="where files are made (default: a temporary folder)")
    for hidden in ("job", "package", "sort"):
        parser.add_argument(f"--{hidden}", help=argparse.SUPPRESS)
    parser.add_argument("--count", type=int, help=argparse.SUPPRESS)
    args = parser.parse_args()
    if args.job:
        return one(args)
    packages = [package for package in PACKAGES if installed(package)]
    with tempfile.TemporaryDirectory(dir=args.folder) as folder:
        counts = {sort: make(folder, sort, args.size) for sort in SORTS}
        best = {}
        for _ in range(args.rounds):
            for job, sorts in JOBS.items():
                for sort in sorts:
                    for package in packages:
                        took = run(job, package, folder, sort, counts[sort])
                        known = best.get((job, sort, package), took)
                        best[job, sort, package] = [min(pair) for pair in zip(took, known)]
    print(
        f"{args.size} MiB, least of {args.rounds} rounds: CPU ms / wall ms, times of spr_convert's CPU\n"
    )
    print(f"| job | matrices | {' | '.join(packages)} |")
    print("|---|---|" + "---|" * len(packages))
    for job, sorts in JOBS.items():
        for sort in sorts:
            rows, cols, _, _ = SORTS[sort]
            many = {"lookup": LOOKUPS, "import": 0}.get(job, counts[sort])
            cells = []
            for package in packages:
                cpu, wall = best[job, sort, package]
                times = cpu / best[job, sort, "spr_convert"][0]
                cells.append(f"{1000 * cpu:.1f} / {1000 * wall:.1f}, {times:.1f}×")
            what = f"{many} of {rows} x {cols}" if many else ""
            print(f"| {job} {sort} | {what} | {' | '.join(cells)} |")


if __name__ == "__main__":
    sys.exit(main())
