"""Writing, and what is refused."""

import io
import os
import pathlib
import signal
import threading
import warnings

import numpy as np
import pytest

import spr_convert as spr
from conftest import SAMPLES


def test_what_is_written_is_read(apart):
    values = {
        "f": np.arange(6, dtype=np.float32).reshape(2, 3),
        "empty": np.zeros((0, 0), np.float32),
        "v": np.array([0.5, 1.5], np.float32),
    }
    with spr.Writer("ark,scp:a.ark,a.scp") as writer:
        for key, value in values.items():
            writer[key] = value
    assert writer.written.utterances == 3
    for key, value in spr.load("a.scp").items():
        assert value.dtype == np.float32 and np.array_equal(value, values[key])


def test_any_layout_is_taken(apart):
    plain = np.arange(12, dtype=np.float32).reshape(3, 4)
    layouts = [
        plain,
        np.asfortranarray(plain),
        plain.astype(">f4"),
        np.repeat(plain, 2, axis=1)[:, ::2],
        plain[::-1][::-1],
        plain.tolist(),
        memoryview(plain),
    ]
    with spr.Writer("a.jsonl") as writer:
        for i, layout in enumerate(layouts):
            writer.write(str(i), layout)
    for utt in spr.open("a.jsonl"):
        assert np.array_equal(utt.features, plain)


@pytest.mark.parametrize(
    "dtype", ["f2", "f4", "f8", "i1", "u1", "i2", "u2", "i4", "u4", "i8", "u8", "?"]
)
def test_types_come_back(apart, dtype):
    value = np.array([[0, 1], [1, 0], [1, 1]]).astype(dtype)
    cube = np.arange(24).reshape(2, 3, 4).astype(dtype)
    with spr.Writer("a.jsonl") as writer:
        writer.write("m", value, arrays={"cube": cube})
        writer.write("v", value[:, 0])
        writer.write("s", value[1, 0])
    m, v, s = (utt for utt in spr.open("a.jsonl"))
    assert m.features.dtype == value.dtype and np.array_equal(m.features, value)
    assert np.array_equal(m.arrays["cube"], cube) and m.arrays["cube"].dtype == cube.dtype
    assert v.features.shape == (3,) and s.features.shape == () and s.features == value[1, 0]


def test_all_parts_come_back(apart):
    whole = spr.Utterance(
        "a",
        np.ones((2, 2), np.float32),
        np.array([3, 4], np.int32),
        (8000, np.array([[1, 2], [3, 4]], np.int16)),
        "zwölf",
        [
            spr.Tier(
                "words", [spr.Segment(0.1, 0.35, "one", 0.5, "ann"), spr.Segment(0.4, None, "x")]
            )
        ],
        meta={"frame_shift": 0.01, "speaker": "ann", "tags": [("spraak", "SITE", "lab")]},
    )
    with spr.Writer("a.jsonl") as writer:
        writer.write(whole)
        writer["p"] = spr.Object("posterior", [[(1, 0.5), (2, 0.5)], []])
    back, posterior = spr.open("a.jsonl")
    assert (back.text, back.tiers, back.meta) == (whole.text, whole.tiers, whole.meta)
    assert back.audio.rate == 8000 and np.array_equal(back.audio.samples, whole.audio[1])
    assert np.array_equal(back.labels, whole.labels)
    assert posterior.value == [[(1, 0.5), (2, 0.5)], []]
    assert "features=<float32 (2, 2)>" in repr(back)


def test_an_exception_leaves_nothing(apart):
    with pytest.raises(RuntimeError), spr.Writer("ark,scp:a.ark,a.scp") as writer:
        writer["a"] = np.ones((1, 1), np.float32)
        raise RuntimeError
    writer = spr.Writer("b.ark")
    writer["a"] = np.ones((1, 1), np.float32)
    del writer
    assert os.listdir(apart) == []


def test_losses_are_refused_one_by_one(apart):
    label = np.array([0])
    with spr.Writer("a.pfile") as writer:
        writer.write("a", np.array([[0.5]]), labels=label)
        with pytest.raises(spr.LossError, match="precision") as caught:
            writer.write("b", np.array([[0.1]]), labels=label)
        assert caught.value.key == "b" and caught.value.can_continue
        writer.write("c", np.array([[1.5]]), labels=label)
    assert [utt.key for utt in spr.open("a.pfile")] == ["a", "c"]
    with spr.Writer("b.pfile", allow_loss="precision") as writer:
        writer.write("b", np.array([[0.1]]), labels=label)
    with spr.Writer("c.ark", dtype=np.float32) as writer:
        writer["b"] = np.array([[0.1]])
    assert spr.load("c.ark")["b"].dtype == np.float32


def test_outputs_are_not_replaced_unasked(apart):
    for overwrite in (False, True):
        with spr.Writer("a.ark", overwrite=overwrite) as writer:
            writer["a"] = np.full((1, 1), overwrite, np.float32)
    with pytest.raises(spr.UsageError, match="exists already"):
        spr.Writer("a.ark")
    assert spr.load("a.ark")["a"] == 1


def test_script_files_go_with_their_archive(apart):
    with spr.Writer("ark,scp:a.ark,a.scp") as writer:
        writer["a"] = np.ones((1, 1), np.float32)
    with pytest.warns(spr.DataWarning, match="points into"):
        with spr.Writer("a.ark", overwrite=True) as writer:
            writer["b"] = np.ones((1, 1), np.float32)
    assert not pathlib.Path("a.scp").exists()


def test_what_is_no_data_is_refused(apart):
    writer = spr.Writer("a.ark")
    for value, words in [
        (np.zeros((2, 2, 2)), "3 dimensions"),
        (np.array(["a"]), "not taken"),
        (np.zeros((1, 1), complex), "not taken"),
        ((1, 2, 3), "sound is"),
    ]:
        with pytest.raises(spr.UsageError, match=words):
            writer["a"] = value
    with pytest.raises(spr.DataError):
        writer["a b"] = np.zeros((1, 1), np.float32)
    writer["a"] = np.zeros((1, 1), np.float32)
    writer.close()
    writer.close()
    with pytest.raises(spr.UsageError, match="is closed"):
        writer["b"] = np.zeros((1, 1), np.float32)
    assert list(spr.load("a.ark")) == ["a"]


def test_labels_of_integers(apart):
    with spr.Writer("a.ark") as writer:
        writer["a"] = np.array([3, 1, 2])
    (utt,) = spr.open("a.ark")
    assert utt.labels.dtype == np.int32 and utt.labels.tolist() == [3, 1, 2]
    with spr.Writer("b.ark") as writer:
        for key, value in spr.load("a.ark").items():
            writer[key] = value
    assert spr.diff("a.ark", "b.ark")["same"]


def test_warnings_can_be_errors(fbank, ali):
    spr.convert(fbank, "a.pfile", labels=ali)
    os.remove("a.pfile.utt2num_frames")
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        with pytest.raises(spr.DataWarning, match="are generated"):
            spr.open("a.pfile")


@pytest.mark.parametrize(
    "more",
    [
        {"features": np.ones((1, 1))},
        {"labels": [1]},
        {"audio": (8000, np.zeros(2, np.int16))},
        {"text": "x"},
        {"tiers": []},
        {"object": spr.Object("posterior", [])},
        {"arrays": {}},
        {"meta": {}},
    ],
)
def test_an_utterance_is_written_with_its_own_parts(apart, more):
    with spr.Writer("a.jsonl") as writer:
        with pytest.raises(spr.UsageError, match="utterance a: .*and no others"):
            writer.write(spr.Utterance("a", np.ones((2, 1))), **more)


@pytest.mark.parametrize("stage", ["utterances=5", "whole=600", "padded=600"])
def test_batches_are_not_written_as_utterances(apart, fbank, stage):
    batch = next(iter(spr.open(fbank).stage(f"batch({stage})")))
    with spr.Writer("a.jsonl") as writer:
        with pytest.raises(spr.UsageError, match="is a batch"):
            writer.write(batch)
        with pytest.raises(spr.UsageError, match="is a batch"):
            writer["b"] = batch
    assert writer.written.utterances == 0


def test_files_that_take_a_part_at_a_time_get_all():
    class Slow(io.RawIOBase):
        def __init__(self):
            self.taken = b""

        def writable(self):
            return True

        def write(self, data):
            self.taken += bytes(data[:9])
            return min(9, len(data))

    slow = Slow()
    with spr.Writer(slow, format="npz") as writer:
        writer["a"] = np.ones((99, 9))
    assert writer.written.bytes == len(slow.taken)
    pathlib.Path("a.npz").write_bytes(slow.taken)
    assert spr.load("a.npz")["a"].sum() == 891

    class Full(Slow):
        def write(self, data):
            return None

    writer = spr.Writer(Full(), format="npz")
    writer["a"] = np.ones((9, 9))
    with pytest.raises(BlockingIOError):
        writer.close()


def test_values_under_a_mask_are_refused():
    hidden = np.ma.masked_array(np.ones((3, 2), "f4"), mask=[[0, 1]] * 3)
    with spr.Writer("a.npz") as writer:
        for value in (hidden, hidden.astype("f8"), hidden.astype("i2")):
            with pytest.raises(spr.UsageError, match="masked"):
                writer["a"] = value
        writer["b"] = np.ma.masked_array(np.ones((3, 2), "f4"))
    assert spr.load("a.npz").keys() == {"b"}


@pytest.mark.skipif(os.name == "nt", reason="commands and signals are Unix's")
def test_an_interrupt_at_the_end_writes_nothing(fbank):
    command = f"ark:cat {SAMPLES / 'fbank.ark'}; sleep 1 |"
    # What starts the tests may have it ignored.
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        threading.Timer(0.3, os.kill, (os.getpid(), signal.SIGINT)).start()
        with pytest.raises(KeyboardInterrupt):
            spr.convert(command, "late.npz")
    finally:
        signal.signal(signal.SIGINT, before)
    assert os.listdir() == []
