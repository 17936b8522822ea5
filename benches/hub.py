#!/usr/bin/env python3
"""Kaldi features and sound to Parquet, and back to an archive, beside the packages datasets and pyarrow doing the same.

    python3 benches/hub.py target/release/spr-convert [--mib 256] [--runs 5] [--dir FOLDER]

The corpus is that of `tars.py`: 4 s of 16-bit sound at 16 kHz, 80 features a frame and a transcript. datasets writes it
from a generator, pyarrow reads what datasets wrote, row group by row group, and makes an archive of the features.
Prints seconds, the median of the runs, without the time that Python takes to load, and the peak memory of ours.
The goals: writing twice as fast as datasets, reading 0.8 times as fast as pyarrow where both have one thread and as
fast where both have two, 150 MiB for row groups of 100 MB and 64 MiB for ours.
"""
import argparse
import os
import statistics
import subprocess
import sys
import tempfile

from tars import COLS, ROWS, corpus, measure, peak

if sys.argv[1:2] == ["--job"]:
    import datasets
    import numpy as np
    import pyarrow as pa
    import pyarrow.parquet as pq


def write(folder):
    places = dict(line.split() for line in open(folder + "/data/feats.scp"))
    waves = dict(line.split() for line in open(folder + "/data/wav.scp"))
    text = dict(line.rstrip("\n").split(" ", 1) for line in open(folder + "/data/text"))

    def rows():
        with open(folder + "/data/feats.ark", "rb") as ark:
            for key, place in places.items():
                ark.seek(int(place.rsplit(":", 1)[1]) + 15)
                features = np.frombuffer(ark.read(ROWS * COLS * 4), "<f4").reshape(ROWS, COLS)
                with open(waves[key], "rb") as f:
                    yield {"id": key, "features": features, "text": text[key],
                           "audio": {"bytes": f.read(), "path": key + ".wav"}}

    value = datasets.Value
    # Sound as what it is stored as: encoding it needs PyTorch.
    features = datasets.Features({"id": value("string"), "audio": {"bytes": value("binary"), "path": value("string")},
                                  "text": value("string"), "features": datasets.List(datasets.List(value("float32")))})
    datasets.disable_progress_bars()
    with tempfile.TemporaryDirectory(dir=folder) as cache:
        data = datasets.Dataset.from_generator(rows, features=features, cache_dir=cache)
        data.to_parquet(folder + "/theirs.parquet")


def large(folder):
    """What datasets wrote, in row groups of 100 MB."""
    table = pq.read_table(folder + "/theirs.parquet")
    rows = max(1, table.num_rows * (100 << 20) // table.nbytes)
    pq.write_table(table, folder + "/large.parquet", row_group_size=rows, compression={"audio.bytes": "none"})


def read(folder, threads):
    pa.set_cpu_count(int(threads))
    file = pq.ParquetFile(folder + "/theirs.parquet")
    with open(folder + "/theirs.ark", "wb") as out:
        for number in range(file.num_row_groups):
            group = file.read_row_group(number, use_threads=int(threads) > 1)
            keys = group["id"].to_pylist()
            assert len(group["audio"]) == len(group["text"]) == len(keys)
            for chunk in group["features"].chunks:
                values = chunk.flatten().flatten().to_numpy().reshape(-1, ROWS, COLS)
                for key, matrix in zip(keys, values, strict=True):
                    out.write(key.encode() + b" \0BFM \4" + np.int32(ROWS).tobytes() + b"\4" + np.int32(COLS).tobytes())
                    out.write(matrix.tobytes())


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
        plain = ["--overwrite", "--no-sync", "--quiet", "--allow-loss", "all"]
        back = ["convert", folder + "/theirs.parquet", folder + "/ours.ark", *plain]
        write_ours = [args.program, "convert", folder + "/data", folder + "/ours.parquet", *plain]
        jobs = [("write, beside datasets", ["write", folder], write_ours, 2.0),
                ("read, one thread each", ["read", folder, "1"], [args.program, *back, "-j", "1"], 0.8),
                ("read, two threads each", ["read", folder, "2"], [args.program, *back, "-j", "2"], 1.0)]
        print("| job | ours, s | theirs, s | times as fast |\n|---|---:|---:|---:|")


        def timed(command, output):
            """The time of a command that makes a new file. One in its place would be freed first, which takes as long
            as writing half of it."""
            if os.path.exists(output):
                os.remove(output)
            return measure(command)

        for name, peer, ours, goal in jobs:
            outputs = [folder + name + os.path.splitext(ours[3])[1] for name in ("/theirs", "/ours")]
            runs = [(timed(job + peer, outputs[0]) - measure(job + ["nothing"]), timed(ours, outputs[1]))
                    for _ in range(args.runs + 1)]
            theirs, own = (statistics.median(run[who] for run in runs[1:]) for who in (0, 1))
            missed = "" if theirs / own >= goal else " (goal missed)"
            print("| %s | %.3f | %.3f | %.1f%s |" % (name, own, theirs, theirs / own, missed), flush=True)
        subprocess.run(job + ["large", folder], check=True)
        print()
        of = lambda source: [args.program, "convert", folder + "/" + source, folder + "/ours.ark", *plain]
        for name, command, most in [("writing", write_ours, 64), ("reading row groups of ours", of("ours.parquet"), 64),
                                    ("reading row groups of 100 MB", of("large.parquet"), 150)]:
            used = subprocess.run([sys.executable, __file__, "--peak", *command], check=True, stdout=subprocess.PIPE)
            mib = int(used.stdout) / 1024
            print("peak memory of ours, %s: %.0f MiB%s" % (name, mib, "" if mib <= most else " (goal missed)"))


if __name__ == "__main__":
    if sys.argv[1:2] == ["--job"]:
        tasks = {"corpus": corpus, "write": write, "read": read, "large": large, "nothing": lambda: None}
        tasks[sys.argv[2]](*sys.argv[3:])
    elif sys.argv[1:2] == ["--peak"]:
        peak(*sys.argv[2:])
    else:
        main()
