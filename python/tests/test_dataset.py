"""Data sets as values: steps, joins, lookup, and what becomes of them."""

import os
import pathlib
import pickle
import subprocess
import sys
import warnings

import numpy as np
import pytest

import spr_convert as spr
from conftest import SAMPLES


def keys(data):
    return [utt.key for utt in data]


@pytest.fixture
def wide():
    """Sound of two channels with speakers."""
    rng = np.random.default_rng(1)
    with spr.Writer("wide.jsonl") as writer:
        for key, speaker in (("a1", "a"), ("a2", "a"), ("b1", "b")):
            samples = rng.integers(-999, 999, (8000, 2)).astype(np.int16)
            writer.write(key, audio=(8000, samples), text=f"says {key}", meta={"speaker": speaker})
    return "wide.jsonl"


RULES = [
    ("names", lambda ds: ds.select(["bob-001", "ann-003"]), ["ann-003", "bob-001"]),
    ("one name", lambda ds: ds.select("bob-001"), ["bob-001"]),
    ("keys", lambda ds: ds.select(keys=("bob-001",)), ["bob-001"]),
    ("a set", lambda ds: ds.select(keys={"bob-001"}), ["bob-001"]),
    ("none", lambda ds: ds.select([]), []),
    ("regex", lambda ds: ds.select(regex=["^ann-001$", "bob-001"]), ["ann-001", "bob-001"]),
    ("where", lambda ds: ds.select(where="key < 'ann-003'"), ["ann-001", "ann-002"]),
    ("all", lambda ds: ds.select("ann-*", where="frames > 240", first=1), ["ann-001"]),
    ("without", lambda ds: ds.select("ann-*").without(["ann-001", "ann-003"]), None),
    ("slice", lambda ds: ds[1:3], ["ann-002", "ann-003"]),
    ("slice of slice", lambda ds: ds[2:][1:3], ["ann-004", "bob-001"]),
    ("steps", lambda ds: ds[:6:3], ["ann-001", "ann-004"]),
    ("the end", lambda ds: ds[-2:], ["cleo-003", "cleo-004"]),
    ("nothing", lambda ds: ds[5:5], []),
    ("from on", lambda ds: ds[::5], ["ann-001", "bob-002", "cleo-003"]),
    ("shard", lambda ds: ds.shard(1, 6), ["ann-002", "bob-004"]),
    ("sorted", lambda ds: ds.sort("-key")[:2], ["cleo-004", "cleo-003"]),
    ("renamed", lambda ds: ds.rename({"ann-001": "zoe"})[:2], ["zoe", "ann-002"]),
    ("sed", lambda ds: ds.rename("s/ann/eve/", suffix="-x").first(1), ["eve-001-x"]),
    ("chosen by a new name", lambda ds: ds.rename({"bob-001": "zoe"}).select(["zoe"]), ["zoe"]),
]


@pytest.mark.parametrize("rule", [r[1] for r in RULES], ids=[r[0] for r in RULES])
def test_all_ways_to_look_agree(fbank, rule):
    """A loop, the length, keys, numbers, a copy and what is written are the same data set."""
    expected = next(r[2] for r in RULES if r[1] is rule)
    ds = rule(spr.open(fbank))
    seen = keys(ds)
    assert expected is None or seen == expected
    assert seen == keys(ds) and len(ds) == len(seen) and ds.keys() == seen
    assert [ds[i].key for i in range(len(ds))] == seen
    for utt in ds:
        assert np.array_equal(ds[utt.key].features, utt.features)
    with pytest.raises(IndexError):
        ds[len(seen)]
    again = pickle.loads(pickle.dumps(rule(spr.open(fbank))))
    assert again == rule(spr.open(fbank)) and hash(again) == hash(ds)
    assert keys(again) == seen
    with warnings.catch_warnings():
        if not seen:
            warnings.filterwarnings("ignore", ".*none of its utterances is left")
        assert ds.write("out.ark").utterances == len(seen)
        assert not seen or keys(spr.open("out.ark")) == seen
    assert "file" in repr(ds) and fbank in repr(ds)


def test_looking_does_not_read_more_than_it_says(fbank):
    ds = spr.open(fbank).context(2)
    assert ds["ann-002"].features.shape == (227, 200)
    assert "ann-002" in ds and "eve-001" not in ds and 3 not in ds
    with pytest.raises(spr.KeyMissing):
        ds["eve-001"]
    with pytest.raises(spr.KeyMissing):
        ds.select("bob-*")["ann-002"]
    assert ds[-1].key == "cleo-004"
    assert ds and spr.open(fbank).first(0)
    with pytest.raises(spr.UsageError, match="backwards"):
        ds[::-1]
    with pytest.raises(spr.UsageError, match="not utterances"):
        ds.stage("batch(100)")[0]
    joined = ds.stage("batch(1000)")
    assert len(joined) == len(list(joined)) == 4


def test_names_that_are_no_names(fbank):
    with pytest.warns(spr.DataWarning, match="no such utterance, nor 1 more"):
        assert keys(spr.open(fbank).select(["ann-001", "eve", "zoe"])) == ["ann-001"]
    with pytest.raises(spr.UsageError, match="keys are strings, not int"):
        spr.open(fbank).select([1, 2])
    with pytest.raises(spr.UsageError, match="UTF-8"):
        spr.open(fbank).select(["a\udcff"])
    with pytest.raises(spr.UsageError, match="wher"):
        spr.open(fbank).stage("wher('x')")
    with pytest.raises(spr.UsageError):
        spr.open(fbank).select(where="secnds > 1")
    odd = ["it's", 'a"b', "x,y=z|(w)", "ü"]
    with spr.Writer("odd.jsonl") as writer:
        for key in odd:
            writer[key] = np.ones((1, 2), np.float32)
    ds = spr.open("odd.jsonl").select(odd[::-1])
    assert keys(ds) == odd and keys(ds.rename({odd[2]: "plain"}))[2] == "plain"
    assert [ds[key].key for key in odd] == odd


def test_no_two_get_one_name(fbank):
    ds = spr.open(fbank)
    with pytest.raises(spr.DataError, match="has the name that ann-001 got") as caught:
        keys(ds.rename({"ann-001": "ann-002"}))
    assert caught.value.key == "ann-002"
    with pytest.raises(spr.DataError, match="would be called ann-001, as ann-001 is by now"):
        keys(ds.rename({"bob-001": "ann-001"}))
    swapped = ds.rename({"ann-001": "ann-002", "ann-002": "ann-001"})
    assert keys(swapped)[:2] == ["ann-002", "ann-001"]
    assert np.array_equal(swapped["ann-002"].features, ds["ann-001"].features)
    with pytest.raises(spr.UsageError, match="two utterances would be called 'x'"):
        ds.rename({"ann-001": "x", "ann-002": "x"})
    with pytest.raises(spr.UsageError, match="nothing is left"):
        ds.rename({"ann-001": ""})


def test_many_names_are_quick(fbank):
    ds = spr.open(fbank).select(["bob-001"] + [f"none-{i}" for i in range(50_000)])
    with pytest.warns(spr.DataWarning, match="49999 more"):
        assert keys(ds) == ["bob-001"]
    assert len(repr(ds)) < 5000


def test_joins(fbank, ali):
    pathlib.Path("text").write_text("".join(f"{k} word {k}\n" for k in keys(spr.open(fbank))))
    pathlib.Path("utt2spk").write_text(
        "".join(f"{k} {k.split('-')[0]}\n" for k in keys(spr.open(fbank)))
    )
    ds = spr.open(fbank).join(labels=ali, text="text").join(speakers="utt2spk")
    for same in (ds, pickle.loads(pickle.dumps(ds))):
        utt = same["bob-001"]
        assert utt.labels.shape == (len(utt.features),)
        assert utt.text == "word bob-001" and utt.meta["speaker"] == "bob"
    assert keys(ds.select(speakers=["bob", "cleo"])) == keys(spr.open(fbank).without("ann-*"))
    assert keys(ds.select(speakers="bob,cleo")) == keys(ds.select(speakers=["bob", "cleo"]))
    pathlib.Path("names").write_text("bob\n")
    assert len(ds.select(speakers=pathlib.Path("names"))) == 4
    assert len(ds.select(where="text ~ 'ann'")) == 4
    with pytest.raises(spr.UsageError, match="labels join already"):
        ds.join(labels=ali)
    for told in ("labels: ", "text: ", "speakers: utt2spk"):
        assert told in repr(ds)
    ds.select("ann-*").write("ann.jsonl")
    assert [u.meta["speaker"] for u in spr.open("ann.jsonl")] == ["ann"] * 4


def test_sound(wide):
    ds = spr.open(wide).resample(16000).channel("mix")
    utt = ds["a2"]
    assert utt.audio.rate == 16000 and utt.audio.samples.shape == (16000,)
    assert ds.write("out/", to="wav", allow_loss="text,metadata").utterances == 3
    assert spr.open("out/")[0].audio.rate == 16000
    assert keys(spr.open(wide).select(speakers="a")) == ["a1", "a2"]


def test_split(fbank, wide):
    outcome = spr.open(fbank).split("{part}.ark", valid=0.25, test=0.25, seed=3)
    counts = {part["name"]: part["utterances"] for part in outcome.parts}
    assert counts == {"train": 6, "valid": 3, "test": 3}
    whole = sum((keys(spr.open(f"{name}.ark")) for name in counts), [])
    assert sorted(whole) == sorted(keys(spr.open(fbank)))
    assert spr.open(fbank).split("p{part}.ark", parts=5).parts[4]["utterances"] == 2
    assert len(spr.open(fbank).split("f{part}.ark", frames=1000).parts) > 2
    parts = spr.open(wide).split("s{part}.jsonl", parts=2, by="speaker").parts
    assert [part["utterances"] for part in parts] == [2, 1]
    before = sorted(os.listdir("."))
    for wrong in (
        {},
        {"parts": 2, "train": 0.5},
        {"parts": 0},
        {"train": 1.5},
        {"valid": 0.6, "test": 0.6},
        {"train": 0.5, "test": 0.1},
        {"frames": 9, "by": "speaker"},
        {"parts": 2, "by": "room"},
        {"parts": 2, "balance": "weight"},
    ):
        with pytest.raises(spr.UsageError):
            spr.open(fbank).split("x{part}.ark", **wrong)
    with pytest.raises(spr.UsageError, match="a place for the part"):
        spr.open(fbank).split("x.ark", parts=2)
    assert sorted(os.listdir(".")) == before


def test_merge(fbank, ali):
    ds = spr.open(fbank)
    merged = spr.merge([ds.select("cleo-*").context(1), ds.select(["ann-001"]).context(1)])
    assert keys(merged) == ["cleo-001", "cleo-002", "cleo-003", "cleo-004", "ann-001"]
    assert merged["ann-001"].features.shape == (291, 120) and len(merged) == 5
    assert merged == pickle.loads(pickle.dumps(merged))
    assert keys(merged.first(2).rename(prefix="x-")) == ["x-cleo-001", "x-cleo-002"]
    assert merged.write("m.ark").utterances == 5
    labelled = spr.merge([ds.select("ann-*").join(labels=ali), ds.select("bob-*").join(labels=ali)])
    assert all(len(utt.labels) == len(utt.features) for utt in labelled)
    with pytest.raises(spr.Error, match="ann-001"):
        keys(spr.merge([fbank, fbank]))
    with pytest.raises(spr.Error, match="ann-001"):
        spr.merge([fbank, fbank]).write("twice.ark")
    assert len(spr.merge([fbank, fbank], duplicates="first")) == 12
    assert len(keys(spr.merge([fbank, fbank], duplicates="keep"))) == 24
    with pytest.raises(spr.Error, match="twice"):
        spr.merge([fbank, fbank], duplicates="keep")[0]
    with pytest.raises(spr.UsageError, match="duplicates is one of"):
        spr.merge([fbank], duplicates="drop")
    with pytest.raises(spr.UsageError, match="nothing"):
        spr.merge([])
    # In each input names come before rules; another order is refused and not changed.
    swapped = ds.select("ann-*").rename(prefix="x-")
    with pytest.raises(spr.UsageError, match="rename would come before"):
        keys(spr.merge([swapped, fbank]))
    with pytest.raises(spr.UsageError, match="settings"):
        spr.merge([ds, spr.open(fbank, max_alloc=1 << 30)])


def test_what_is_read_once(fbank):
    archive = (SAMPLES / "fbank.ark").read_bytes()
    with open(SAMPLES / "fbank.ark", "rb") as file:
        assert len(list(spr.open(file).select("ann-*").context(1))) == 4
    ds = spr.open(archive).first(3)
    assert len(list(ds)) == 3 and pickle.loads(pickle.dumps(ds)) == ds
    assert ds.write("x.ark").utterances == 3
    for call in (len, lambda ds: ds["ann-001"]):
        with pytest.raises((TypeError, spr.UsageError)):
            call(ds)
    pipe = f"ark:cat {SAMPLES / 'fbank.ark'} |"
    ds = spr.open(pipe)
    assert len(list(ds.select("bob-*"))) == 4
    with pytest.raises(TypeError, match="no length"):
        len(ds)
    code = "import spr_convert as s; print([u.key for u in s.open('ark:-').select('bob-*')[1:3]])"
    with open(SAMPLES / "fbank.ark", "rb") as file:
        run = subprocess.run([sys.executable, "-c", code], stdin=file, capture_output=True)
    assert run.stdout == b"['bob-002', 'bob-003']\n", run.stderr


def test_passes(fbank):
    ds = spr.open(fbank).shuffle(seed=1)
    one, two = keys(ds), keys(ds)
    assert one != two and sorted(one) == sorted(two) == ds.sort().keys()
    ds.set_epoch(1)
    assert keys(ds) == two
    assert keys(spr.open(fbank).shuffle(seed=2)) != one
    # Steps that read what comes before them a second time.
    sample = spr.open(fbank).select("ann-*").stage("sample(2,seed=1)")
    assert len(keys(sample)) == len(sample) == 2


def test_faults_keep_their_place(fbank):
    whole = (SAMPLES / "fbank.ark").read_bytes()
    pathlib.Path("cut.ark").write_bytes(whole[:-7])
    ds = spr.open("cut.ark").context(1)
    with pytest.raises(spr.DataError) as caught:
        ds.write("out.ark")
    assert caught.value.key == "cleo-004" and caught.value.file.startswith("cut.ark")
    assert not os.path.exists("out.ark")
    skipping = spr.open("cut.ark", on_error="skip").context(1)
    outcome = skipping.write("out.ark")
    assert outcome.utterances == 11 and outcome.skipped[0].key == "cleo-004"
    with pytest.warns(spr.DataWarning):
        assert len(keys(skipping)) == 11


def test_the_old_name_is_told():
    with pytest.warns(DeprecationWarning, match="Dataset"):
        assert spr.Reader is spr.Dataset


@pytest.mark.parametrize(
    "chosen",
    [
        slice(np.int64(2), np.int64(4)),
        slice(np.int8(-3), None, np.uint8(2)),
        slice(None, 2**70),
        slice(2**70, None),
        slice(-(2**70), 3),
        slice(0, 5, 2**70),
    ],
)
def test_slices_by_any_integers(fbank, chosen):
    ds = spr.open(fbank)
    assert [utt.key for utt in ds[chosen]] == ds.keys()[chosen]


@pytest.mark.parametrize("chosen", [slice("a", None), slice(0, 1.5), slice(np.float64(1), None)])
def test_slices_by_other_things_are_refused(fbank, chosen):
    with pytest.raises(spr.UsageError, match="by number"):
        spr.open(fbank)[chosen]


def test_tables_compare_by_identity(fbank):
    one, other = spr.load(fbank), spr.load(fbank)
    assert one == one and one != other and len({one, other, one}) == 2


def test_a_share_is_all_there_is(fbank):
    ds = spr.open(fbank, shard=(1, 3))
    own = keys(ds)
    assert own == ds.keys() == [ds[n].key for n in range(4)] and len(own) == len(ds) == 4
    assert "ann-001" not in ds and "ann-001" in spr.open(fbank)
    assert ds.info()["utterances"] == ds.stats()["utterances"] == 4
    assert ds.explain().endswith("stages: shard(1,3)")
    assert spr.open(fbank, shard=(1, 3)).select("b*").keys() == ["bob-001", "bob-004"]


def test_skipped_utterances_have_no_number(fbank):
    lines = (SAMPLES / "fbank.scp").read_text().splitlines()
    lines = [line.replace("fbank.ark", str(SAMPLES / "fbank.ark")) for line in lines]
    lines[3] = "ann-004 gone.ark:5"
    pathlib.Path("bad.scp").write_text("\n".join(lines) + "\n")
    ds = spr.open("bad.scp", on_error="skip")
    with pytest.warns(spr.SkippedWarning) as told:
        assert len(ds) == len(ds.keys()) == 11 and ds[3].key == ds.keys()[3] == "bob-001"
        list(ds)
    assert all(isinstance(one.message.error, spr.NotFound) for one in told)
    outcome = ds.write("rest.npz")
    assert [type(error) for error in outcome.skipped] == [spr.NotFound]


@pytest.mark.parametrize(
    "wrong",
    [
        lambda path: spr.open(path, shard=5),
        lambda path: spr.open(path, shard=(0, -3)),
        lambda path: spr.open(path, max_alloc=-1),
        lambda path: spr.open(path).join(labels=path, tolerance=-1),
        lambda path: spr.open(path).write("x.ark", threads=-1),
        lambda path: spr.open(path).write("x.ark", overwrite=1),
        lambda path: spr.open(path).batches(frames=1.5),
        lambda path: spr.open(path).batches(utterances=-1),
        lambda path: spr.open(path).batches(utterances=5, ahead=10**11),
        lambda path: spr.open(path).batches(utterances=5, ahead=2**62),
    ],
)
def test_wrong_sizes_are_refused(fbank, wrong):
    with pytest.raises(spr.UsageError):
        wrong(fbank)
    assert not os.path.exists("x.ark")


def test_recordings_are_cut_by_their_labels_and_joined_again():
    samples = np.arange(8000, dtype=np.int16)
    with spr.Writer("rec.jsonl") as writer:
        writer.write("rec", audio=(8000, samples))
    pathlib.Path("rec.ctm").write_text("rec 1 0 0.4 good\nrec 1 0.4 0.1 sil\nrec 1 0.5 0.5 day\n")
    whole = spr.open("rec.jsonl").join(labels="rec.ctm")
    cut = whole.cut("segments", key="{recording}-{n}")
    assert cut.keys() == ["rec-0", "rec-1", "rec-2"] and len(cut) == 3
    assert cut["rec-2"].text == "day"
    assert np.array_equal(cut["rec-2"].audio.samples, samples[4000:])
    (joined,) = cut.join_by("recording")
    assert joined.key == "rec" and np.array_equal(joined.audio.samples, samples)
    for drop in ("sil", ["sil", "sp"]):
        (words,) = whole.cut(drop_labels=drop, gap=0.1, pad=0.2)
        assert (words.key, words.text) == ("rec-00000", "good day")
        assert np.array_equal(words.audio.samples, samples)
    with pytest.raises(spr.DataError, match="has no tier 'words'"):
        list(whole.cut("words"))
    with pytest.raises(spr.UsageError, match="would have one key"):
        whole.cut(key="{recording}")
