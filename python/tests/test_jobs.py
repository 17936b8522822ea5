"""Whole jobs."""

import inspect
import io
import json
import os
import pathlib
import sys
import types

import numpy as np
import pytest

import spr_convert as spr
from conftest import SAMPLES


def test_convert(fbank, ali):
    seen = []
    done = spr.convert(fbank, "a.pfile", labels=ali, progress=seen.append, hash=True, verify=True)
    assert (done.utterances, done.frames, done.source, done.target) == (12, 3111, "kaldi", "pfile")
    assert done.hash and not done.losses and not done.skipped
    assert seen[0].entries[1] == 12
    with pytest.raises(spr.UsageError, match="exists already"):
        spr.convert(fbank, "a.pfile")
    with pytest.raises(spr.LossError, match="labels") as caught:
        spr.convert("a.pfile", "b.ark")
    assert 'allow_loss="labels"' in caught.value.hint and not os.path.exists("b.ark")
    done = spr.convert("a.pfile", "b.ark", labels_out="ark,t:b.txt", threads=1)
    assert spr.diff("b.ark", fbank)["same"]
    done = spr.convert(fbank, "c.ark", stages="select('ann-*')", dtype="float64")
    assert done.utterances == 4 and spr.info("c.ark")["dtype"] == "f64"
    assert spr.convert(fbank, "d.ark", dry_run=True).utterances == 12
    assert not os.path.exists("d.ark")


def test_faults_are_passed_over_and_told(fbank):
    lines = pathlib.Path(fbank).read_text().splitlines()
    text = "".join(
        f"{line.split()[0]} {SAMPLES}/fbank.ark:{line.rsplit(':', 1)[1]}\n" for line in lines
    )
    pathlib.Path("some.scp").write_text("gone nowhere.ark:5\n" + text)
    with pytest.raises(spr.Error):
        spr.convert("some.scp", "a.ark")
    done = spr.convert("some.scp", "a.ark", on_error="skip")
    assert done.utterances == 12 and [error.key for error in done.skipped] == ["gone"]
    with pytest.warns(spr.DataWarning, match="nowhere"):
        assert sum(1 for _ in spr.open("some.scp", on_error="skip")) == 12
    # Of several inputs one that can't be read is skipped as a whole, wherever it stands.
    pathlib.Path("empty.wav").write_bytes(b"")
    for paths in (["empty.wav", fbank], [fbank, "empty.wav"]):
        done = spr.convert(paths, "several.ark", on_error="skip", overwrite=True)
        assert done.utterances == 12 and "empty.wav" in str(done.skipped[0])
        with pytest.warns(spr.DataWarning, match="empty"):
            assert sum(1 for _ in spr.open(paths, on_error="skip")) == 12
    with pytest.raises(spr.UsageError, match="on_error"):
        spr.open("some.scp", on_error="ignore")
    # One that is at fault costs no other.
    stream, keys = iter(spr.open("some.scp")), []
    while True:
        try:
            keys.append(next(stream).key)
        except StopIteration:
            break
        except spr.Error as error:
            assert error.can_continue and error.key == "gone"
    assert len(keys) == 12


def test_a_callback_ends_the_job(fbank):
    def stop(progress):
        raise KeyError("enough")

    with pytest.raises(KeyError, match="enough"):
        spr.convert(fbank, "a.ark", progress=stop)
    assert os.listdir(".") == []


def test_progress_bars(fbank):
    class Bar:
        n, total = 0, None

        def update(self, more):
            self.n += more

    bar = Bar()
    spr.convert(fbank, "a.ark", progress=bar)
    assert (bar.n, bar.total) == (12, 12)


def test_bars_of_our_own(fbank, capsys, monkeypatch):
    # Whether or not tqdm is installed.
    monkeypatch.setitem(sys.modules, "tqdm", None)
    monkeypatch.setitem(sys.modules, "tqdm.auto", None)
    spr.open(fbank).write("a.ark", progress=True)
    assert capsys.readouterr().err.endswith("\r12 of 12 utterances\n")
    spr.open(fbank).write("b.ark", progress=False)
    assert capsys.readouterr().err == ""

    class Bar:
        made = []

        def __init__(self, **how):
            self.n, self.total, self.open = 0, None, True
            self.made.append(self)

        def update(self, more):
            self.n += more

        def close(self):
            self.open = False

    module = types.ModuleType("tqdm.auto")
    module.tqdm = Bar
    monkeypatch.setitem(sys.modules, "tqdm.auto", module)
    monkeypatch.setitem(sys.modules, "tqdm", types.ModuleType("tqdm"))
    spr.convert(fbank, "c.ark", progress=True)
    with pytest.raises(spr.UsageError):
        spr.open(fbank).write("c.ark", progress=True)
    assert [(bar.n, bar.open) for bar in Bar.made] == [(12, False), (0, False)]


def test_info(fbank):
    facts = spr.info(fbank)
    assert (facts["utterances"], facts["frames"], facts["dim"]) == (12, 3111, 40)
    assert spr.info(str(SAMPLES / "fbank.ark"), quick=True)["utterances"] is None


def test_check():
    whole = (SAMPLES / "fbank.ark").read_bytes()
    pathlib.Path("cut.ark").write_bytes(whole[:-7])
    found = spr.check("cut.ark")
    assert found.faults == 1 and found.utterances == 11
    (fault,) = [finding for finding in found.findings if finding.severity == "fault"]
    assert fault.error.kind == "truncated" and fault.error.key == "cleo-004"
    with pytest.raises(ValueError) as caught:
        list(spr.open("cut.ark"))
    assert caught.value.kind == "truncated" and caught.value.byte > 0


def test_diff(fbank):
    with spr.Writer("a.ark") as writer:
        for utt in spr.open(fbank):
            if utt.key == "bob-001":
                utt.features[3, 4] += 0.5
            writer.write(utt)
    told = spr.diff(fbank, "a.ark")
    assert not told["same"] and told["different"] == 1
    worst = told["worst"]
    assert (worst["key"], worst["row"], worst["column"]) == ("bob-001", 3, 4)
    assert spr.diff(fbank, "a.ark", atol=1)["same"]
    with pytest.raises(spr.UsageError):
        spr.diff(fbank, "a.ark", atol=-1)


def test_index(fbank):
    with spr.Writer("a.ark") as writer:
        for utt in spr.open(fbank):
            writer.write(utt)
    assert spr.index("a.ark") == "a.scp"
    assert np.array_equal(spr.load("a.scp")["ann-003"], spr.load(fbank)["ann-003"])


def test_formats():
    names = {told["name"] for told in spr.formats()}
    assert {"kaldi", "pfile", "pickle", "spr", "wav", "htk", "npy", "jsonl"} <= names


def test_keywords_stand_once():
    from spr_convert import _arguments

    def keywords(call):
        parameters = inspect.signature(call).parameters.values()
        return {p.name for p in parameters if p.kind is inspect.Parameter.KEYWORD_ONLY}

    reading, writing = (
        set(_arguments.Reading.__annotations__),
        set(_arguments.Writing.__annotations__),
    )
    assert keywords(spr.open) == reading
    assert keywords(spr.load) < reading
    # That of a loop is another.
    reading -= {"shard"}
    assert keywords(spr.convert) - reading - {"stages"} == writing - {"threads"}
    assert keywords(_arguments.writing) == writing - {"progress"}
    # What is passed on is checked, too.
    with pytest.raises(TypeError, match="overwrit'"):
        spr.open(str(SAMPLES / "fbank.scp")).write("x.ark", overwrit=True)
    with pytest.raises(TypeError, match="formats"):
        spr.open(str(SAMPLES / "fbank.scp"), formats="kaldi")
    outcome = spr.open(str(SAMPLES / "fbank.scp")).write("x.ark", verify=True, threads=1)
    assert outcome.utterances == 12


def test_documents_get_their_names_with_the_data(tmp_path):
    source = tmp_path / "in.ark"
    source.write_bytes(b"ann [\n1 2 ]\nbob [\n3 ]\ncleo [\n5 6 ]\n")
    log, report = tmp_path / "log.jsonl", tmp_path / "report.json"
    documents = {"error_log": log, "report": report}
    output = str(tmp_path / "out.ark")
    how = {"stages": "check(dim=2)", "on_error": "skip", **documents}
    outcome = spr.convert(source, output, **how)
    assert (outcome.utterances, outcome.output, outcome.shard) == (2, output, None)
    line = json.loads(log.read_text())
    assert (line["schema"], line["utterance"]) == (1, "bob")
    facts = json.loads(report.read_text())
    assert (facts["utterances"], facts["skipped"], facts["output"]) == (2, 1, output)
    assert facts["hash"] == outcome.hash is not None
    # The report is in the way, so that nothing is written.
    (tmp_path / "out.ark").unlink()
    with pytest.raises(spr.Error) as failed:
        spr.convert(source, output, **how)
    assert failed.value.hint == "replace it with overwrite=True"
    assert not (tmp_path / "out.ark").exists()


def test_shards_are_resumed(tmp_path):
    source = tmp_path / "in.ark"
    source.write_bytes(b"ann [\n1 2 ]\nbob [\n3 4 ]\ncleo [\n5 6 ]\ndan [\n7 8 ]\n")
    output = str(tmp_path / "out.ark")
    done = [spr.convert(source, output, shard=(n, 2), report=tmp_path / "r") for n in (1, 2)]
    assert [outcome.utterances for outcome in done] == [2, 2]
    assert [outcome.shard["was_done"] for outcome in done] == [False, False]
    assert done[0].output == str(tmp_path / "out-00001-of-00002.ark")
    assert done[1].shard["record"] == str(tmp_path / "out-00002-of-00002.ark.shard.json")
    assert (tmp_path / "r-00002-of-00002").exists()
    for resume in (True, "verify"):
        again = spr.convert(source, output, shard=(1, 2), resume=resume)
        assert again.shard["was_done"] and again.utterances == 2
    # A dataset is written the same way.
    again = spr.open(source).write(output, shard=(2, 2), resume=True)
    assert again.shard["was_done"]
    source.write_bytes(source.read_bytes() + b"eve [\n9 9 ]\n")
    with pytest.raises(spr.Error, match="belongs to a different job: 'input' differs"):
        spr.convert(source, output, shard=(1, 2), resume=True)
    keys = [key for name in (done[0].output, done[1].output) for key in spr.load(name)]
    assert keys == ["ann", "bob", "cleo", "dan"]


@pytest.mark.parametrize(
    ("how", "message"),
    [
        ({"resume": True}, "resume goes with shard"),
        ({"shard": (0, 2)}, "shards count from 1 to 2"),
        ({"shard": 1}, "shard is"),
        ({"shard": (1, 2), "resume": "no"}, "resume is True, False or"),
        ({"shard": (1, 2), "stages": "sort"}, "more utterances than one shard has"),
    ],
)
def test_shards_that_make_no_sense(tmp_path, how, message):
    source = tmp_path / "in.ark"
    source.write_bytes(b"ann [\n1 2 ]\n")
    with pytest.raises(spr.UsageError, match=message):
        spr.convert(source, str(tmp_path / "out.ark"), **how)
    with pytest.raises(spr.UsageError, match="needs a path"):
        spr.convert(source, io.BytesIO(), to="kaldi", shard=(1, 2))
    assert [file.name for file in tmp_path.iterdir()] == ["in.ark"]
