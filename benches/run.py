#!/usr/bin/env python3
"""Times conversions against cp of the same input files.

    python run.py PATH_TO_SPR_CONVERT [--mib 512] [--runs 5] [--dir FOLDER] [--only JOB ...]

Needs NumPy, to make the corpus. Prints a table in Markdown.
"""
import argparse
import os
import shutil
import statistics
import subprocess
import sys
import tempfile
import time

HERE = os.path.dirname(os.path.abspath(__file__))

# Name, arguments of the program, and the input files whose copying is the measure. Outputs begin
# with `out`, what a job needs made before begins with `in`.
JOBS = [
    ("ark to ark", "feats.ark out.ark", "feats.ark"),
    ("ark to ark with scp", "feats.ark ark,scp:out.ark,out.scp", "feats.ark"),
    ("scp to ark", "feats.scp out.ark", "feats.ark"),
    ("ark and text labels to pfile", "feats.ark --labels ali.txt out.pfile", "feats.ark ali.txt"),
    ("ark and binary labels to pfile", "feats.ark --labels ali.ark out.pfile", "feats.ark ali.ark"),
    ("pfile to ark and labels", "in.pfile out.ark --labels-out out.ali.ark", "in.pfile"),
    ("ark and labels to pickle, protocol 2", "feats.ark --labels ali.ark out.pkl", "feats.ark ali.ark"),
    ("ark and labels to pickle, protocol 4", "feats.ark --labels ali.ark out.pkl,protocol=4", "feats.ark ali.ark"),
    ("pickle, protocol 2, to ark", "in2.pkl out.ark --labels-out out.ali.ark", "in2.pkl"),
    ("pickle, protocol 4, to ark", "in4.pkl out.ark --labels-out out.ali.ark", "in4.pkl"),
    ("ark to folder of spr", "feats.ark out.spr/", "feats.ark"),
    ("folder of spr to ark", "in.spr/ out.ark", "in.spr"),
    ("ark to text, 1/8 of the data", "small.ark ark,t:out.txt", "small.ark"),
    ("text to ark, 1/8 of the data", "in.txt out.ark", "in.txt"),
    ("ark to jsonl, 1/8 of the data", "small.ark out.jsonl", "small.ark"),
    ("jsonl to ark, 1/8 of the data", "in.jsonl out.ark", "in.jsonl"),
    ("info of a small file", "info tiny.ark", "tiny.ark"),
]
NEEDED = {
    "in.pfile": "feats.ark --labels ali.ark in.pfile",
    "in2.pkl": "feats.ark --labels ali.ark in2.pkl",
    "in4.pkl": "feats.ark --labels ali.ark in4.pkl,protocol=4",
    "in.spr": "feats.ark in.spr/",
    "in.txt": "small.ark ark,t:in.txt",
    "in.jsonl": "small.ark in.jsonl",
}


def timed(command):
    """Seconds, CPU seconds and peak memory in MiB."""
    begin = time.perf_counter()
    child = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
    said = child.stderr.read()
    _, status, used = os.wait4(child.pid, 0)
    took = time.perf_counter() - begin
    child.returncode = os.waitstatus_to_exitcode(status)
    if child.returncode:
        raise RuntimeError("%s: %s" % (" ".join(command), said.decode(errors="replace").strip()))
    return took, used.ru_utime + used.ru_stime, used.ru_maxrss / 1024


def remove_outputs():
    for name in os.listdir("."):
        if name.startswith("out"):
            shutil.rmtree(name) if os.path.isdir(name) else os.remove(name)


def size(path):
    if os.path.isdir(path):
        return sum(size(os.path.join(path, name)) for name in os.listdir(path))
    return os.path.getsize(path)


def measure(program, arguments, inputs, runs):
    """The copy and the program take turns, so that a ratio is between neighbours in time."""
    copy = ["cp", "-r", *inputs, "out-copy"]
    ours, ratios = [], []
    for _ in range(runs + 1):
        os.mkdir("out-copy")
        base = timed(copy)[0]
        remove_outputs()
        took = timed([program, *arguments, "--quiet"])
        remove_outputs()
        ours.append(took)
        ratios.append(took[0] / base)
    # The first round only warms up.
    seconds, cpu, memory = (statistics.median(column) for column in zip(*ours[1:]))
    return seconds, cpu, memory, statistics.median(ratios[1:])


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program")
    parser.add_argument("--mib", type=float, default=512)
    parser.add_argument("--runs", type=int, default=5)
    parser.add_argument("--dir", help="keep the corpus here and use it again")
    parser.add_argument("--only", action="append", metavar="JOB", help="jobs whose name contains this")
    args = parser.parse_args()
    program = os.path.abspath(args.program)
    folder = os.path.abspath(args.dir) if args.dir else tempfile.mkdtemp(prefix="bench-")
    jobs = [job for job in JOBS if not args.only or any(word in job[0] for word in args.only)]
    try:
        # Another process makes it: peak memory starts from that of the process that starts the program.
        if not os.path.exists(os.path.join(folder, "ali.txt")):
            tiny = os.path.join(folder, "tiny")
            for place, mib in [(tiny, 0.1), (folder, args.mib)]:
                subprocess.run([sys.executable, os.path.join(HERE, "corpus.py"), place, str(mib)], check=True)
            os.rename(os.path.join(tiny, "feats.ark"), os.path.join(folder, "tiny.ark"))
        os.chdir(folder)
        remove_outputs()
        for name, how in NEEDED.items():
            if not os.path.exists(name) and any(name in job[2].split() for job in jobs):
                timed([program, *how.split(), "--quiet"])
        print("%d MiB of features; medians of %d runs\n" % (round(size("feats.ark") / 2**20), args.runs))
        print("| job | input, MiB | seconds | MiB/s | CPU seconds | peak MiB | times cp |")
        print("|---|---:|---:|---:|---:|---:|---:|")
        for name, arguments, inputs in jobs:
            inputs = inputs.split()
            mib = sum(map(size, inputs)) / 2**20
            seconds, cpu, memory, ratio = measure(program, arguments.split(), inputs, args.runs)
            print("| %s | %.1f | %.3f | %.0f | %.3f | %.0f | %.1f |"
                  % (name, mib, seconds, mib / seconds, cpu, memory, ratio), flush=True)
    finally:
        os.chdir("/")
        if not args.dir:
            shutil.rmtree(folder)


if __name__ == "__main__":
    main()
