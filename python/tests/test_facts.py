"""What is told of data sets: sums, columns, findings, repairs, warnings."""

import json
import pathlib
import subprocess
import sys
import warnings

import numpy as np
import pytest

import spr_convert as spr
from conftest import SAMPLES


def program(*arguments):
    run = subprocess.run(
        [sys.executable, "-m", "spr_convert", *arguments], capture_output=True, check=True
    )
    return [json.loads(line) for line in run.stdout.splitlines()]


def same(told, line):
    """What the program prints, besides the version of its schema."""
    assert {**told, "schema": line["schema"]} == line


def test_facts_are_those_of_the_program(fbank, ali):
    ds = spr.open(fbank)
    same(ds.info(), program("info", "--json", fbank)[0])
    same(ds.stats(), program("stats", "--json", fbank)[0])
    labelled = ds.join(labels=ali)
    groups = program("stats", "--json", fbank, "--labels", ali, "--by", "label")
    for told, line in zip(labelled.stats(by="label"), groups):
        same(told, line)
    assert len(groups) == len(labelled.stats(by=["label"]))
    chosen = ds.select(where="frames > 240")
    line = program("stats", "--json", fbank, "--where", "frames > 240")[0]
    same(chosen.stats(), line)
    assert chosen.info()["utterances"] == len(chosen) < 12
    assert ds.info(quick=True)["format"] == "kaldi"
    with pytest.raises(spr.UsageError, match="no column 'sped'"):
        ds.stats(by="sped")
    with pytest.raises(spr.UsageError, match="named twice"):
        ds.stats(by="key,key")
    with pytest.raises(spr.UsageError, match="several"):
        spr.open([fbank, fbank]).stats()


def test_tables(fbank):
    ds = spr.open(fbank).select("ann-*")
    lines = program("ls", "--json", fbank, "ann-*")
    table = ds.table()
    for i, line in enumerate(lines):
        for name, value in line.items():
            if name not in ("input", "schema", "offset"):
                assert table[name][i] == value, name
    assert list(ds.table("frames,key")) == ["frames", "key"]
    assert ds.table(["key"]) == {"key": ds.keys()}
    with pytest.raises(spr.UsageError, match="sped"):
        ds.table("sped")
    # Of several inputs, and of what is in memory, as well.
    merged = spr.merge([ds, spr.open(fbank).select("bob-*")])
    assert merged.table("key")["key"] == merged.keys()
    archive = (SAMPLES / "fbank.ark").read_bytes()
    assert len(spr.open(archive).table("key")["key"]) == 12


@pytest.mark.parametrize("library", ["pandas", "polars", "pyarrow"])
def test_frames(fbank, library):
    pytest.importorskip(library)
    ds = spr.open(fbank)
    made = {"pandas": ds.to_pandas, "polars": ds.to_polars, "pyarrow": ds.to_arrow}[library]
    assert len(made()) == 12
    frame = made(["key", "frames"])
    frames = frame["frames"]
    values = frames.to_pylist() if library == "pyarrow" else frames.to_list()
    assert values == ds.table("frames")["frames"] and sum(values) == 3111


def test_check_and_repair():
    whole = (SAMPLES / "fbank.ark").read_bytes()
    pathlib.Path("cut.ark").write_bytes(whole[:-7])
    found = spr.open("cut.ark").check()
    assert found == spr.check("cut.ark")._replace(findings=found.findings) and found.faults == 1
    outcome = spr.repair("cut.ark", "good.ark")
    assert outcome.utterances == 11
    assert [(e.kind, e.key) for e in outcome.skipped] == [("truncated", "cleo-004")]
    assert spr.check("good.ark").faults == 0
    # What is whole keeps the bytes that it has.
    assert whole.startswith(pathlib.Path("good.ark").read_bytes())
    with pytest.raises(spr.UsageError, match="exists already"):
        spr.repair("cut.ark", "good.ark")
    with pytest.raises(spr.Error):
        spr.repair("cut.ark", "cut.ark", overwrite=True)
    with pytest.raises(FileNotFoundError):
        spr.repair("nowhere.ark", "x.ark")
    assert sorted(path.name for path in pathlib.Path().iterdir()) == ["cut.ark", "good.ark"]


def test_check_compares_labels(fbank, ali):
    lines = pathlib.Path(ali).read_text().splitlines()
    pathlib.Path("short.txt").write_text("\n".join([lines[0][:-2], *lines[1:]]) + "\n")
    assert spr.check(fbank, labels=ali).faults == 0
    for found in (
        spr.check(fbank, labels="short.txt"),
        spr.open(fbank).join(labels="short.txt").check(),
    ):
        (fault,) = [finding for finding in found.findings if finding.severity == "fault"]
        assert found.utterances == 12 and fault.error.key == "ann-001"


def test_warnings_have_categories_and_places(fbank):
    lines = pathlib.Path(fbank).read_text().splitlines()
    named = [f"{k.split()[0]} {SAMPLES}/fbank.ark:{k.rsplit(':', 1)[1]}" for k in lines]
    pathlib.Path("some.scp").write_text("gone nowhere.ark:5\n" + "\n".join(named) + "\n")
    with pytest.warns(spr.SkippedWarning) as caught:
        assert len(list(spr.open("some.scp", on_error="skip").first(20))) == 12
    (told,) = [w.message for w in caught]
    assert told.error.key == "gone" and "nowhere.ark" in str(told)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        warnings.simplefilter("ignore", spr.SkippedWarning)
        assert sum(1 for _ in spr.open("some.scp", on_error="skip")) == 12
        with pytest.raises(spr.DataWarning, match="no utterance is called"):
            list(spr.open(fbank).select("ann"))


def test_losses_are_objects(fbank):
    with spr.Writer("wide.npz") as writer:
        writer["a"] = np.full((2, 2), 1 / 3)
    outcome = spr.open("wide.npz").write("narrow.ark", dtype="f32")
    (loss,) = outcome.losses
    assert loss.kind == "precision" and loss.utterances == 1 and loss.max_abs_err > 0
    with pytest.raises(spr.LossError):
        spr.open(fbank).join(labels=str(SAMPLES / "ali.txt")).write("x.ark")
