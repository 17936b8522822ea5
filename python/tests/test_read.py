"""Reading front to back and by key."""

import io
import pathlib

import numpy as np
import pytest

import spr_convert as spr
from conftest import SAMPLES


def test_arrays_are_the_callers(fbank):
    utterances = list(spr.open(fbank))
    assert [utt.key for utt in utterances][:2] == ["ann-001", "ann-002"]
    total = 0
    for utt in utterances:
        flags = utt.features.flags
        assert flags.writeable and flags.aligned and flags.c_contiguous
        assert utt.features.dtype == np.float32 and utt.features.shape[1] == 40
        assert utt.labels is None and utt.audio is None
        total += len(utt.features)
    assert total == 3111
    # Whoever changes one changes no other.
    before = utterances[1].features.copy()
    utterances[0].features[:] = 0
    assert np.array_equal(utterances[1].features, before)


def test_each_loop_is_a_pass(fbank):
    reader = spr.open(fbank).shuffle(12, seed=1)
    first, second = ([utt.key for utt in reader] for _ in range(2))
    assert sorted(first) == sorted(second) and first != second
    reader.set_epoch(0)
    assert [utt.key for utt in reader] == first
    assert [utt.key for utt in reader.resume(1, 5)] == second[5:]
    again = spr.open(fbank).shuffle(12, seed=1)
    assert [utt.key for utt in again] == first


def test_one_utterance_after_the_other(fbank):
    reader = spr.open(fbank)
    keys = [next(reader).key, next(reader).key]
    assert keys == ["ann-001", "ann-002"]
    with pytest.raises(StopIteration):
        for _ in range(99):
            keys.append(next(reader).key)
    assert keys == [utt.key for utt in spr.open(fbank)]
    # A loop is a pass of its own.
    assert [utt.key for utt in reader] == keys


def test_stages(fbank, ali, apart):
    assert len(list(spr.open(fbank).select("ann-*"))) == 4
    assert len(list(spr.open(fbank).without(regex="^(ann|bob)-"))) == 4
    pathlib.Path("wanted").write_text("bob-001\nann-003\n")
    assert [utt.key for utt in spr.open(fbank).select(keys="wanted")] == ["ann-003", "bob-001"]
    shards = [[utt.key for utt in spr.open(fbank).shard(i, 3)] for i in range(3)]
    assert sum(map(len, shards)) == 12 and len(set(sum(shards, []))) == 12
    assert shards[1] == [utt.key for utt in spr.open(fbank, shard=(1, 3))]
    lengths = [len(utt.features) for utt in spr.open(fbank).sort("frames")]
    assert lengths == sorted(lengths)
    wide = next(iter(spr.open(fbank, labels=ali).context(2, 1).columns("0-79")))
    assert wide.features.shape[1] == 80 and len(wide.labels) == len(wide.features)
    with pytest.raises(spr.UsageError, match="there is no stage 'contxt'"):
        spr.open(fbank).stage("contxt(5)")
    with pytest.raises(spr.UsageError, match="utterances are no more"):
        spr.open(fbank).stage("batch(100)").context(4)
    assert any(text.startswith("shuffle(") for text, _ in spr.stages())


def test_stages_that_join_utterances(fbank):
    whole = next(iter(spr.open(fbank).stage("batch(utterances=3,pad)")))
    told = whole.sequences
    assert told.keys == ["ann-001", "ann-002", "ann-003"] and told.stride == max(told.lengths)
    assert len(whole.features) == 3 * told.stride


def test_labels_join(fbank, ali):
    for utt in spr.open(fbank, labels=ali):
        assert utt.labels.shape == (len(utt.features),) and utt.labels.dtype == np.int32
    with pytest.raises(spr.DataError, match="two words"):
        list(spr.open(fbank, utt2spk=ali))
    pathlib.Path("utt2spk").write_text("".join(f"{u.key} ann\n" for u in spr.open(fbank)))
    assert {u.meta["speaker"] for u in spr.open(fbank, utt2spk="utt2spk")} == {"ann"}


def test_parts_and_headers(fbank):
    assert all(utt.features is None for utt in spr.open(fbank, parts="labels,text"))
    with pytest.raises(spr.UsageError, match="no part 'feats'"):
        spr.open(fbank, parts=["feats"])


def test_bytes_and_file_objects(fbank):
    archive = (SAMPLES / "fbank.ark").read_bytes()
    with open(SAMPLES / "fbank.ark", "rb") as file:
        for data in (archive, memoryview(archive), io.BytesIO(archive), file):
            assert [utt.key for utt in spr.open(data)][-1] == [u.key for u in spr.open(fbank)][-1]

    once = spr.open(io.BytesIO(archive))
    assert len(list(once)) == 12
    with pytest.raises(spr.UsageError, match="only once"):
        iter(once)
    twice = spr.open(archive)
    assert len(list(twice)) == len(list(twice)) == 12

    class Broken(io.RawIOBase):
        def read(self, n=-1):
            raise RuntimeError("the cable is out")

    with pytest.raises(spr.Error) as caught:
        spr.open(Broken())
    assert isinstance(caught.value.__cause__, RuntimeError)
    with pytest.raises(spr.Error, match="binary mode"):
        spr.open(io.StringIO("text"))


def test_paths_of_any_sort(fbank):
    count = sum(1 for _ in spr.open(pathlib.Path(fbank)))
    assert count == 12
    several = spr.open([fbank, SAMPLES / "ali.scp"])
    assert sum(1 for _ in several) == 24
    assert sum(1 for _ in spr.open(f"ark:cat {SAMPLES / 'fbank.ark'} |")) == 12
    with pytest.raises(spr.Error):
        list(spr.open(f"ark:cat {SAMPLES / 'fbank.ark'} |", allow_pipes=False))


def test_commands_in_files_are_asked_for(fbank):
    line = f"a cat {SAMPLES / 'fbank.ark'} | tail -c +9 | head -c 46575 |\n"
    pathlib.Path("pipes.scp").write_text(line)
    with pytest.raises(spr.Error) as caught:
        list(spr.open("pipes.scp"))
    assert "allow_pipes=True" in caught.value.hint
    assert [utt.key for utt in spr.open("pipes.scp", allow_pipes=True)] == ["a"]


def test_keys_are_bytes(apart):
    name = b"utt\xff\xc3\xa4".decode("utf-8", "surrogateescape")
    with spr.Writer("odd.jsonl") as writer:
        writer[name] = np.ones((1, 2), np.float32)
    assert b'{"bytes":"757474ffc3a4"}' in pathlib.Path("odd.jsonl").read_bytes()
    assert [utt.key for utt in spr.open("odd.jsonl")] == [name]
    assert spr.load("odd.jsonl")[name].shape == (1, 2)


def test_closing_ends_it(fbank):
    with spr.open(fbank) as reader:
        stream = iter(reader)
        next(stream)
    assert next(stream, None) is None


def test_tables(fbank):
    data = spr.load(fbank)
    assert len(data) == 12 and list(data)[0] == "ann-001" and "x" not in data
    assert data["bob-002"].shape[1] == 40
    assert data.utterance("bob-002").key == "bob-002"
    assert dict(data).keys() == set(data)
    with pytest.raises(KeyError) as caught:
        data["x"]
    assert caught.value.key == "x"
    with pytest.raises(FileNotFoundError):
        spr.load("nowhere.scp")


def test_tables_of_any_format(fbank, ali):
    spr.convert(fbank, "train.pfile", labels=ali)
    data = spr.load("train.pfile")
    assert np.array_equal(data["ann-001"].features, spr.load(fbank)["ann-001"])


def test_nothing_is_read_before_it_is_asked_for(fbank):
    lines = pathlib.Path(fbank).read_text().splitlines()[:1]
    pathlib.Path("some.scp").write_text(
        f"gone nowhere.ark:5\n{lines[0].split()[0]} {SAMPLES}/fbank.ark:8\n"
    )
    data = spr.load("some.scp")
    assert len(data) == 2 and data[lines[0].split()[0]].ndim == 2
    with pytest.raises(spr.Error):
        data["gone"]


def test_sound(apart):
    wav = SAMPLES.parent / "wav"
    for utt in spr.open(wav):
        assert utt.audio.rate == 16000
        assert utt.audio.samples.dtype == np.int16 and utt.audio.samples.ndim == 1
    pathlib.Path("wav.scp").write_text(f"one {wav / 'ann-001.wav'}\n")
    (one,) = spr.open("wav.scp")
    assert one.audio.samples.size == next(iter(spr.open(wav))).audio.samples.size
