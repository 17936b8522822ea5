"""Corpora of several files, some of them at fault: status 0 means that all was read."""
import json
import os
import shutil

from . import kaldi, lines, plain
from .formats import Holds
from .loss import fit
from .model import difference, expect

# Formats of which every cut is seen, their extensions, and the kinds that are drawn.
FORMATS = {"kaldi": ("ark", ("features", "labels", "vectors", "sound")), "pfile": ("pfile", ("features", "labelled")),
           "jsonl": ("jsonl", ("features", "labels", "labelled", "sound", "segments", "text")),
           "npy": ("npy", ("features",)), "wav": ("wav", ("sound",)), "htk": ("htk", ("features",)), "sphere": ("sph", ("sound",)),
           "key": ("key", ("features", "sound"))}
SINGLE = ("npy", "wav", "htk", "sphere", "key")
# Kaldi's lists of sound, and HTK's lists.
LISTED = {"wav": lambda key, path: key + b" " + path, "htk": lambda key, path: path}
GARBAGE = bytes((0x91, 0x07, 0xFE, 0x42)) * 9
FOREIGN = (b'[{"a": 1}]\n', b"#!/bin/sh\necho hello\n", b"<a>\n</a>\n")


class File:
    def __init__(self, path, data):
        self.path, self.data, self.fault = path, data, None


def draw_files(case, name):
    """Files of one kind whose utterances have different names."""
    extension, kinds = FORMATS[name]
    kind, files, seen = case.rng.choice(kinds), [], set()

    def fits(source, path):
        with open(path, "rb") as file:
            raw = file.read()
        # The end of a line of Kaldi's text may be a cut.
        told = name != "kaldi" or b"\0" in raw
        return path.endswith("." + extension) and told and not source.generated and not seen & {u.key for u in source.data}
    for _ in range(case.rng.randint(2, 5)):
        # What was drawn in vain is in the way of patterns.
        before = set(os.listdir("in"))
        _, source, path = plain.draw(case, kind, name, fits)
        seen |= {u.key for u in source.data}
        files.append(File(path, source.data))
        for left in set(os.listdir("in")) - before:
            left = os.path.join("in", left)
            if not left.startswith(path):
                (shutil.rmtree if os.path.isdir(left) else os.remove)(left)
    return files


def is_whole(name, raw, data):
    """Whether what is left of a file is a file of fewer utterances."""
    try:
        if name == "jsonl":
            for line in raw.splitlines():
                json.loads(line)
        elif name == "kaldi":
            kaldi.decode(raw, data)
        return name in ("jsonl", "kaldi")
    except Exception:  # whatever a reader says of what is cut
        return False


def damage(case, name, file, listed):
    """Damages a file; its data are what has to be read of it then, or None if it is at fault."""
    rng = case.rng
    with open(file.path, "rb") as source:
        raw = source.read()
    fault = rng.choice(("cut", "cut", "empty", "garbage", "foreign") + ("missing",) * (not listed))
    if fault == "missing":
        os.remove(file.path)
    else:
        left = {"cut": raw[:rng.randrange(1, len(raw))], "empty": b"", "garbage": GARBAGE, "foreign": rng.choice(FOREIGN)}[fault]
        with open(file.path, "wb") as out:
            out.write(left)
    file.fault = fault
    if fault == "empty" and name in ("kaldi", "jsonl"):
        file.fault, file.data = None, []
    elif fault == "cut" and is_whole(name, left, file.data):
        file.fault, file.data = None, file.data[:len(kaldi.decode(left, file.data)) if name == "kaldi" else len(left.splitlines())]


def run(case):
    rng = case.rng
    case.name = "x"
    name = rng.choice(sorted(FORMATS))
    files = draw_files(case, name)
    way = rng.choice(("args", "glob") + ("folder",) * (name in SINGLE) + ("list",) * (name in LISTED))
    for _ in range(rng.choice((0, 1, 1, 1, 2))):
        chosen = rng.choice(files)
        if chosen.fault is None and os.path.getsize(chosen.path) > 1:
            damage(case, name, chosen, way in ("glob", "folder"))
    verb, skip, quiet = rng.choice(("convert", "sort", "merge")), rng.random() < 0.75, rng.random() < 0.3
    inputs = {"args": [file.path for file in files], "glob": ["in/*." + FORMATS[name][0]], "folder": ["in"],
              "list": ["list.scp"]}[way]
    if way == "list":
        with open("list.scp", "wb") as out:
            out.writelines(LISTED[name](file.data[0].key, file.path.encode()) + b"\n" for file in files)
    args = [verb, *inputs, "-o", "out/o.jsonl", "--no-sync", "--allow-loss", "all", "--error-log", "log"]
    args += ["--on-error", "skip"] * skip + ["-q"] * quiet + ["-j", str(rng.choice((1, 2, 4)))]
    status, _, said = case.call(*args)
    if "may be a vector" in said:
        return
    judge(files, status, said, skip)


def judge(files, status, said, skip):
    faults = [file for file in files if file.fault]
    told = "%s: status %d: %s" % ([(file.path, file.fault) for file in faults], status, said)
    if faults and not skip:
        expect(status == 2 and not os.listdir("out"), "a fault, and it goes on: %s", told)
        return
    holds = Holds(**lines.JSONL)
    want = {u.key: u for file in files for u in fit(file.data, holds, None, False, False)[0]}
    needed = {u.key for file in files if not file.fault for u in file.data}
    if faults and status == 2:
        expect(not needed and not os.listdir("out"), "nothing is delivered: %s", told)
        return
    expect(status == (3 if faults else 0), "%s", told)
    with open("out/o.jsonl", "rb") as out:
        got = [lines.decode(line) for line in out]
    names = [u.key for u in got]
    expect(len(set(names)) == len(names), "a name twice: %s", told)
    expect(set(names) <= set(want) and needed <= set(names), "%r where %r has to be: %s", names, needed, told)
    wrong = difference([want[key] for key in names], got)
    expect(not wrong, "%s: %s", wrong, told)
    with open("log", encoding="utf-8") as log:
        log = log.read()
    for file in faults:
        expect(file.path in said, "%s is not named: %s", file.path, told)
        expect(file.path in log, "%s is not in the log: %s", file.path, log)
