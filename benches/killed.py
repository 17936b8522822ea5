#!/usr/bin/env python3
"""Kills conversions of a large archive at random moments and looks at what is left.

    python benches/killed.py target/release/spr-convert --mib 300

Every file with a final name must be whole: the same bytes as those of a run that was left alone.
"""

import argparse
import hashlib
import pathlib
import random
import signal
import struct
import subprocess
import tempfile
import time

OUTPUTS = ["ark,scp:x.ark,x.scp", "x.pfile", "x.pkl", "x.ark.gz", "x.jsonl", "spr:x/", "key:x/"]


def corpus(path, mib):
    """An archive of float matrices, 1000 x 40 each."""
    rows, cols = 1000, 40
    values = struct.pack(f"<{rows}f", *(i / 8 for i in range(rows))) * cols
    head = b" \0BFM \4" + struct.pack("<i", rows) + b"\4" + struct.pack("<i", cols)
    with open(path, "wb") as out:
        for n in range(mib * (1 << 20) // len(values)):
            out.write(b"utt-%06d" % n + head + values)


def contents(folder):
    """Digests of all files with final names, by path."""
    found = {}
    for path in sorted(folder.rglob("*")):
        parts = path.relative_to(folder).parts
        if path.is_file() and not any(part.startswith(".") for part in parts):
            with open(path, "rb") as file:
                found["/".join(parts)] = hashlib.file_digest(file, "blake2b").digest()
    return found


def clear(folder):
    subprocess.run(["rm", "-rf", folder], check=True)
    folder.mkdir()


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("program", type=pathlib.Path)
    parser.add_argument("--mib", type=int, default=300)
    parser.add_argument("--times", type=int, default=20)
    parser.add_argument("--only", default="", metavar="WORD", help="outputs that contain WORD")
    parser.add_argument("--dir")
    options = parser.parse_args()
    program = str(options.program.resolve())
    with tempfile.TemporaryDirectory(dir=options.dir) as scratch:
        scratch = pathlib.Path(scratch)
        corpus(scratch / "in.ark", options.mib)
        folder = scratch / "out"
        for output in (output for output in OUTPUTS if options.only in output):
            line = [program, "../in.ark", output, "-q"]
            clear(folder)
            started = time.monotonic()
            subprocess.run(line, cwd=folder, check=True)
            took = time.monotonic() - started
            whole = contents(folder)
            absent = partial = 0
            for _ in range(options.times):
                clear(folder)
                child = subprocess.Popen(line, cwd=folder)
                time.sleep(random.uniform(0, took * 1.1))
                child.send_signal(signal.SIGKILL)
                child.wait()
                left = contents(folder)
                wrong = [name for name, digest in left.items() if whole.get(name) != digest]
                assert not wrong, f"{output}: {wrong} are not whole"
                absent += not left
                partial += 0 < len(left) < len(whole)
            print(f"{output}: {took:.1f} s, {options.times} kills: {absent} absent, {partial} in part,"
                  f" {options.times - absent - partial} whole", flush=True)


main()
