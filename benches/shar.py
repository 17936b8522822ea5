#!/usr/bin/env python3
"""Shar beside lhotse's own writer and reader doing the same: each in a process of its own, in turn.

    pip install --no-deps -r tests/interop/requirements-lhotse.txt; pip install numpy soundfile
    python3 benches/shar.py target/release/spr-convert [--minutes 60] [--runs 3] [--dir FOLDER]

A Kaldi data directory and lhotse's cuts name the same waves of ten seconds, at 16 kHz. Both write a Shar of
them, with sound as WAV and as FLAC; and both read all of it, down to the samples: ours to an archive that is thrown
away, lhotse's by `load_audio` of each cut. Prints seconds, the median of the runs without lhotse's imports, and the
peak of our memory. The goal is 3 times lhotse's speed, and 64 MB.
"""
import argparse
import os
import shutil
import statistics
import subprocess
import sys
import tempfile
import time

GOAL, MOST = 3, 64
SECONDS, RATE = 10, 16000
INTEROP = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "tests", "interop")


def corpus(folder, minutes):
    """Waves with pauses and a level that changes, as speech has."""
    import numpy as np
    import soundfile
    from lhotse import CutSet, Recording

    rng = np.random.default_rng(1)
    time = np.arange(SECONDS * RATE) / RATE
    os.mkdir("audio")
    names = ["utt-%05d" % n for n in range(int(minutes) * 60 // SECONDS)]
    for n, name in enumerate(names):
        level = np.clip(np.sin(time * 0.7 + n), 0, 1) ** 2
        voice = sum(np.sin(2 * np.pi * (110 + n % 50) * k * time) / k for k in range(1, 8))
        wave = 6000 * level * voice / 3 + rng.normal(0, 12, len(time))
        soundfile.write("audio/%s.wav" % name, wave.astype("<i2"), RATE, subtype="PCM_16")
    os.mkdir("data")
    tables = {"wav.scp": "%s audio/%s.wav\n", "text": "%s TEXT OF %s\n", "utt2spk": "%s %s\n", "spk2utt": "%s %s\n"}
    for table, line in tables.items():
        with open("data/" + table, "w") as f:
            f.writelines(line % (name, name) for name in names)
    cuts = [Recording.from_file("audio/%s.wav" % name).to_cut() for name in names]
    CutSet.from_cuts(cut.with_id(cut.recording_id) for cut in cuts).to_file("cuts.jsonl")


def write(folder, form):
    from lhotse import CutSet

    os.mkdir("theirs")
    CutSet.from_file("cuts.jsonl").to_shar("theirs", fields={"recording": form}, shard_size=1000)


def read(folder, form):
    from lhotse import CutSet

    for cut in CutSet.from_shar(in_dir="ours"):
        cut.load_audio()


def nothing(folder, form):
    import lhotse


def job(name, folder, argument):
    sys.path.insert(0, INTEROP)
    import without_torch

    without_torch.install()
    os.chdir(folder)
    {"corpus": corpus, "write": write, "read": read, "nothing": nothing}[name](folder, argument)


def measure(command, folder):
    """The seconds and the peak memory in MB of a process."""
    start = time.perf_counter()
    process = subprocess.Popen(command, cwd=folder, stdout=subprocess.DEVNULL)
    _, status, used = os.wait4(process.pid, 0)
    if status:
        sys.exit("failed: " + " ".join(command))
    return time.perf_counter() - start, used.ru_maxrss / 1024


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program", type=os.path.abspath)
    parser.add_argument("--minutes", type=int, default=60)
    parser.add_argument("--runs", type=int, default=3)
    parser.add_argument("--dir")
    args = parser.parse_args()
    with tempfile.TemporaryDirectory(dir=args.dir) as folder:
        theirs = [sys.executable, os.path.abspath(__file__), "--job"]
        subprocess.run(theirs + ["corpus", folder, str(args.minutes)], check=True)
        print("| job | ours, s | peak MB | lhotse, s | times as fast |\n|---|---:|---:|---:|---:|", flush=True)
        for form in ("wav", "flac"):
            commands = {"write": [args.program, "data", "shar:ours,sound=" + form, "--overwrite", "--no-sync", "--quiet"],
                        "read": [args.program, "ours", "ark:/dev/null", "--allow-loss", "all", "--quiet"]}
            for name, ours in commands.items():
                runs = []
                for _ in range(args.runs + 1):
                    shutil.rmtree(os.path.join(folder, "theirs"), ignore_errors=True)
                    own, peak = measure(ours, folder)
                    peer, _ = measure(theirs + [name, folder, form], folder)
                    imports, _ = measure(theirs + ["nothing", folder, form], folder)
                    runs.append((own, peak, peer - imports))
                own, peak, peer = (statistics.median(run[who] for run in runs[1:]) for who in range(3))
                good = "" if peer / own >= GOAL and peak <= MOST else " (goal missed)"
                print("| %s, %s | %.3f | %.0f | %.3f | %.1f%s |" % (name, form, own, peak, peer, peer / own, good), flush=True)


if __name__ == "__main__":
    if sys.argv[1:2] == ["--job"]:
        job(*sys.argv[2:])
    else:
        main()
