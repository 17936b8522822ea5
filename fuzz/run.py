"""Runs fuzz targets one after the other and prints what came of each as a table in Markdown.

    python fuzz/run.py [--seconds 600] [--jobs 1] [TARGET...]

A target is a format that the program knows, or one that is peculiar. Needs `cargo install
cargo-fuzz`, a nightly Rust and a C++ compiler. The corpus of a target begins with the fixtures of its
format and grows in fuzz/corpus/TARGET.
"""

import argparse
import concurrent.futures
import hashlib
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
FIXTURES = HERE.parent / "fixtures"
LARGEST = 64 << 10

HOLDERS = 28
SPECIAL = {"kaldi_data": ["kaldi"], "kaldi_holders": ["kaldi"], "round_trip": None, "shar_folder": ["manifest"], "specifier": [], "spec": [], "header": ["spraak"]}

SPECIFIERS = [
    "ark:-", "scp:a.scp", "ark,t:a.txt", "ark,scp:a.ark,a.scp", "scp,ark,t,f:a.scp,a.ark",
    "ark,s,cs,o,p,bg:gunzip -c a.gz |", "ark:| gzip -c > a.gz", "a.ark:1234[0:9,0:3]", "ark,np,no,nf:a",
]
SPECS = [
    "a.pfile,context=5", "a.pfile,context=5:1,ignore-label=0:3-9,map-label=1:0/4-6:2", "a.pkl,type=pickle",
    "a.pfile,lcxt=3,rcxt=2,partition=600m,stream=True,random=True,label=b.ali", "5:1", "0:3-9", "1:0/4-6:2",
    "600m", "pickle:a.pkl,protocol=4", "kaldi:a*.ark", "out/{part}.pfile", "ark,t:-", "spr:a,byteorder=big",
]


def crates():
    """The formats that the program knows, each with the folder of its crate, which is that of its
    fixtures, too: `tests/pairs.txt` says what is in a crate. And their extensions."""
    program = ["cargo", "run", "--quiet", "--", "formats", "--json"]
    listed = subprocess.run(program, cwd=HERE.parent, stdout=subprocess.PIPE, check=True).stdout
    known = {}
    for file in sorted(HERE.parent.glob("formats/*/tests/pairs.txt")):
        for name in re.findall(r"^\[(?:.* )?(\S+) \S+\]$", file.read_text(), re.MULTILINE):
            known[name] = file.parents[1].name
    extensions = {entry["name"]: entry["extensions"] for entry in json.loads(listed)}
    formats = list(extensions)
    lost = [name for name in formats if name not in known]
    if lost:
        sys.exit(f"no formats/*/tests/pairs.txt has a section of {', '.join(lost)}")
    bare = {known[name] for name in formats if not (FIXTURES / known[name]).is_dir()}
    if bare:
        sys.exit(f"no fixtures for {', '.join(sorted(bare))}")
    return {name: known[name] for name in formats}, extensions


def tables(directory):
    """A data directory as its target takes it."""
    files = [path for path in sorted(directory.iterdir()) if path.is_file()]
    return b"".join(b"=%s\n%s" % (path.name.encode(), path.read_bytes()) for path in files)


def elsewhere(target, formats, extensions):
    """Fixtures with extensions of a format in folders that are no crate's, such as sound of real encoders."""
    wanted = sum(extensions.values(), []) if target == "round_trip" else extensions.get(target, [])
    for path in sorted(FIXTURES.rglob("*")):
        if path.relative_to(FIXTURES).parts[0] not in formats.values() and path.suffix[1:] in wanted:
            yield path


def seeds(target, formats, extensions):
    """What a corpus begins with."""
    if target == "kaldi_data":
        return [tables(case) for case in sorted((FIXTURES / "kaldi").glob("data-directory*/input"))]
    if target == "shar_folder":
        return [tables(case) for case in sorted((FIXTURES / "manifest").glob("**/input.shar"))]
    if target == "specifier":
        return [text.encode() for text in SPECIFIERS]
    if target == "spec":
        return [text.encode() for text in SPECS]
    folders = [formats[target]] if target in formats else SPECIAL[target] or sorted(set(formats.values()))
    paths = [path for folder in folders for path in sorted((FIXTURES / folder).rglob("*"))]
    paths += elsewhere(target, formats, extensions)
    found = []
    for path in paths:
        if path.is_file() and path.name not in ("error.txt", "expect.jsonl", "cases.txt"):
            if 0 < path.stat().st_size <= LARGEST:
                found.append(path.read_bytes())
    if target == "jsonl":
        found += [path.read_bytes() for path in FIXTURES.rglob("expect.jsonl") if path.stat().st_size <= LARGEST]
    if target == "kaldi_holders":
        return [bytes([n % HOLDERS]) + seed for n, seed in enumerate(found * 3)]
    if target == "round_trip":
        return [bytes([n % len(formats)]) + seed for n, seed in enumerate(found)]
    return found


def run(target, formats, extensions, seconds):
    """Runs one target; its row of the table, and whether it found nothing."""
    corpus = HERE / "corpus" / target
    corpus.mkdir(parents=True, exist_ok=True)
    for seed in seeds(target, formats, extensions):
        (corpus / hashlib.sha1(seed).hexdigest()).write_bytes(seed)
    artifacts = HERE / "artifacts" / target
    artifacts.mkdir(parents=True, exist_ok=True)
    binary = next(HERE.glob(f"target/*/release/{'format' if target in formats else target}"))
    # Libdeflate comes with tables that the sanitizer takes for two definitions of one.
    sanitizer = ":".join(filter(None, [os.environ.get("ASAN_OPTIONS"), "detect_odr_violation=0"]))
    environment = os.environ | {"SPR_FUZZ_FORMAT": target, "ASAN_OPTIONS": sanitizer}
    with tempfile.TemporaryDirectory() as empty:
        done = subprocess.run(
            [binary, corpus, f"-artifact_prefix={artifacts}/", f"-max_total_time={seconds}", f"-max_len={LARGEST}",
             "-timeout=25", "-rss_limit_mb=1024", "-malloc_limit_mb=200", "-detect_leaks=0",
             "-print_final_stats=1", "-close_fd_mask=1"],
            cwd=empty, env=environment, stderr=subprocess.PIPE, text=True, errors="replace", check=False)
    (HERE / "artifacts" / f"{target}.log").write_text(done.stderr)
    executions = re.search(r"number_of_executed_units:\s*(\d+)", done.stderr)
    covered = re.findall(r"cov: (\d+)", done.stderr)
    finding = re.findall(r"Test unit written to (\S+)", done.stderr)
    result = finding[0].rsplit("/", 1)[-1] if finding else "nothing" if done.returncode == 0 else "did not run"
    if result == "did not run" or not executions:
        print("\n".join(done.stderr.splitlines()[-20:]), file=sys.stderr, flush=True)
    print(f"| {target} | {int(executions[1]) if executions else 0:,} | {covered[-1] if covered else 0} | {result} |",
          flush=True)
    return done.returncode == 0 and executions is not None


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--seconds", type=int, default=600)
    parser.add_argument("--jobs", type=int, default=1, help="targets to run at a time")
    parser.add_argument("targets", nargs="*", metavar="TARGET",
                        help=f"the name of a format, or one of {', '.join(SPECIAL)}")
    given = parser.parse_args()
    formats, extensions = crates()
    targets = [*formats, *SPECIAL]
    unknown = set(given.targets) - set(targets)
    if unknown:
        parser.error(f"no such target: {', '.join(sorted(unknown))}; there are {', '.join(targets)}")
    subprocess.run(["cargo", "+nightly", "fuzz", "build"], cwd=HERE, check=True)
    print("| target | executions | code points reached | found |\n|---|---:|---:|---|", flush=True)
    with concurrent.futures.ThreadPoolExecutor(given.jobs) as pool:
        clean = list(pool.map(lambda target: run(target, formats, extensions, given.seconds), given.targets or targets))
    sys.exit(not all(clean))


if __name__ == "__main__":
    main()
