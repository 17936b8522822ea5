#!/usr/bin/env python3
"""Times conversions against cp of the same input files, and against other programs that do them.

    python run.py PATH_TO_SPR_CONVERT [--mib 512] [--runs 5] [--dir FOLDER] [--only JOB ...] [--peers]

Needs NumPy, to make the corpus. Prints a table in Markdown.
"""
import argparse
import bz2
import gzip
import importlib.util
import os
import shutil
import statistics
import subprocess
import sys
import tempfile
import time

from jobs import COMMANDS, JOBS, MADE

HERE = os.path.dirname(os.path.abspath(__file__))


def timed(command):
    """Seconds, CPU seconds and peak memory in MiB."""
    begin = time.perf_counter()
    child = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, shell=isinstance(command, str))
    said = child.stderr.read()
    _, status, used = os.wait4(child.pid, 0)
    took = time.perf_counter() - begin
    child.returncode = os.waitstatus_to_exitcode(status)
    if child.returncode:
        raise RuntimeError("%s: %s" % (command, said.decode(errors="replace").strip()))
    return took, used.ru_utime + used.ru_stime, used.ru_maxrss / 1024


def remove_outputs():
    for name in os.listdir("."):
        if name.startswith("out"):
            shutil.rmtree(name) if os.path.isdir(name) else os.remove(name)


def size(path):
    if os.path.isdir(path):
        return sum(size(os.path.join(path, name)) for name in os.listdir(path))
    return os.path.getsize(path)


def peer(job, name):
    """The command of another program, if it is there."""
    if name in ("numpy", "kaldi_native_io"):
        there = importlib.util.find_spec(name)
        return there and [sys.executable, os.path.join(HERE, "peers.py"), job.name, name]
    line = COMMANDS[job.name, name].format(i=job.inputs.split()[0], o="out.peer")
    folder = os.environ.get("KALDI_BIN", "")
    line = os.path.join(folder, line) if name == "kaldi" else line
    return line if shutil.which(line.split()[0]) else None


def rivals(job, program, peers):
    """Everything that takes its turn in a round: what it is called, and its command."""
    arguments = [program, *job.arguments.split(), "--quiet"]
    if job.arguments.startswith(("info", "check")):
        return [("ours", arguments)]
    found = [("ours", [*arguments, "--no-sync"]), ("default", arguments)]
    if peers:
        others = [(name, peer(job, name)) for name in job.peers.split()]
        found += [(name, command) for name, command in others if command]
    return found


def measure(job, program, peers, runs):
    """All take turns, so that ratios are between neighbours in time; medians of what they took."""
    inputs = job.inputs.split()
    turns = [("cp", ["cp", "-r", *inputs, "out-copy"])]
    turns += [("cp, sync", "cp -r %s out-copy && find out-copy -type f -exec sync {} +" % job.inputs)]
    turns += rivals(job, program, peers)
    rounds = []
    for _ in range(runs + 1):
        taken = {}
        for name, command in turns:
            if name.startswith("cp"):
                os.mkdir("out-copy")
            taken[name] = timed(command)
            remove_outputs()
        rounds.append(taken)
    # The first round only warms up.
    rounds = rounds[1:]
    figures = {}
    for name, _ in turns:
        base = "cp, sync" if name == "default" else "cp"
        ratio = statistics.median(taken[name][0] / taken[base][0] for taken in rounds)
        columns = (statistics.median(column) for column in zip(*(taken[name] for taken in rounds)))
        figures[name] = (ratio, *columns)
    return figures


def corpus(folder, mib):
    """Makes what is not there yet, in another process: peak memory starts from that of the parent."""
    if not os.path.exists(os.path.join(folder, "python2.pkl")):
        tiny = os.path.join(folder, "tiny")
        for place, much in [(tiny, 0.1), (folder, mib)]:
            subprocess.run([sys.executable, os.path.join(HERE, "corpus.py"), place, str(much)], check=True)
        os.rename(os.path.join(tiny, "feats.ark"), os.path.join(folder, "tiny.ark"))


def make_inputs(program, jobs):
    wanted = {name for job in jobs for name in job.inputs.split()}
    for name, how in MADE.items():
        if name in wanted and not os.path.exists(name):
            timed([program, *how.split(), "--quiet"])
    if "many.ark" in wanted and not os.path.exists("many.ark"):
        call = "import corpus; corpus.many('many.ark', 3_000_000)"
        subprocess.run([sys.executable, "-c", call], check=True, env={**os.environ, "PYTHONPATH": HERE})
    for name, pack in [("in.ark.gz", gzip.open), ("in.ark.bz2", bz2.open)]:
        if name in wanted and not os.path.exists(name):
            with open("small.ark", "rb") as plain, pack(name, "wb", compresslevel=6 if pack is gzip.open else 9) as out:
                shutil.copyfileobj(plain, out)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program")
    parser.add_argument("--mib", type=float, default=512)
    parser.add_argument("--runs", type=int, default=5)
    parser.add_argument("--dir", help="keep the corpus here and use it again")
    parser.add_argument("--only", action="append", metavar="JOB", help="jobs whose name contains this")
    parser.add_argument("--peers", action="store_true", help="time other programs, too")
    args = parser.parse_args()
    program = os.path.abspath(args.program)
    folder = os.path.abspath(args.dir) if args.dir else tempfile.mkdtemp(prefix="bench-")
    jobs = [job for job in JOBS if not args.only or any(word in job.name for word in args.only)]
    try:
        corpus(folder, args.mib)
        os.chdir(folder)
        remove_outputs()
        make_inputs(program, jobs)
        print("%d MiB of features; medians of %d rounds\n" % (round(size("feats.ark") / 2**20), args.runs))
        print("| job | input, MiB | cp, s | ours | goal | CPU | peak MiB | default | others |")
        print("|---|---:|---:|---:|---:|---:|---:|---:|---|")
        for job in jobs:
            figures = measure(job, program, args.peers, args.runs)
            ratio, _, cpu, memory = figures["ours"]
            cp = figures["cp"][1]
            default = "%.2f" % figures["default"][0] if "default" in figures else ""
            others = [(name, figure) for name, figure in figures.items() if name not in ("cp", "cp, sync", "ours", "default")]
            told = ", ".join("%s %.1f (%.0f MiB)" % (name, f[0], f[3]) for name, f in others)
            print("| %s | %.1f | %.3f | **%.2f** | %s | %.2f | %.0f | %s | %s |"
                  % (job.name, sum(map(size, job.inputs.split())) / 2**20, cp, ratio, job.goal or "", cpu / cp, memory,
                     default, told), flush=True)
    finally:
        os.chdir("/")
        if not args.dir:
            shutil.rmtree(folder)


if __name__ == "__main__":
    main()
