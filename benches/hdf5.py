#!/usr/bin/env python3
"""HDF5 to a Kaldi archive and back, beside h5py reading or writing the same arrays: each in a process of its own, in turn.

    python3 benches/hdf5.py target/release/spr-convert [--small 20000] [--mib 256] [--runs 5] [--dir FOLDER]

h5py reads arrays and writes their bytes to a file, one after the other, or reads them from there. Prints seconds, the
median of the runs, without the time that h5py takes to load, and the peak memory of our process. The goals are 20 times
h5py's speed with many small arrays, its speed with large ones, and at most 64 MB.
"""
import argparse
import os
import statistics
import subprocess
import sys
import tempfile
import time

COLS = 40
LARGE = 25000
MEMORY = 64
# The file that is read, the goal for reading and the goal for writing.
JOBS = [("small", 20, 1), ("large", 1, 1), ("gzip", 1, None)]

if sys.argv[1:2] == ["--job"]:
    # The folder of this file has the name of the module in it.
    sys.path = [place for place in sys.path if os.path.abspath(place or ".") != os.path.dirname(os.path.abspath(__file__))]
    import h5py
    import numpy as np


def corpus(folder, small, mib):
    """Small arrays of ten frames, large ones of 4 MB, and those compressed."""
    rs = np.random.RandomState(1)
    count = max(1, (int(mib) << 20) // (4 * COLS * LARGE))
    for name, number, rows, options in [("small", int(small), 10, {}), ("large", count, LARGE, {}),
                                        ("gzip", max(1, count // 4), LARGE, {"compression": "gzip", "chunks": (1000, COLS)})]:
        with h5py.File(os.path.join(folder, name + ".h5"), "w") as f:
            for n in range(number):
                values = rs.randint(-3000, 3000, (rows, COLS)).astype("f4") / 128
                f.create_dataset("utt-%06d" % n, data=values, **options)


def read(folder, name):
    with h5py.File(os.path.join(folder, name + ".h5")) as f, open(os.path.join(folder, "out.bin"), "wb") as out:
        for key in f:
            out.write(f[key][()].tobytes())


def write(folder, name):
    rows = {"small": 10}.get(name, LARGE)
    size = 4 * COLS * rows
    with open(os.path.join(folder, "out.bin"), "rb") as f, h5py.File(os.path.join(folder, "out.h5"), "w") as out:
        n = 0
        while len(data := f.read(size)) == size:
            out.create_dataset("utt-%06d" % n, data=np.frombuffer(data, "f4").reshape(rows, COLS))
            n += 1


def measure(command):
    """Seconds, and the most memory in MB."""
    start = time.perf_counter()
    child = subprocess.Popen(command)
    _, status, used = os.wait4(child.pid, 0)
    if status:
        raise SystemExit("failed: " + " ".join(command))
    return time.perf_counter() - start, used.ru_maxrss / 1024


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program")
    parser.add_argument("--small", type=int, default=20000)
    parser.add_argument("--mib", type=int, default=256)
    parser.add_argument("--runs", type=int, default=5)
    parser.add_argument("--dir")
    args = parser.parse_args()
    with tempfile.TemporaryDirectory(dir=args.dir) as folder:
        job = [sys.executable, __file__, "--job"]
        path = lambda name: os.path.join(folder, name)
        subprocess.run(job + ["corpus", folder, str(args.small), str(args.mib)], check=True)
        print("| job | ours, s | MB | h5py, s | times as fast |\n|---|---:|---:|---:|---:|")
        for name, *goals in JOBS:
            # Reading first, as writing goes on from what was read.
            ways = [("read", name + ".h5", "out.ark", "read", goals[0]), ("write", "out.ark", "out.h5", "write", goals[1])]
            for way, source, target, peer, goal in ways:
                if goal is None:
                    continue
                ours = [args.program, "convert", path(source), path(target), "--overwrite", "--no-sync", "--quiet"]
                runs = [(*measure(ours), measure(job + [peer, folder, name])[0] - measure(job + ["nothing", folder, name])[0])
                        for _ in range(args.runs + 1)]
                own, memory, theirs = (statistics.median(run[which] for run in runs[1:]) for which in range(3))
                missed = theirs / own < goal or memory > MEMORY
                print("| %s %s | %.3f | %.0f | %.3f | %.1f%s |"
                      % (way, name, own, memory, theirs, theirs / own, " (goal missed)" if missed else ""))


if __name__ == "__main__":
    if sys.argv[1:2] == ["--job"]:
        {"corpus": corpus, "read": read, "write": write, "nothing": lambda *_: None}[sys.argv[2]](*sys.argv[3:])
    else:
        main()
