#!/usr/bin/env python3
"""lilcom to NumPy and back, beside lilcom's own module doing the same: each in a process of its own, in turn.

    python3 benches/lilcom.py target/release/spr-convert [--mib 256] [--runs 5] [--dir FOLDER]

Prints seconds, the median of the runs, without the time that NumPy takes to load. The goal is 1.5 times
the module's speed at decoding and the same at encoding, on one thread.
"""
import argparse
import os
import statistics
import subprocess
import sys
import tempfile
import time

GOALS = {"decode": 1.5, "encode": 1.0}
COLS = 80

if sys.argv[1:2] == ["--job"]:
    # The folder of this file has the name of the module in it.
    sys.path = [place for place in sys.path if os.path.abspath(place or ".") != os.path.dirname(os.path.abspath(__file__))]
    import numpy as np
    import lilcom


def corpus(folder, mib):
    rows = (int(mib) << 20) // 4 // COLS
    values = np.cumsum(np.random.RandomState(1).standard_normal((rows, COLS)), axis=0).astype("f4")
    np.save(os.path.join(folder, "in.npy"), values)
    with open(os.path.join(folder, "in.llc"), "wb") as f:
        f.write(lilcom.compress(values, -5))


def decode(folder):
    with open(os.path.join(folder, "in.llc"), "rb") as f:
        np.save(os.path.join(folder, "out.npy"), lilcom.decompress(f.read()))


def encode(folder):
    with open(os.path.join(folder, "out.llc"), "wb") as f:
        f.write(lilcom.compress(np.load(os.path.join(folder, "in.npy")), -5))


def measure(command):
    start = time.perf_counter()
    subprocess.run(command, check=True)
    return time.perf_counter() - start


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program")
    parser.add_argument("--mib", type=int, default=256)
    parser.add_argument("--runs", type=int, default=5)
    parser.add_argument("--dir")
    args = parser.parse_args()
    with tempfile.TemporaryDirectory(dir=args.dir) as folder:
        job = [sys.executable, __file__, "--job"]
        subprocess.run(job + ["corpus", folder, str(args.mib)], check=True)
        print("| job | ours, s | lilcom, s | times as fast |\n|---|---:|---:|---:|")
        for name, source, target in (("decode", "in.llc", "out.npy"), ("encode", "in.npy", "out.llc")):
            ours = [args.program, "convert", os.path.join(folder, source), os.path.join(folder, target),
                    "--jobs", "1", "--overwrite", "--no-sync", "--quiet"]
            runs = [(measure(ours), measure(job + [name, folder]) - measure(job + ["nothing", folder]))
                    for _ in range(args.runs + 1)]
            own, peer = (statistics.median(run[who] for run in runs[1:]) for who in (0, 1))
            good = "" if peer / own >= GOALS[name] else " (goal missed)"
            print("| %s | %.3f | %.3f | %.1f%s |" % (name, own, peer, peer / own, good))


if __name__ == "__main__":
    if sys.argv[1:2] == ["--job"]:
        {"corpus": corpus, "decode": decode, "encode": encode, "nothing": lambda folder: None}[sys.argv[2]](*sys.argv[3:])
    else:
        main()
