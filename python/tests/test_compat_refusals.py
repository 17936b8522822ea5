"""What the calls of other packages refuse, and what they no longer lose."""

import io
import pathlib
import pickle

import numpy as np
import pytest

import spr_convert as spr
from conftest import SAMPLES
from spr_convert.compat import kaldi_io, kaldi_native_io, kaldiio

FBANK = str(SAMPLES / "fbank.ark")
MASKED = np.ma.MaskedArray(np.ones((2, 2), np.float32), [[0, 1], [0, 0]])


@pytest.mark.parametrize("dtype", [None, "f4", "f8"])
def test_arrays_of_matrices_are_copies(dtype):
    source = np.zeros((2, 2), "f4")
    matrix = kaldi_native_io.FloatMatrix(source)
    np.array(matrix, dtype=dtype)[0, 0] = 9
    matrix.__array__(dtype=dtype, copy=True)[0, 0] = 9
    assert source[0, 0] == 0 and matrix.numpy()[0, 0] == 0
    assert np.array(matrix, dtype=dtype).dtype == (dtype or "f4")
    if dtype == "f8":
        with pytest.raises(ValueError, match="without a copy"):
            matrix.__array__(dtype=dtype, copy=False)
    else:
        assert matrix.__array__(dtype=dtype, copy=False) is matrix.numpy()
    # The array is the matrix's own, as in kaldi_native_io.
    matrix.numpy()[0, 0] = 9
    assert source[0, 0] == 0


@pytest.mark.parametrize("sort", ["FloatMatrix", "FloatVector", "DoubleMatrix", "DoubleVector"])
@pytest.mark.parametrize("dtype", ["f2", "f4", "f8", "i4"])
def test_writers_take_one_type(sort, dtype):
    own = "f4" if sort.startswith("Float") else "f8"
    value = np.ones((1, 2) if sort.endswith("Matrix") else 2, dtype)
    with getattr(kaldi_native_io, f"{sort}Writer")("ark:a.ark") as writer:
        if dtype == own:
            writer["a"] = value
        else:
            with pytest.raises(kaldi_native_io.Mismatch, match=" of float"):
                writer["a"] = value
        with pytest.raises(kaldi_native_io.Mismatch):
            writer["b"] = value[None]
    # A single object is cast to what its class names.
    assert getattr(kaldi_native_io, sort)(value).numpy().dtype == own


@pytest.mark.parametrize(
    "sort,value,taken",
    [
        ("Float", 0.1, True),
        ("Float", np.inf, True),
        ("Float", 1e300, False),
        ("Double", 1e300, True),
        ("CompressedMatrix", np.array([[0.1, 1.0]]), True),
        ("CompressedMatrix", np.array([[1e300, 1.0]]), False),
        ("CompressedMatrix", np.array([[1, 2]]), False),
        ("Wave", kaldi_native_io.WaveData(8000.0, np.array([[1.0, -2.0]])), True),
        ("Wave", kaldi_native_io.WaveData(8000.5, np.array([[1.0, -2.0]])), False),
        ("Wave", kaldi_native_io.WaveData(8000.0, np.array([[1.0, 0.5]])), False),
        ("Wave", kaldi_native_io.WaveData(8000.0, np.array([[1.0, 40000.0]])), False),
    ],
)
def test_writers_refuse_what_would_change(sort, value, taken):
    with getattr(kaldi_native_io, f"{sort}Writer")("ark:a.ark") as writer:
        if taken:
            writer["a"] = value
        else:
            with pytest.raises(spr.Error):
                writer["a"] = value


READER, FINDER = (
    getattr(kaldi_native_io, f"{sort}FloatMatrixReader") for sort in ("Sequential", "RandomAccess")
)


@pytest.mark.parametrize(
    "sort,use",
    [
        (READER, lambda reader: reader.done),
        (READER, lambda reader: reader.key),
        (READER, lambda reader: reader.value),
        (READER, lambda reader: reader.next()),
        (READER, list),
        (FINDER, lambda reader: reader["ann-001"]),
        (FINDER, lambda reader: "ann-001" in reader),
    ],
)
def test_readers_are_used_while_they_are_open(sort, use):
    for reader in (sort(), sort(f"ark:{FBANK}")):
        reader.close()
        assert not reader.is_open
        with pytest.raises(kaldi_native_io.NotOpen, match="not open"):
            use(reader)


@pytest.mark.parametrize("sort", ["FloatMatrix", "CompressedMatrix"])
def test_writers_are_used_while_they_are_open(apart, sort):
    kind = getattr(kaldi_native_io, f"{sort}Writer")
    value = np.ones((2, 2), np.float32)
    for writer in (kind(), kind("ark:a.ark")):
        named = writer.is_open
        assert writer.close() and writer.close() and not writer.is_open
        for _ in range(2):
            with pytest.raises(kaldi_native_io.NotOpen, match="not open"):
                writer.write("a", value)
        assert (apart / "a.ark").exists() == named
    with pytest.raises(KeyError), kind("ark:b.ark"):
        raise KeyError
    assert not (apart / "b.ark").exists()


@pytest.mark.parametrize(
    "write",
    [
        lambda value: kaldiio.WriteHelper("ark:a.ark")("a", value),
        lambda value: kaldiio.WriteHelper("ark:a.ark")("a", (8000, value)),
        lambda value: kaldiio.save_mat("a.mat", value),
        lambda value: kaldi_io.write_mat(io.BytesIO(), value),
        lambda value: kaldi_io.write_vec_flt(io.BytesIO(), value[0]),
        lambda value: kaldi_io.write_vec_int(io.BytesIO(), value[0].astype(int)),
        lambda value: kaldi_native_io.FloatMatrix(value),
        lambda value: kaldi_native_io.FloatMatrixWriter("ark:a.ark").write("a", value),
    ],
)
@pytest.mark.filterwarnings("ignore:.*never closed:ResourceWarning")
def test_masked_numbers_are_refused(write):
    with pytest.raises(spr.UsageError, match="masked"):
        write(MASKED)


@pytest.mark.parametrize("rate", [22050.9, float("nan"), float("inf")])
def test_rates_are_whole(rate):
    wave = np.arange(4, dtype=np.int16)
    with kaldiio.WriteHelper("ark:a.ark") as writer:
        with pytest.raises(spr.UsageError, match="not whole"):
            writer("a", (rate, wave))
        with pytest.raises(spr.UsageError, match="not whole"):
            writer("a", (wave, rate))
        writer("a", (22050.0, wave))
    assert dict(kaldiio.load_ark("a.ark"))["a"][0] == 22050


def test_segments_are_a_table():
    wave = np.arange(16, dtype=np.int16)
    kaldiio.save_ark("w.ark", {"rec": (8, wave)}, scp="w.scp")
    pathlib.Path("segments").write_text("s1 rec 0.5 1.0\ns2 rec 1.0 -1\n")
    cut = kaldiio.load_scp("w.scp", segments="segments")
    assert "w.scp" in repr(cut) and "segments" in repr(cut)
    assert (cut.at(0), cut.at(-1)) == ("s1", "s2")
    utt = cut.utterance("s1")
    assert utt.key == "s1" and utt.audio.rate == 8
    np.testing.assert_array_equal(utt.audio.samples, wave[4:8])
    for find in (cut.__getitem__, cut.utterance):
        with pytest.raises(spr.KeyMissing):
            find("rec")
    with pytest.raises(IndexError):
        cut.at(2)
    assert cut == cut and cut != kaldiio.load_scp("w.scp", segments="segments")
    assert len({cut, cut}) == 1


def test_separators_of_script_files(apart):
    values = {"a": np.ones((2, 2), np.float32), "b c": np.zeros((1, 2), np.float32)}
    for number, value in enumerate(values.values()):
        kaldiio.save_mat(f"{number}.mat", value)
    (apart / "a.scp").write_text("a,0.mat\nb c , 1.mat\n")
    by_key = kaldiio.load_scp("a.scp", separator=",")
    for read in (
        by_key,
        pickle.loads(pickle.dumps(by_key)),
        dict(kaldiio.load_scp_sequential("a.scp", separator=",")),
        kaldiio.load_wav_scp("a.scp", separator=","),
    ):
        assert list(read) == list(values)
        for key, value in values.items():
            np.testing.assert_array_equal(read[key], value)
    np.testing.assert_array_equal(by_key.utterance("a").features, values["a"])
    with pytest.raises(spr.DataError, match=r"a.scp:1: the line has no ';'"):
        kaldiio.load_scp("a.scp", separator=";")
    wave = np.arange(16, dtype=np.int16)
    kaldiio.save_ark("w.ark", {"rec": (8, wave)})
    (apart / "w.scp").write_text("rec,w.ark:4\n")
    (apart / "segments").write_text("s1 rec 0.5 1.0\n")
    cut = kaldiio.load_scp("w.scp", separator=",", segments="segments")
    np.testing.assert_array_equal(cut["s1"][1], wave[4:8])


@pytest.mark.parametrize(
    "call",
    [
        lambda: kaldiio.load_scp("a.scp", endian=">"),
        lambda: kaldiio.load_scp_sequential("a.scp", endian=">"),
        lambda: kaldiio.load_mat("a.mat", endian=">"),
        lambda: kaldiio.save_mat("a.mat", np.ones((1, 1)), endian=">"),
        lambda: kaldiio.save_ark("a.ark", {}, endian=">"),
        lambda: kaldiio.read_kaldi(io.BytesIO(), endian=">"),
    ],
)
def test_big_endian_numbers_are_refused(call):
    with pytest.raises(spr.UsageError, match="little endian"):
        call()


def test_words_that_begin_as_sound_does(apart):
    (apart / "t.ark").write_text("u1 AUDIOBOOK HELLO\nu2 AUDIO\nu3 AUDIO\tX\n")
    told = {"u1": ["AUDIOBOOK", "HELLO"], "u2": ["AUDIO"], "u3": ["AUDIO", "X"]}
    assert dict(kaldiio.load_ark("t.ark")) == told
    (apart / "t.scp").write_text("u1 t.ark:3\n")
    assert dict(kaldiio.load_scp("t.scp")) == {"u1": told["u1"]}
    assert dict(kaldiio.load_scp_sequential("t.scp")) == {"u1": told["u1"]}
