"""Shards of one job, of which something changes: `--resume`, the status and the merge tell."""
import json
import os

import numpy as np

from . import lines
from .formats import Holds
from .loss import fit, is_word
from .model import difference, expect


class Job:
    """A job: what it reads, what goes with it, and what has to come of it."""

    def __init__(self, case):
        self.case, rng = case, case.rng
        case.name = "x"
        self.draw()
        self.of, self.options = rng.randint(1, 4), []
        self.beside, self.flag = None, []
        plain = all(is_word(u.key) for u in self.data)
        able = ["nothing", "nothing"] + ["text", "names"] * plain
        able += ["labels"] * (self.kind == "features" and all(u.features.ndim == 2 for u in self.data))
        self.companion = rng.choice(able)
        self.write_companion()

    def draw(self):
        while True:
            self.kind, self.source = self.case.draw_source(self.case.rng.choice(("features", "labels", "sound")))
            self.data = self.source.data
            piped = self.source.stdin is not None or "|" in self.source.argument
            if not piped and len(self.data) > 1 and len({u.key for u in self.data}) == len(self.data):
                if not fit(self.data, Holds(**lines.JSONL), None, False, self.source.generated)[1].hard:
                    return

    def write_companion(self):
        """Writes what goes with the data, another one each time; sets what has to come of it."""
        rng, data = self.case.rng, self.data
        mark = "%d" % rng.randint(0, 10 ** 9)
        path = os.path.join("in", "companion")
        if self.companion == "labels":
            self.beside, self.expected = path + ".jsonl", [u.with_(labels=labels(rng, u)) for u in data]
            raw = b"".join(lines.encode(u.with_(features=None, shift=None), rng) for u in self.expected)
            flag = ["--labels", self.beside]
        elif self.companion == "text":
            self.beside, self.expected = path, [u.with_(text=mark.encode()) for u in data]
            raw = b"".join(u.key + b" " + u.text + b"\n" for u in self.expected)
            # The first name may begin as JSON or a script does.
            flag = ["--text", "ark:" + path]
        elif self.companion == "names":
            self.beside, self.expected = path, [u.with_(key=mark.encode() + u.key) for u in data]
            raw = b"".join(u.key + b" " + v.key + b"\n" for u, v in zip(data, self.expected))
            flag = ["--map-keys", path]
        else:
            self.expected = data
            return
        with open(self.beside, "wb") as out:
            out.write(raw)
        self.flag = flag

    def run(self, number, *more):
        args = [self.source.argument, "-o", "out/y.{shard}.jsonl", *self.source.options, *self.flag, *self.options]
        args = ["convert", *args, "--shard", "%d/%d" % (number, self.of), "--no-sync", "--allow-loss", "all", *more]
        return self.case.call(*args)

    def run_all(self, *more):
        for number in range(1, self.of + 1):
            status, _, said = self.run(number, *more)
            expect(status == 0, "shard %d: status %d: %s", number, status, said)

    def read(self, number):
        """Returns `True` if a shard has entries of its own."""
        with open("out/y.%05d-of-%05d.jsonl.shard.json" % (number, self.of), encoding="utf-8") as record:
            first, end = json.load(record)["entries"]
        return end > first

    def merge(self):
        return self.case.call("shards", "merge", "out/y.{shard}.jsonl", "-o", "out/all.jsonl", "--no-sync")

    def check_merged(self):
        status, _, said = self.merge()
        expect(status == 0, "merge: status %d: %s", status, said)
        want = fit(self.expected, Holds(**lines.JSONL), None, False, self.source.generated)[0]
        want = [u.with_(key=prefix(self.options) + u.key) for u in want]
        with open("out/all.jsonl", "rb") as out:
            got = [lines.decode(line) for line in out]
        wrong = difference(want, got)
        expect(not wrong, "merged: %s", wrong)

    def change(self):
        """Changes something that the job reads or does."""
        rng = self.case.rng
        # What is joined goes by the new names, where there are such.
        what = rng.choice(("time", "companion", "companion", "companion") if self.beside else ("time", "option"))
        if what == "option":
            self.options = ["--prefix", "p-"]
        elif what == "companion":
            self.write_companion()
            later(self.beside)
        else:
            later("in")
        return what


def labels(rng, u):
    return np.array([rng.randint(1, 10 ** 6) for _ in range(u.frames())], "i4")


def prefix(options):
    return b"p-" if options else b""


def later(place):
    """Makes files younger: a change within a nanosecond could not be seen."""
    files = [os.path.join(folder, name) for folder, _, names in os.walk(os.fsencode(place)) for name in names]
    for file in files or [place]:
        time = os.stat(file).st_mtime_ns
        os.utime(file, ns=(time, time + 5 * 10 ** 9))


def run(case):
    rng = case.rng
    job = Job(case)
    job.run_all()
    for number in range(1, job.of + 1):
        status, _, said = job.run(number, rng.choice(("--resume", "--resume=verify")))
        expect(status == 0 and "have it" in said, "shard %d, again: status %d: %s", number, status, said)
    if rng.random() < 0.2:
        job.check_merged()
        return
    able = [number for number in range(1, job.of + 1) if job.read(number)]
    what = job.change()
    for number in able:
        status, _, said = job.run(number, rng.choice(("--resume", "--resume=verify")))
        expect(status == 2 and "different job" in said, "shard %d, %s changed: status %d: %s", number, what, status, said)
    if len(able) > 1:
        status, _, said = job.run(rng.choice(able), "--overwrite")
        expect(status == 0, "once more: status %d: %s", status, said)
        status, _, said = case.call("shards", "status", "out/y.{shard}.jsonl")
        expect(status == 1, "status of two versions (%s changed): %d: %s", what, status, said)
        status, _, said = job.merge()
        expect(status == 2 and not os.path.exists("out/all.jsonl"), "two versions merge (%s changed): %d: %s", what, status, said)
    job.run_all("--overwrite")
    job.check_merged()
