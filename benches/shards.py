"""One process against two shards side by side on this machine: `shards.py PROGRAM [--mib N] [--dir D]`.

Prints the least wall time of three runs of each, and of the merge of the shards.
"""
import argparse
import pathlib
import subprocess
import tempfile
import time

import corpus

# What is converted, and to what; `N` is for the number of a shard.
JOBS = [("ark to ark", "feats.ark", "out{shard}.ark"),
        ("text to ark", "in.txt", "out{shard}.ark"),
        ("ark to CM", "feats.ark", "out{shard}.ark,compress=auto")]
RUNS = 3


def least(commands, folder):
    """The least time in which all of these commands, started together, are done."""
    times = []
    for _ in range(RUNS):
        start = time.monotonic()
        running = [subprocess.Popen(command, cwd=folder) for command in commands]
        if any(process.wait() for process in running):
            raise SystemExit("a command failed")
        times.append(time.monotonic() - start)
    return min(times)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("program", type=pathlib.Path)
    parser.add_argument("--mib", type=int, default=256)
    parser.add_argument("--dir", type=pathlib.Path)
    args = parser.parse_args()
    program = str(args.program.resolve())
    with tempfile.TemporaryDirectory(dir=args.dir) as folder:
        corpus.make(pathlib.Path(folder), args.mib)
        quiet = ["--no-sync", "--overwrite", "-q"]
        subprocess.run([program, "feats.ark", "ark,t:in.txt", *quiet], cwd=folder, check=True)
        for name, source, out in JOBS:
            one = least([[program, source, out.replace("{shard}", ""), *quiet]], folder)
            shards = [[program, source, out, "--shard", f"{i}/2", *quiet] for i in (1, 2)]
            two = least(shards, folder)
            merge = least([[program, "shards", "merge", out, "-o", "all.ark", *quiet]], folder)
            print(f"{name:12} one process {one:5.2f} s   two shards {two:5.2f} s   {one / two:4.2f} times   "
                  f"merge {merge:5.2f} s")


if __name__ == "__main__":
    main()
