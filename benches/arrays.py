#!/usr/bin/env python3
"""Kaldi's archives to NumPy's and back, beside NumPy doing the same: each in a process of its own, in turn.

    python3 benches/arrays.py target/release/spr-convert [--mib 128] [--runs 3] [--dir FOLDER]

Prints seconds and peak memory, the median of the runs. The goal is twice NumPy's speed in 32 MiB.
"""
import argparse
import os
import statistics
import struct
import subprocess
import sys
import tempfile
import time

# A process begins with the memory of the one that started it, so that only those at work load NumPy.
if sys.argv[1:2] == ["--job"]:
    import numpy as np

GOAL, MOST = 2, 32


def to_ark(source, target):
    with np.load(source) as arrays, open(target, "wb") as out:
        for key in arrays.files:
            m = arrays[key]
            out.write(key.encode() + b" \0BFM " + struct.pack("<bibi", 4, m.shape[0], 4, m.shape[1]) + m.tobytes())


def utterances(path):
    with open(path, "rb") as f:
        while key := b"".join(iter(lambda: f.read(1).strip(), b"")):
            assert f.read(5) == b"\0BFM ", key
            _, rows, _, cols = struct.unpack("<bibi", f.read(10))
            yield key.decode(), np.fromfile(f, "<f4", rows * cols).reshape(rows, cols)


def to_npz(source, target):
    np.savez(target, **dict(utterances(source)))


def corpus(path, mib):
    rs, left, number = np.random.RandomState(1), int(mib) << 20, 0
    arrays = {}
    while left > 0:
        m = rs.standard_normal((rs.randint(100, 3000), 40)).astype("f4")
        arrays["utt%06d" % number], left, number = m, left - m.nbytes, number + 1
    np.savez(path, **arrays)


def measure(command, output):
    """Seconds and MiB."""
    if os.path.exists(output):
        os.remove(output)
    start = time.perf_counter()
    child = subprocess.Popen(command)
    _, status, used = os.wait4(child.pid, 0)
    if status:
        sys.exit("failed: " + " ".join(command))
    return time.perf_counter() - start, used.ru_maxrss / 1024


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program")
    parser.add_argument("--mib", type=int, default=128)
    parser.add_argument("--runs", type=int, default=3)
    parser.add_argument("--dir")
    args = parser.parse_args()
    with tempfile.TemporaryDirectory(dir=args.dir) as folder:
        path = lambda name: os.path.join(folder, name)
        job = [sys.executable, __file__, "--job"]
        subprocess.run(job + ["corpus", path("in.npz"), str(args.mib)], check=True)
        subprocess.run(job + ["npz to ark", path("in.npz"), path("in.ark")], check=True)
        print("| job | ours, s | MiB | NumPy, s | MiB | times as fast |\n|---|---:|---:|---:|---:|---:|")
        for name, source, target in (("npz to ark", "in.npz", "out.ark"), ("ark to npz", "in.ark", "out.npz")):
            ours = [args.program, "convert", path(source), path(target), "--no-sync", "--quiet"]
            own = job + [name, path(source), path(target)]
            runs = [[measure(command, path(target)) for command in (ours, own)] for _ in range(args.runs + 1)]
            seconds, memory = (
                [statistics.median(run[who][what] for run in runs[1:]) for who in (0, 1)] for what in (0, 1))
            ratio = seconds[1] / seconds[0]
            good = "" if ratio >= GOAL and memory[0] <= MOST else " (goal missed)"
            print("| %s | %.3f | %.0f | %.3f | %.0f | %.1f%s |"
                  % (name, seconds[0], memory[0], seconds[1], memory[1], ratio, good))


if __name__ == "__main__":
    if sys.argv[1:2] == ["--job"]:
        {"corpus": corpus, "npz to ark": to_ark, "ark to npz": to_npz}[sys.argv[2]](*sys.argv[3:])
    else:
        main()
