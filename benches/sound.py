#!/usr/bin/env python3
"""Times FLAC against soundfile, which is libFLAC by way of libsndfile, in the same rounds.

    pip install numpy soundfile
    python benches/sound.py target/release/spr-convert [--minutes 30] [--runs 5]

A folder of waves of a minute each, 16 bits, one channel, 16 kHz, is encoded, and decoded again, by
both; the median of the rounds is printed, without the first, which warms the page cache. What is
decoded must be what was encoded.
"""
import argparse
import os
import pathlib
import shutil
import statistics
import subprocess
import tempfile
import time

import numpy as np
import soundfile

RATE = 16000


def corpus(folder, minutes):
    """Waves with pauses and a level that changes, as speech has."""
    folder.mkdir()
    rng = np.random.default_rng(1)
    time = np.arange(60 * RATE) / RATE
    for n in range(minutes):
        level = np.clip(np.sin(time * 0.7 + n), 0, 1) ** 2
        voice = sum(np.sin(2 * np.pi * (110 + n) * k * time) / k for k in range(1, 12))
        wave = 6000 * level * voice / 3 + rng.normal(0, 12, len(time))
        soundfile.write(folder / ("%03d.wav" % n), wave.astype("<i2"), RATE, subtype="PCM_16")


def ours(program, source, target, format):
    command = [program, str(source) + "/", str(target) + "/", "--to", format, "--no-sync", "--quiet"]
    subprocess.run(command, check=True)


def theirs(_, source, target, format):
    target.mkdir()
    for path in sorted(source.iterdir()):
        samples, rate = soundfile.read(path, dtype="int16")
        soundfile.write(target / (path.stem + "." + format), samples, rate, subtype="PCM_16")


def timed(run, program, source, target, format):
    shutil.rmtree(target, ignore_errors=True)
    start = time.perf_counter()
    run(program, source, target, format)
    return time.perf_counter() - start


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program", type=os.path.abspath)
    parser.add_argument("--minutes", type=int, default=30)
    parser.add_argument("--runs", type=int, default=5)
    args = parser.parse_args()
    root = pathlib.Path(tempfile.mkdtemp(prefix="sound-"))
    try:
        corpus(root / "wav", args.minutes)
        times = {}
        for _ in range(args.runs + 1):
            for name, run in ("spr-convert", ours), ("soundfile", theirs):
                jobs = [("encode", "wav", "flac"), ("decode", name + ".flac", "wav")]
                for job, source, format in jobs:
                    target = root / (name + "." + format)
                    took = timed(run, args.program, root / source, target, format)
                    times.setdefault((job, name), []).append(took)
        for path in sorted((root / "wav").iterdir()):
            wanted = soundfile.read(path, dtype="int16")[0]
            for name in "spr-convert.flac", "spr-convert.wav", "soundfile.flac":
                file = root / name / (path.stem + path.suffix if name.endswith("wav") else path.stem + ".flac")
                assert np.array_equal(soundfile.read(file, dtype="int16")[0], wanted), file
        size = {name: sum(p.stat().st_size for p in (root / (name + ".flac")).iterdir())
                for name in ("spr-convert", "soundfile")}
        print("| job | spr-convert, s | soundfile, s | ratio |\n|---|---:|---:|---:|")
        for job in "encode", "decode":
            a, b = (statistics.median(times[job, name][1:]) for name in ("spr-convert", "soundfile"))
            print("| %s %d minutes | %.2f | %.2f | %.2f |" % (job, args.minutes, a, b, a / b))
        print("size, of soundfile's: %.3f" % (size["spr-convert"] / size["soundfile"]))
    finally:
        shutil.rmtree(root)


if __name__ == "__main__":
    main()
