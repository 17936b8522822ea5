#!/usr/bin/env python3
"""Times segments of long recordings against libsndfile, in the same rounds.

    pip install numpy soundfile
    python benches/spans.py target/release/spr-convert [--runs 5] [--dir FOLDER]

Recordings of 10 and of 30 minutes, as WAV and as FLAC, have segments in a Kaldi data directory. They are written to
Parquet, an archive of waves, arrays, WebDataset, and to a directory at half the rate. Beside each stands a script that
seeks each segment with soundfile and writes all samples to one file. Printed are the medians of the rounds, their
ratio, all bytes read (of /proc) over the size of the recordings, and the peak of memory. Parquet reads its temporary
file as well. The last rows are two recordings in turn, segments from the last to the first, and an hour; then a
recording that a command gives.
"""
import argparse
import multiprocessing
import os
import shutil
import statistics
import subprocess
import sys
import tempfile
import time

RATE = 16000
TARGETS = {
    "Parquet": ["out.parquet"],
    "ark": ["ark:out.ark"],
    "npz": ["out.npz"],
    "WebDataset": ["out.tar", "--to", "webdataset"],
    "npz, rate 8000": ["out.npz", "--rate", "8000"],
}
PEER = """
import sys, soundfile
out = open('out.peer', 'wb')
files = {}
for line in open(sys.argv[1] + '/segments'):
    key, name, start, end = line.split()
    path = sys.argv[1] + '/' + name + '.' + sys.argv[2]
    sound = files.setdefault(name, soundfile.SoundFile(path))
    first, last = round(float(start) * 16000), round(float(end) * 16000)
    sound.seek(first)
    out.write(sound.read(last - first, dtype='int16').tobytes())
"""


def voice(seconds, seed):
    import numpy as np

    rng = np.random.default_rng(seed)
    steps = np.arange(seconds * RATE)
    return (3000 * np.sin(steps * 0.03) + rng.normal(0, 300, len(steps))).astype(np.int16)


def directory(*args, **kwargs):
    """Makes a data directory in a process of its own, as a child inherits the peak of memory of its parent."""
    child = multiprocessing.get_context("spawn").Process(target=make, args=args, kwargs=kwargs)
    child.start()
    child.join()
    folder, kind, names = args[:3]
    return sum(os.path.getsize(f"{folder}/{name}.{kind}") for name in names)


def make(folder, kind, names, seconds, step, length, order="in order", command=False):
    """A data directory of recordings with a segment every `step` seconds."""
    import soundfile

    os.makedirs(folder)
    for seed, name in enumerate(names):
        soundfile.write(f"{folder}/{name}.{kind}", voice(seconds, seed), RATE)
    count = int(seconds // step)
    spans = [(name, n) for n in range(count) for name in names]
    if order == "backwards":
        spans.reverse()
    lines = {"wav.scp": [], "segments": [], "utt2spk": [], "text": []}
    for name in names:
        place = f"{folder}/{name}.{kind}"
        lines["wav.scp"].append(f"{name} echo x >> runs; cat {place} |" if command else f"{name} {place}")
    for n, (name, at) in enumerate(spans):
        key = f"u{n:05}-{name}"
        lines["segments"].append(f"{key} {name} {at * step:.2f} {at * step + length:.2f}")
        lines["utt2spk"].append(f"{key} {key}")
        lines["text"].append(f"{key} word {n}")
    for table, all_lines in lines.items():
        with open(f"{folder}/{table}", "w") as out:
            out.write("".join(line + "\n" for line in all_lines))


def run(command):
    """Seconds, bytes read by system calls, and the peak of memory in MiB."""
    for name in os.listdir("."):
        if name.startswith("out"):
            shutil.rmtree(name) if os.path.isdir(name) else os.remove(name)
    begin = time.perf_counter()
    child = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
    said = child.stderr.read()
    # The child waits to be reaped, so that its counters are there.
    os.waitid(os.P_PID, child.pid, os.WEXITED | os.WNOWAIT)
    took = time.perf_counter() - begin
    with open(f"/proc/{child.pid}/io") as counters:
        read = int(dict(line.split(": ") for line in counters)["rchar"])
    _, status, used = os.wait4(child.pid, 0)
    child.returncode = os.waitstatus_to_exitcode(status)
    if child.returncode:
        raise RuntimeError(f"{command}: {said.decode(errors='replace').strip()}")
    return took, read, used.ru_maxrss / 1024


def compared(program, folder, kind, size, target, runs):
    """A row of a table: both in turn, without the first round."""
    ours = [program, folder, *TARGETS[target], "--no-sync", "-q", "--allow-loss", "all", "--allow-pipes"]
    theirs = [sys.executable, "-c", PEER, folder, kind]
    nothing = [sys.executable, "-c", "import soundfile"]
    rounds = [[run(ours), run(theirs), run(nothing)] for _ in range(runs + 1)][1:]
    own, other, start = ([one[n] for one in rounds] for n in range(3))
    seconds = [statistics.median(one[0] for one in all_runs) for all_runs in (own, other, start)]
    peer = seconds[1] - seconds[2]
    read = statistics.median(one[1] for one in own) / size
    peak = max(one[2] for one in own)
    print(f"| {folder} | {target} | {seconds[0]:.3f} | {peer:.3f} | {seconds[0] / peer:.2f} | {read:.2f} | {peak:.0f} |")
    sys.stdout.flush()


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("program")
    parser.add_argument("--runs", type=int, default=5)
    parser.add_argument("--dir")
    args = parser.parse_args()
    program = os.path.abspath(args.program)
    folder = os.path.abspath(args.dir) if args.dir else tempfile.mkdtemp(prefix="bench-")
    os.makedirs(folder, exist_ok=True)
    try:
        os.chdir(folder)
        print("| segments of | to | s | soundfile, s | ratio | bytes read ÷ file | peak, MiB |\n|---|---|---|---|---|---|---|")
        for kind in ("wav", "flac"):
            for name, seconds, step, length in [("10min", 600, 3, 2), ("30min", 1800, 2, 1.8)]:
                size = directory(f"{name}-{kind}", kind, ["rec"], seconds, step, length)
                for target in TARGETS:
                    compared(program, f"{name}-{kind}", kind, size, target, args.runs)
            size = directory(f"turn-{kind}", kind, ["ra", "rb"], 600, 3, 2)
            compared(program, f"turn-{kind}", kind, size, "Parquet", args.runs)
            size = directory(f"back-{kind}", kind, ["rec"], 600, 3, 2, "backwards")
            compared(program, f"back-{kind}", kind, size, "Parquet", args.runs)
            size = directory(f"hour-{kind}", kind, ["rec"], 3600, 9, 5)
            compared(program, f"hour-{kind}", kind, size, "Parquet", args.runs)
        directory("command", "wav", ["rec"], 60, 3, 2, command=True)
        ran = run([program, "command", "out.parquet", "--allow-pipes", "-q"])
        with open("runs") as runs:
            print(f"\n20 segments of what a command gives: it ran {len(runs.readlines())} time(s), {ran[0]:.3f} s")
    finally:
        if not args.dir:
            shutil.rmtree(folder)


if __name__ == "__main__":
    main()
