#!/usr/bin/env python3
"""Times FLAC and resampling against the programs that do them, in the same rounds.

    pip install numpy soundfile; apt-get install flac sox
    python benches/sound.py target/release/spr-convert [--minutes 10] [--runs 9] [--quality]

Single files: 16 kHz mono, and 44.1 kHz stereo of a fifth of the time, are encoded (`flac -5`), decoded (`flac -d`), and
resampled to 8 and 16 kHz (`sox -D … rate`). A folder of waves of a minute each is encoded and decoded by soundfile,
which is libFLAC by way of libsndfile. Medians of the rounds are printed, without the first, which warms the page cache.
What is decoded must be what was encoded. `--quality` measures pass band, distortion and stop band of resampling.
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
#: Tones in Hz that a change from 16 to 8 kHz keeps, and that it removes.
KEPT = 100, 1000, 2500, 3500, 3700, 3800, 3900, 3950
REMOVED = 4010, 4050, 4100, 4200, 4500, 5000, 6000, 7900


def voice(rate, seconds, seed):
    """Syllables: tones under four formants, hisses and pauses, over some noise."""
    rng = np.random.default_rng(seed)
    wave = rng.normal(0, 12, rate * seconds)
    start = 0
    while start < len(wave):
        n = min(int(rate * rng.uniform(0.08, 0.35)), len(wave) - start)
        kind, at = rng.random(), np.arange(n) / rate
        part = np.zeros(n)
        if kind < 0.2:
            part = np.diff(rng.normal(0, rng.uniform(100, 900), n), prepend=0)
        elif kind < 0.8:
            pitch = rng.uniform(90, 220)
            phase = 2 * np.pi * np.cumsum(pitch * (1 + 0.1 * np.sin(19 * at))) / rate
            formants = [rng.uniform(*band) for band in ((300, 800), (900, 2200), (2300, 3000), (3200, 3900))]
            for k in range(1, int(min(7500, 0.45 * rate) / 242)):
                gain = sum(1 / (1 + ((pitch * k - f) / 80) ** 2) for f in formants) / (1 + pitch * k / 1500)
                part += gain * np.sin(k * phase + rng.uniform(0, 6))
            part *= rng.uniform(1000, 6000)
        wave[start:start + n] += part * np.sqrt(np.sin(np.pi * np.arange(n) / n))
        start += n
    return wave


def save(path, wave, rate):
    samples = np.clip(np.rint(wave), -32768, 32767).astype("<i2")
    soundfile.write(path, samples, rate, subtype="PCM_16")


def inputs(minutes):
    save("mono.wav", voice(RATE, 60 * minutes, 3), RATE)
    one, other = (voice(44100, 12 * minutes, seed) for seed in (5, 6))
    noise = np.random.default_rng(7).normal(0, 15, len(one))
    save("stereo.wav", np.stack([one + 0.3 * other, 0.7 * one + 0.5 * other + noise], 1), 44100)
    os.mkdir("wav")
    for n in range(minutes):
        save("wav/%03d.wav" % n, voice(RATE, 60, 10 + n), RATE)


def jobs(program):
    """Names of jobs with our command, the other, and what both write."""
    def ours(*words):
        return [program, *words, "--no-sync", "--quiet"]
    for name in "mono", "stereo":
        wav, flac, back = name + ".wav", name + ".ours.flac", name + ".ours.wav"
        yield name + ", WAV to FLAC", ours(wav, flac), ["flac", "-5", "-s", "-f", "-o", name + ".flac", wav]
        yield name + ", FLAC to WAV", ours(name + ".flac", back), ["flac", "-d", "-s", "-f", "-o", name + ".back.wav", name + ".flac"]
    for name, rate in ("mono", "8000"), ("stereo", "16000"):
        wav, small = name + ".wav", name + ".small.wav"
        yield (name + ", to %s Hz" % rate, ours(wav, "ours." + small, "--rate", rate),
               ["sox", "-D", wav, small, "rate", rate])
    yield "folder, WAV to FLAC", ours("wav/", "flac/", "--to", "flac"), ["wav", "soundfile.flac", "flac"]
    yield "folder, FLAC to WAV", ours("soundfile.flac/", "back/", "--to", "wav"), ["soundfile.flac", "soundfile.wav", "wav"]


def run(command):
    if command[0] != "wav" and command[0] != "soundfile.flac":
        return subprocess.run(command, check=True)
    source, target, extension = command
    os.mkdir(target)
    for path in sorted(pathlib.Path(source).iterdir()):
        samples, rate = soundfile.read(path, dtype="int16")
        soundfile.write("%s/%s.%s" % (target, path.stem, extension), samples, rate, subtype="PCM_16")


def timed(command, outputs):
    for name in outputs:
        shutil.rmtree(name, ignore_errors=True) if os.path.isdir(name) else pathlib.Path(name).unlink(missing_ok=True)
    start = time.perf_counter()
    run(command)
    return time.perf_counter() - start


def same(one, other):
    assert np.array_equal(soundfile.read(one, dtype="int16")[0], soundfile.read(other, dtype="int16")[0]), (one, other)


def size(path):
    path = pathlib.Path(path)
    return sum(p.stat().st_size for p in path.iterdir()) if path.is_dir() else path.stat().st_size


def speed(program, minutes, runs):
    inputs(minutes)
    all_jobs = list(jobs(program))
    times = {name: ([], []) for name, _, _ in all_jobs}
    for _ in range(runs + 1):
        for name, ours, theirs in all_jobs:
            target = {"folder, WAV to FLAC": "soundfile.flac", "folder, FLAC to WAV": "soundfile.wav"}
            times[name][1].append(timed(theirs, [target[name]] if name in target else []))
            times[name][0].append(timed(ours, [ours[2]]))
    print("| job | spr-convert, s | other, s | ratio |\n|---|---:|---:|---:|")
    for name, _, theirs in all_jobs:
        a, b = (statistics.median(column[1:]) for column in times[name])
        ratio = statistics.median(x / y for x, y in zip(times[name][0][1:], times[name][1][1:]))
        who = theirs[0] if theirs[0] in ("flac", "sox") else "soundfile"
        print("| %s | %.3f | %s %.3f | %.2f |" % (name, a, who, b, ratio))
    for name in "mono", "stereo":
        same(name + ".ours.flac", name + ".wav")
        same(name + ".ours.wav", name + ".wav")
        subprocess.run(["flac", "-t", "-s", name + ".ours.flac"], check=True)
        print("size of %s, of that of flac -5: %.4f" % (name, size(name + ".ours.flac") / size(name + ".flac")))
    for path in pathlib.Path("wav").iterdir():
        same("flac/%s.flac" % path.stem, path)
        same("back/" + path.name, path)
    print("size of the folder, of that of soundfile: %.4f" % (size("flac") / size("soundfile.flac")))


def left(wave, tone, rate):
    """The level in dB of a tone in the middle of a wave, and of all else."""
    middle = wave[len(wave) // 4:3 * len(wave) // 4]
    at = 2 * np.pi * tone * np.arange(len(middle)) / rate
    basis = np.stack([np.cos(at), np.sin(at)], 1)
    found = np.linalg.lstsq(basis, middle, rcond=None)[0]
    rest = middle - basis @ found
    decibels = [10 * np.log10(power / 0.125 + 1e-30) for power in ((found ** 2).sum() / 2, (rest ** 2).mean())]
    return decibels if tone < rate / 2 else (None, 10 * np.log10((middle ** 2).mean() / 0.125 + 1e-30))


def quality(program):
    """Single tones at half the full scale from 16 to 8 kHz, in floats of 64 bits."""
    print("\n| tone, Hz | sox: gain, rest in dB | spr-convert |\n|---:|---:|---:|")
    time = np.arange(8 * RATE) / RATE
    for tone in KEPT + REMOVED:
        soundfile.write("tone.wav", 0.5 * np.sin(2 * np.pi * tone * time), RATE, subtype="DOUBLE")
        subprocess.run(["sox", "-D", "tone.wav", "-e", "floating-point", "-b", "64", "sox.wav", "rate", "8000"],
                       check=True, stderr=subprocess.DEVNULL)
        subprocess.run([program, "tone.wav", "ours.wav", "--rate", "8000", "--quiet", "--overwrite"], check=True)
        cells = []
        for name in "sox.wav", "ours.wav":
            gain, rest = left(soundfile.read(name)[0], tone, 8000)
            cells.append("%.1f" % rest if gain is None else "%.3f, %.1f" % (gain, rest))
        print("| %d | %s | %s |" % (tone, *cells))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program", type=os.path.abspath)
    parser.add_argument("--minutes", type=int, default=10)
    parser.add_argument("--runs", type=int, default=9)
    parser.add_argument("--quality", action="store_true", help="measure resampling, too")
    args = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="sound-") as root:
        os.chdir(root)
        try:
            speed(args.program, args.minutes, args.runs)
            if args.quality:
                quality(args.program)
        finally:
            os.chdir("/")


if __name__ == "__main__":
    main()
