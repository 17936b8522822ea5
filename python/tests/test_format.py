"""Formats that are written in Python."""

import os
import pathlib
import pickle
import subprocess
import sys
import threading

import numpy as np
import pytest

import spr_convert as spr

MAGIC = b"MINE\n"


def read(file):
    """Matrices of floats, each behind a line of its name and shape."""
    if file.readline() != MAGIC:
        raise spr.DataError("begins with no MINE", kind="malformed", byte=0)
    for number, line in enumerate(file, 2):
        key, rows, cols = line.decode().split()
        size = int(rows) * int(cols) * 4
        data = file.read(size)
        if len(data) < size:
            raise spr.DataError("is cut off", kind="truncated", line=number, key=key)
        yield key, np.frombuffer(data, np.float32).reshape(int(rows), int(cols)).copy()


class Write:
    def __init__(self, file):
        self.file = file
        file.write(MAGIC)

    def write(self, utt):
        rows, cols = utt.features.shape
        self.file.write(f"{utt.key} {rows} {cols}\n".encode())
        self.file.write(utt.features.astype(np.float32).tobytes())


@pytest.fixture(autouse=True)
def mine():
    spr.register(
        "mine",
        ["mine", ".mn"],
        open=read,
        create=Write,
        probe=lambda head, name: head.startswith(MAGIC),
    )


def test_it_takes_part_in_everything(fbank):
    assert spr.convert(fbank, "a.mine", verify=True).target == "mine"
    assert spr.convert("a.mine", "b.ark").source == "mine"
    assert spr.diff("a.mine", fbank)["same"]
    facts = spr.info("a.mine")
    assert (facts["format"], facts["utterances"], facts["dim"]) == ("mine", 12, 40)
    assert spr.check("a.mine").faults == 0
    assert {"mine"} < {told["name"] for told in spr.formats()}
    ds = spr.open("a.mine").select("ann-*").context(1)
    assert len(ds) == 4 and ds["ann-002"].features.shape == (227, 120)
    assert spr.load("a.mine")["bob-001"].shape[1] == 40
    # Found by its content and not by its name, packed or not, and by its name.
    os.rename("a.mine", "a.bin")
    assert spr.info("a.bin")["format"] == "mine"
    spr.open("a.bin").write("c.mn.gz")
    assert pathlib.Path("c.mn.gz").read_bytes()[:2] == b"\x1f\x8b"
    assert spr.diff("c.mn.gz", "mine:a.bin")["same"]
    with spr.Writer("mine:d") as writer:
        writer["x"] = np.ones((2, 3), np.float32)
    assert spr.open(pathlib.Path("d").read_bytes()).table("key") == {"key": ["x"]}
    with open("a.bin", "rb") as file:
        assert sum(1 for _ in spr.open(file)) == 12


def test_what_it_does_not_hold_is_a_loss(fbank, ali):
    with pytest.raises(spr.LossError, match="labels"):
        spr.convert(fbank, "a.mine", labels=ali)
    assert os.listdir(".") == []
    done = spr.convert(fbank, "a.mine", labels=ali, allow_loss="labels")
    assert done.losses[0].kind == "labels"


def test_faults_have_their_place(fbank):
    spr.convert(fbank, "a.mine")
    whole = pathlib.Path("a.mine").read_bytes()
    pathlib.Path("cut.mine").write_bytes(whole[:-5])
    with pytest.raises(spr.DataError, match="is cut off") as caught:
        list(spr.open("cut.mine"))
    error = caught.value
    assert (error.kind, error.file, error.key) == ("truncated", "cut.mine", "cleo-004")
    assert error.line and pickle.loads(pickle.dumps(error)).line == error.line
    with pytest.raises(spr.DataError):
        spr.convert("cut.mine", "out.ark")
    assert not os.path.exists("out.ark")
    assert spr.check("cut.mine").faults == 1
    pathlib.Path("bad.mine").write_bytes(MAGIC + b"one two\n")
    with pytest.raises(spr.DataError, match="bad.mine: the code of its format") as caught:
        list(spr.open("bad.mine"))
    assert isinstance(caught.value.__cause__, ValueError)
    with pytest.raises(spr.DataError, match="no MINE"):
        list(spr.open(b"else\n", format="mine"))


class Failing(Write):
    def write(self, utt):
        if utt.key == "bob-001":
            raise self.error
        super().write(utt)


@pytest.mark.parametrize(
    "error,caught",
    [(ValueError("no"), spr.DataError), (KeyboardInterrupt(), KeyboardInterrupt)],
)
def test_writers_that_fail_leave_nothing(fbank, error, caught):
    Failing.error = error
    spr.register("failing", "failing", create=Failing)
    with pytest.raises(caught) as told:
        spr.convert(fbank, "a.failing")
    assert os.listdir(".") == []
    if caught is spr.DataError:
        assert told.value.key == "bob-001" and told.value.__cause__ is error
    pathlib.Path("some").write_bytes(b"x")
    with pytest.raises(spr.Error, match="only written"):
        spr.open("failing:some")


def test_what_is_given_is_looked_at(fbank):
    def strange(file):
        yield 3

    def interrupted(file):
        yield "a", np.ones(3)
        raise KeyboardInterrupt

    spr.register("strange", "strange", open=strange)
    pathlib.Path("a.strange").write_bytes(b"x")
    with pytest.raises(spr.DataError, match="not int"):
        list(spr.open("a.strange"))
    with pytest.raises(spr.Error, match="only read"):
        spr.convert(fbank, "b.strange")
    spr.register("strange", "strange", open=interrupted)
    with pytest.raises(KeyboardInterrupt):
        spr.convert("a.strange", "b.ark")
    spr.register("strange", "strange", open=lambda file: [("a", None)])
    assert spr.open("a.strange").table("key") == {"key": ["a"]}
    for wrong in (("kaldi", "x"), ("x", "wav"), ("A b", "x"), ("ok", "a/b"), ("x", "mine", "all")):
        with pytest.raises(spr.UsageError):
            spr.register(*wrong[:2], open=read, holds=wrong[2:] or "features")
    with pytest.raises(spr.UsageError, match="open= or"):
        spr.register("nothing")


def test_threads_and_everything_it_holds():
    def everything(file):
        import json

        for line in file:
            told = json.loads(line[1:])
            yield spr.Utterance(
                told["key"],
                np.array(told["features"], np.float32),
                text=told["text"],
                meta={"speaker": told["speaker"]},
            )

    class Lines:
        def __init__(self, file):
            self.file, self.count = file, 0

        def write(self, utt):
            import json

            told = {"key": utt.key, "text": utt.text, "speaker": utt.meta["speaker"]}
            told["features"] = utt.features.tolist()
            self.file.write(b"L" + json.dumps(told).encode() + b"\n")
            self.count += 1

        def close(self):
            assert self.count == 50
            self.file.write(b"")

    spr.register("lines", "ln", open=everything, create=Lines, holds="features,text,meta")
    with spr.Writer("a.ln") as writer:
        for i in range(50):
            rows = np.full((3, 2), i, np.float32)
            writer.write(f"u{i}", rows, text=f"says {i}", meta={"speaker": "ann"})
    failed = []

    def work():
        for _ in range(5):
            seen = [utt.text for utt in spr.open("a.ln", threads=2).stage("prefetch(2)")]
            if seen != [f"says {i}" for i in range(50)]:
                failed.append(seen)

    threads = [threading.Thread(target=work) for _ in range(4)]
    [thread.start() for thread in threads]
    [thread.join(60) for thread in threads]
    assert not failed and not any(thread.is_alive() for thread in threads)
    outcome = spr.convert("a.ln", "b.jsonl", threads=2)
    assert outcome.utterances == 50 and not outcome.losses
    assert spr.diff("a.ln", "b.jsonl")["same"]


def test_a_probe_that_fails_is_told(capfd, fbank):
    code = """
import sys, spr_convert as spr
spr.register("odd", open=iter, probe=lambda head, name: 1 / 0)
print(spr.info(sys.argv[1])["format"])
"""
    run = subprocess.run([sys.executable, "-c", code, fbank], capture_output=True, text=True)
    assert run.stdout == "kaldi\n" and "ZeroDivisionError" in run.stderr
