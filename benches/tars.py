#!/usr/bin/env python3
"""A Kaldi data directory to WebDataset, and back to an archive, beside the package webdataset doing the same.

    python3 benches/tars.py target/release/spr-convert [--mib 256] [--runs 5] [--dir FOLDER]

The corpus has utterances of 4 s of 16-bit sound at 16 kHz, 80 features a frame and a transcript. The package
gets the features by NumPy and the sound as files, and gives what it decodes as an archive of features.
Prints seconds, the median of the runs, without the time that Python takes to load, and the peak memory of ours.
The goal is 3 times the package's speed both ways, in 64 MiB.
"""
import argparse
import os
import resource
import statistics
import subprocess
import sys
import tempfile
import time

GOAL, MEMORY = 3.0, 64
ROWS, COLS, SAMPLES, RATE = 400, 80, 64000, 16000

if sys.argv[1:2] == ["--job"]:
    import io
    import wave

    import numpy as np
    import webdataset


def corpus(folder, mib):
    each = ROWS * COLS * 4 + SAMPLES * 2
    count = max(1, (int(mib) << 20) // each)
    rs = np.random.RandomState(1)
    os.makedirs(folder + "/data/wav")
    with open(folder + "/data/feats.ark", "wb") as ark, open(folder + "/data/feats.scp", "w") as scp, \
            open(folder + "/data/wav.scp", "w") as waves, open(folder + "/data/text", "w") as text, \
            open(folder + "/data/utt2spk", "w") as speakers:
        for n in range(count):
            key = "utt-%06d" % n
            ark.write(key.encode() + b" ")
            scp.write("%s %s/data/feats.ark:%d\n" % (key, folder, ark.tell()))
            ark.write(b"\0BFM \4" + np.int32(ROWS).tobytes() + b"\4" + np.int32(COLS).tobytes())
            ark.write(rs.standard_normal((ROWS, COLS)).astype("<f4").tobytes())
            path = "%s/data/wav/%s.wav" % (folder, key)
            with wave.open(path, "wb") as f:
                f.setnchannels(1)
                f.setsampwidth(2)
                f.setframerate(RATE)
                f.writeframes(rs.randint(-3000, 3000, SAMPLES).astype("<i2").tobytes())
            waves.write("%s %s\n" % (key, path))
            text.write("%s words of %d\n" % (key, n))
            speakers.write("%s %s\n" % (key, key))
    with open(folder + "/data/spk2utt", "w") as f:
        f.writelines("utt-%06d utt-%06d\n" % (n, n) for n in range(count))


def write(folder):
    places = dict(line.split() for line in open(folder + "/data/feats.scp"))
    waves = dict(line.split() for line in open(folder + "/data/wav.scp"))
    text = dict(line.rstrip("\n").split(" ", 1) for line in open(folder + "/data/text"))
    with open(folder + "/data/feats.ark", "rb") as ark, webdataset.TarWriter(folder + "/theirs.tar") as out:
        for key, place in places.items():
            ark.seek(int(place.rsplit(":", 1)[1]) + 15)
            features = np.frombuffer(ark.read(ROWS * COLS * 4), "<f4").reshape(ROWS, COLS)
            with open(waves[key], "rb") as f:
                out.write({"__key__": key, "npy": features, "wav": f.read(), "txt": text[key]})


def read(folder):
    samples = webdataset.WebDataset(folder + "/theirs.tar", shardshuffle=False).decode()
    with open(folder + "/theirs.ark", "wb") as out:
        for sample in samples:
            assert sample["wav"] and sample["txt"]
            out.write(sample["__key__"].encode() + b" \0BFM \4" + np.int32(ROWS).tobytes() + b"\4" + np.int32(COLS).tobytes())
            out.write(sample["npy"].tobytes())


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
        plain = ["--overwrite", "--no-sync", "--quiet"]
        ours = {"write": [args.program, "convert", folder + "/data", folder + "/ours.tar", *plain],
                "read": [args.program, "convert", folder + "/theirs.tar", folder + "/ours.ark", "--allow-loss", "all", *plain]}
        print("| job | ours, s | webdataset, s | times as fast |\n|---|---:|---:|---:|")
        for name, command in ours.items():
            runs = [(measure(job + [name, folder]) - measure(job + ["nothing", folder]), measure(command))
                    for _ in range(args.runs + 1)]
            peer, own = (statistics.median(run[who] for run in runs[1:]) for who in (0, 1))
            good = "" if peer / own >= GOAL else " (goal missed)"
            print("| %s | %.3f | %.3f | %.1f%s |" % (name, own, peer, peer / own, good))
        peak = subprocess.run([sys.executable, __file__, "--peak", *ours["write"]], check=True, stdout=subprocess.PIPE)
        mib = int(peak.stdout) / 1024
        print("\npeak memory of ours, writing: %.0f MiB%s" % (mib, "" if mib <= MEMORY else " (goal missed)"))


def peak(*command):
    subprocess.run(command, check=True)
    print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss)


if __name__ == "__main__":
    if sys.argv[1:2] == ["--job"]:
        jobs = {"corpus": corpus, "write": write, "read": read, "nothing": lambda folder: None}
        jobs[sys.argv[2]](*sys.argv[3:])
    elif sys.argv[1:2] == ["--peak"]:
        peak(*sys.argv[2:])
    else:
        main()
