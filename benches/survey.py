#!/usr/bin/env python3
"""Times the survey of a tree of many small files, beside `find` listing it with sizes; and the length and the check of a
folder of waves, beside `soxi` and libsndfile (the package soundfile), each where it is there.

    python3 benches/survey.py target/release/spr-convert [--files 200000] [--waves 20000] [--runs 3] [--dir FOLDER]

The tree is made once: wave files of 100 speakers for 8 splits, a label file beside each fourth of them, and
some of each kind of what is no data. The waves last 1 to 4 seconds. Prints seconds and peak memory, the median of the
runs.
"""
import argparse
import importlib.util
import json
import os
import random
import shutil
import statistics
import struct
import subprocess
import sys
import tempfile
import time

SPLITS = ["train-%d" % n for n in range(1, 6)] + ["dev", "test", "extra"]


def wav(samples, chance):
    data = bytes(chance.randrange(256) for _ in range(8)) * (samples // 4)
    head = struct.pack("<4sI4s4sIHHIIHH4sI", b"RIFF", 36 + len(data), b"WAVE", b"fmt ", 16, 1, 1, 16000, 32000, 2,
                       16, b"data", len(data))
    return head + data


def make(root, files):
    chance = random.Random(1)
    made = 0
    while made < files:
        split, speaker = SPLITS[made // 100 % len(SPLITS)], made // 100 // len(SPLITS) % 100
        folder = os.path.join(root, split, "spk%03d" % speaker)
        os.makedirs(folder, exist_ok=True)
        for _ in range(min(100, files - made)):
            stem = os.path.join(folder, "u%06d" % made)
            if made % 5 == 4:
                with open(stem + ".bin" if made % 1000 == 999 else before + ".lab", "w") as f:
                    f.write("0 5000000 a\n" if made % 1000 != 999 else "\0\1\2")
            else:
                with open(stem + ".wav", "wb") as f:
                    f.write(wav(4 * chance.randrange(200, 900), chance))
                before = stem
            made += 1


def make_waves(root, count):
    chance = random.Random(2)
    os.makedirs(root)
    for n in range(count):
        with open(os.path.join(root, "u%06d.wav" % n), "wb") as f:
            f.write(wav(4 * chance.randrange(4000, 16000), chance))


# What others do with the waves. soxi takes as many names as a command line holds.
SOXI = """find "$0" -name '*.wav' -print0 | xargs -0 soxi -T -D | awk '{s += $1} END {print s}'"""
SOUNDFILE = """
import os, sys, soundfile
seconds = 0
for name in os.listdir(sys.argv[1]):
    samples, rate = soundfile.read(os.path.join(sys.argv[1], name), dtype="int16")
    seconds += len(samples) / rate
print(seconds)
"""


def measure(command):
    """Seconds, MiB and what was printed."""
    start = time.perf_counter()
    child = subprocess.Popen(command, stdout=subprocess.PIPE)
    out = child.stdout.read()
    _, status, used = os.wait4(child.pid, 0)
    if status:
        sys.exit("failed: " + " ".join(command))
    return time.perf_counter() - start, used.ru_maxrss / 1024, out


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program")
    parser.add_argument("--files", type=int, default=200000)
    parser.add_argument("--waves", type=int, default=20000)
    parser.add_argument("--runs", type=int, default=3)
    parser.add_argument("--dir")
    args = parser.parse_args()
    folder = args.dir or tempfile.mkdtemp()
    root = os.path.join(folder, "tree-%d" % args.files)
    if not os.path.isdir(root):
        make(root, args.files)
    waves = os.path.join(folder, "waves-%d" % args.waves)
    if not os.path.isdir(waves):
        make_waves(waves, args.waves)
    jobs = {
        "find, with sizes": ["find", root, "-printf", "%s %p\\n"],
        "info -r --quick": [args.program, "info", "-r", "--quick", "--json", root],
        "info -r": [args.program, "info", "-r", "--json", root],
        "waves: info --quick": [args.program, "info", "--quick", "--json", waves],
        "waves: soxi": ["sh", "-c", SOXI, waves] if shutil.which("soxi") else None,
        "waves: check": [args.program, "check", "-q", waves],
        "waves: soundfile": [sys.executable, "-c", SOUNDFILE, waves] if importlib.util.find_spec("soundfile") else None,
    }
    print("| job | s | peak MiB |\n|---|---:|---:|")
    for name, command in jobs.items():
        if command is None:
            continue
        runs = [measure(command) for _ in range(args.runs + 1)][1:]
        seconds, peak = (statistics.median(run[i] for run in runs) for i in (0, 1))
        print("| %s | %.2f | %.0f |" % (name, seconds, peak))
        if "info -r" in name:
            totals = json.loads(runs[0][2].splitlines()[-1])
            assert totals["files"] == args.files, totals
    print("\n%d data sets, %d utterances, %d unknown" % (totals["data_sets"], totals["utterances"], totals["unknown"]))


if __name__ == "__main__":
    main()
