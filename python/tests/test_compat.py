"""The calls of other packages, as code out there makes them."""

import io
import os
import pathlib
import pickle
import subprocess
import sys

import numpy as np
import pytest

import spr_convert as spr
from conftest import SAMPLES
from spr_convert.compat import kaldi_io, kaldi_native_io, kaldiio

FBANK = str(SAMPLES / "fbank.ark")
MATRICES = {
    "a": np.arange(6, dtype=np.float32).reshape(2, 3),
    "b": np.linspace(0, 1, 12).reshape(4, 3),
}


def same(got, expected):
    assert list(got) == list(expected)
    for key, value in expected.items():
        assert got[key].dtype == value.dtype
        np.testing.assert_array_equal(got[key], value)


def test_writers_are_called_and_subscripted(apart):
    with kaldiio.WriteHelper("ark,scp:a.ark,a.scp") as writer:
        writer("a", MATRICES["a"])
        writer["b"] = MATRICES["b"]
    same(dict(kaldiio.load_scp("a.scp").items()), MATRICES)
    same(dict(kaldiio.load_ark("a.ark")), MATRICES)
    same(dict(kaldiio.load_scp_sequential("a.scp")), MATRICES)
    for rspecifier in ("ark:a.ark", "scp:a.scp", "ark:cat a.ark |"):
        same(dict(kaldiio.ReadHelper(rspecifier)), MATRICES)
        with kaldiio.ReadHelper(rspecifier) as reader:
            found = {}
            for key, value in reader:
                found[key] = value
            same(found, MATRICES)
    with open("a.ark", "rb") as file:
        same(dict(kaldiio.load_ark(file)), MATRICES)
    assert next(kaldiio.load_ark(io.BytesIO(pathlib.Path("a.ark").read_bytes())))[0] == "a"


def test_a_writer_that_nobody_closes(apart):
    writer = kaldiio.WriteHelper("ark:a.ark")
    writer["a"] = MATRICES["a"]
    with pytest.warns(ResourceWarning, match="never closed"):
        del writer
    assert list(dict(kaldiio.load_ark("a.ark"))) == ["a"]
    with pytest.raises(RuntimeError), kaldiio.WriteHelper("ark:b.ark") as writer:
        writer["a"] = MATRICES["a"]
        raise RuntimeError
    assert not os.path.exists("b.ark")


def test_places(apart):
    kaldiio.save_ark("a.ark", MATRICES, scp="a.scp")
    places = dict(line.split() for line in pathlib.Path("a.scp").read_text().splitlines())
    np.testing.assert_array_equal(kaldiio.load_mat(places["b"]), MATRICES["b"])
    np.testing.assert_array_equal(kaldiio.load_mat(places["b"] + "[1:2]"), MATRICES["b"][1:3])
    kaldiio.save_mat("cmvn.mat", MATRICES["b"])
    np.testing.assert_array_equal(kaldiio.load_mat("cmvn.mat"), MATRICES["b"])
    rate, samples = kaldiio.load_mat(str(SAMPLES.parent / "wav" / "ann-001.wav"))
    assert rate == 16000 and samples.dtype == np.int16 and samples.ndim == 1
    with pytest.raises(FileNotFoundError):
        kaldiio.load_mat("nowhere.ark:12")
    with pytest.raises(KeyError):
        kaldiio.load_scp("a.scp")["x"]


def test_commands_are_asked_for(apart, monkeypatch):
    kaldiio.save_mat("a.mat", MATRICES["a"])
    pathlib.Path("a.scp").write_text("a cat a.mat |\n")
    for work in (lambda: kaldiio.load_scp("a.scp")["a"], lambda: kaldiio.load_mat("cat a.mat |")):
        with pytest.raises(spr.Error, match="command"):
            work()
    monkeypatch.setattr(kaldiio, "allow_pipes", True)
    np.testing.assert_array_equal(kaldiio.load_scp("a.scp")["a"], MATRICES["a"])
    np.testing.assert_array_equal(kaldiio.load_mat("cat a.mat |"), MATRICES["a"])


def test_save_ark_as_it_is_called(apart):
    with open("a.ark", "wb") as ark, open("a.scp", "w") as scp:
        for key, value in MATRICES.items():
            kaldiio.save_ark(ark, {key: value}, scp, True)
    same(dict(kaldiio.load_scp("a.scp")), MATRICES)
    kaldiio.save_ark("b.ark", {"a": MATRICES["a"]}, "b.scp")
    kaldiio.save_ark("b.ark", {"b": MATRICES["b"]}, "b.scp", append=True)
    same(dict(kaldiio.load_scp("b.scp")), MATRICES)
    assert pathlib.Path("b.ark").read_bytes() == pathlib.Path("a.ark").read_bytes()
    kaldiio.save_ark("t.ark", {"f": np.array([0.5, 1.0], np.float32)}, text=True)
    assert b"\0B" not in pathlib.Path("t.ark").read_bytes()
    back = dict(kaldiio.load_ark("t.ark"))
    assert back["f"].dtype == np.float32
    kaldiio.save_ark("i.ark", {"i": np.arange(3)})
    assert dict(kaldiio.load_ark("i.ark"))["i"].dtype == np.int32
    kaldiio.save_ark("h.ark", {"h": np.ones((2, 2), np.float16), "l": [[1.0, 2.0]]})
    assert dict(kaldiio.load_ark("h.ark"))["h"].dtype == np.float32


@pytest.mark.parametrize("method", range(1, 8))
def test_compression(apart, method):
    value = np.random.default_rng(1).random((20, 5)).astype(np.float32)
    with kaldiio.WriteHelper("ark:a.ark", compression_method=method) as writer:
        writer("a", value)
    kaldiio.save_ark("b.ark", {"a": value}, compression_method=method)
    kaldiio.save_mat("c.mat", value, compression_method=method)
    read = [
        dict(kaldiio.load_ark("a.ark"))["a"],
        dict(kaldiio.load_ark("b.ark"))["a"],
        kaldiio.load_mat("c.mat"),
    ]
    for got in read:
        assert got.dtype == np.float32
        np.testing.assert_array_equal(got, read[0])
    assert os.path.getsize("a.ark") < value.nbytes


def test_sound(apart):
    wave = np.arange(-50, 50, dtype=np.int16)
    kaldiio.save_ark(
        "w.ark", {"one": (8000, wave), "two": (wave.reshape(-1, 2), 8000)}, scp="w.scp"
    )
    sound = kaldiio.load_scp("w.scp")
    rate, samples = sound["one"]
    assert rate == 8000 and type(rate) is int
    np.testing.assert_array_equal(samples, wave)
    np.testing.assert_array_equal(sound["two"][1], wave.reshape(-1, 2))


def test_segments(apart):
    wave = np.arange(16, dtype=np.int16)
    kaldiio.save_ark("w.ark", {"rec": (8, wave)}, scp="w.scp")
    pathlib.Path("segments").write_text("s1 rec 0.5 1.05\ns2 rec 1.0 -1\n")
    cut = kaldiio.load_scp("w.scp", segments="segments")
    assert list(cut) == ["s1", "s2"] and cut["s1"][0] == 8
    np.testing.assert_array_equal(cut["s1"][1], wave[4:8])
    np.testing.assert_array_equal(cut["s2"][1], wave[8:])
    for reader in (
        kaldiio.load_scp_sequential("w.scp", segments="segments"),
        kaldiio.ReadHelper("scp:w.scp", segments="segments"),
        pickle.loads(pickle.dumps(cut)).items(),
    ):
        assert [key for key, _ in reader] == ["s1", "s2"]


def test_sound_in_frames(apart):
    pytest.importorskip("soundfile")
    wave = (np.arange(400) * 80 - 16000).astype(np.int16)
    with open("f.ark", "wb") as ark, open("f.scp", "w") as scp:
        how = {"format": "flac", "subtype": None}
        for key in ("a", "b"):
            kaldiio.save_ark(
                ark,
                {key: (wave, 16000)},
                scp=scp,
                append=True,
                write_function="soundfile",
                write_kwargs=how,
            )
    assert (
        pathlib.Path("f.ark").read_bytes()[:9]
        == b"a AUDIO\x01" + pathlib.Path("f.ark").read_bytes()[8:9]
    )
    with kaldiio.WriteHelper("ark,scp:g.ark,g.scp", write_function="soundfile") as writer:
        writer("a", (16000, wave))
    assert not os.path.exists("g.ark.part")
    for name in ("f", "g"):
        for pairs in (
            kaldiio.load_ark(f"{name}.ark"),
            kaldiio.load_scp_sequential(f"{name}.scp"),
            kaldiio.load_scp(f"{name}.scp").items(),
            kaldiio.ReadHelper(f"scp:{name}.scp"),
        ):
            for _, (rate, samples) in pairs:
                assert rate == 16000
                np.testing.assert_allclose(samples * 32768, wave)
    writer = kaldiio.WriteHelper("ark:h.ark", write_function="soundfile")
    writer("a", (16000, wave))
    with pytest.warns(ResourceWarning, match="never closed"):
        del writer
    assert len(dict(kaldiio.load_ark("h.ark"))) == 1
    whole = pathlib.Path("f.ark").read_bytes()
    pathlib.Path("cut.ark").write_bytes(whole[:-9])
    with pytest.raises(spr.DataError, match="ends before"):
        dict(kaldiio.load_ark("cut.ark"))


def test_specifiers(apart):
    flags = {"t": False, "o": False, "p": False, "f": False, "s": False, "cs": False}
    assert kaldiio.parse_specifier("ark,scp,t:a,b") == {**flags, "ark": "a", "scp": "b", "t": True}
    assert kaldiio.parse_specifier("scp,ark:a,b")["scp"] == "a"
    assert kaldiio.parse_specifier("ark:| gzip -c > f")["ark"] == "| gzip -c > f"
    for wrong in ("x.scp", "foo:x", "t:x", "ark,scp:a", "ark,ark:a,b"):
        with pytest.raises(ValueError):
            kaldiio.parse_specifier(wrong)
    for work in (kaldiio.WriteHelper, kaldiio.ReadHelper):
        with pytest.raises(ValueError):
            work("x.scp")
    with pytest.raises(ValueError):
        kaldiio.WriteHelper("scp:x")


def test_commands_of_the_caller_run(apart):
    with kaldiio.WriteHelper("ark:| gzip -c > a.ark.gz") as writer:
        writer("a", MATRICES["a"])
    same(dict(kaldiio.load_ark("a.ark.gz")), {"a": MATRICES["a"]})
    with kaldiio.open_like_kaldi("gzip -dc a.ark.gz |", "rb") as file:
        assert file.read(2) == b"a "
    with kaldiio.open_like_kaldi("| cat > out", "w") as file:
        file.write("text")
    assert pathlib.Path("out").read_text() == "text"
    run = [
        sys.executable,
        "-c",
        "from spr_convert.compat import kaldiio as k\n"
        "with k.WriteHelper('ark:-') as w: w('a', [[1.0]])",
    ]
    assert subprocess.run(run, capture_output=True, check=True).stdout.startswith(b"a \0B")


def test_what_is_no_matrix_is_refused(apart):
    with kaldiio.WriteHelper("ark:a.ark") as writer:
        for value in (np.zeros((2, 2), int), np.zeros((1, 1, 1)), np.float32(1)):
            with pytest.raises(ValueError):
                writer("a", value)
        with pytest.raises(ValueError):
            writer("a b", np.zeros(3, np.float32))
        writer("a", np.zeros(3, np.float32))
    with pytest.raises(ValueError):
        writer("a", np.zeros(3, np.float32))


def test_tables_go_to_workers(fbank):
    data = kaldiio.load_scp(fbank, max_cache_fd=32)
    data["ann-001"]
    back = pickle.loads(pickle.dumps(data))
    assert len(back) == 12 and back["ann-001"].shape == data["ann-001"].shape
    assert data["ann-001"].flags.writeable


def test_objects_of_an_open_file(apart):
    kaldiio.save_ark("a.ark", {**MATRICES, "v": np.ones(3, np.float32)})
    kaldiio.save_ark("a.ark", {"i": np.arange(4)}, append=True)
    with open("a.ark", "rb") as file:
        found = {}
        while True:
            key = kaldiio.matio.read_token(file)
            if key is None:
                break
            found[key], size = kaldiio.matio.read_kaldi(file, return_size=True)
            assert size > 0
    assert list(found) == ["a", "b", "v", "i"] and found["i"].tolist() == [0, 1, 2, 3]
    np.testing.assert_array_equal(found["b"], MATRICES["b"])


def test_kaldi_io(apart):
    with kaldi_io.open_or_fd("a.ark", "wb") as file:
        for key, value in MATRICES.items():
            kaldi_io.write_mat(file, value, key=key)
    same(dict(kaldi_io.read_mat_ark("a.ark")), MATRICES)
    same(dict(kaldi_io.read_mat_ark("ark:a.ark")), MATRICES)
    same(dict(kaldi_io.read_mat_ark("cat a.ark |")), MATRICES)
    same(dict(kaldi_io.read_mat_ark("ark:cat a.ark |")), MATRICES)
    spr.index("a.ark")
    same(dict(kaldi_io.read_mat_scp("a.scp")), MATRICES)
    place = pathlib.Path("a.scp").read_text().split()[1]
    np.testing.assert_array_equal(kaldi_io.read_mat(place), MATRICES["a"])
    with open("a.ark", "rb") as file:
        for key, value in MATRICES.items():
            assert kaldi_io.read_key(file) == key
            np.testing.assert_array_equal(kaldi_io.read_mat(file), value)
        assert kaldi_io.read_key(file) is None
    kaldi_io.write_mat("one.mat", MATRICES["a"])
    np.testing.assert_array_equal(kaldi_io.read_mat("one.mat"), MATRICES["a"])
    for write, read, value in (
        (kaldi_io.write_vec_flt, kaldi_io.read_vec_flt_ark, np.array([0.5, 2], np.float32)),
        (kaldi_io.write_vec_int, kaldi_io.read_vec_int_ark, np.array([5, -2], np.int32)),
    ):
        with open("v.ark", "wb") as file:
            write(file, value, key="v")
        same(dict(read("v.ark")), {"v": value})
        with pytest.raises(spr.DataError):
            dict(kaldi_io.read_mat_ark("v.ark"))
    with pytest.raises(TypeError):
        kaldi_io.write_mat("x", np.zeros((1, 1), int))
    posts = dict(kaldi_io.read_post_ark(str(SAMPLES / "post.ark")))
    assert posts["ann-001"][0] == [(4, 1.0)]
    with open("p.ark", "wb") as file:
        kaldi_io.write_post(file, posts["ann-001"], key="p")
    assert dict(kaldi_io.read_post_ark("p.ark"))["p"] == posts["ann-001"]
    alignments = dict(kaldi_io.read_vec_int_ark(str(SAMPLES / "ali.txt")))
    assert alignments["ann-001"].dtype == np.int32


THEIRS = [
    ("FloatMatrix", FBANK),
    ("FloatMatrix", str(SAMPLES / "mfcc_cm.ark")),
    ("DoubleMatrix", str(SAMPLES / "cmvn.ark")),
    ("DoubleMatrix", FBANK),
    ("Int32Vector", str(SAMPLES / "ali.ark")),
    ("Posterior", str(SAMPLES / "post.ark")),
]


@pytest.mark.parametrize("sort,path", THEIRS)
def test_kaldi_native_io_as_it_is(apart, sort, path):
    theirs = pytest.importorskip("kaldi_native_io")
    read = [
        [
            # Theirs are views of what the reader reads into.
            (key, value if isinstance(value, list) else np.array(value))
            for key, value in getattr(module, f"Sequential{sort}Reader")(f"ark:{path}")
        ]
        for module in (theirs, kaldi_native_io)
    ]
    assert [key for key, _ in read[0]] == [key for key, _ in read[1]]
    for (_, expected), (_, got) in zip(*read):
        if isinstance(expected, list):
            assert got == expected
        else:
            assert got.dtype == expected.dtype
            np.testing.assert_array_equal(got, expected)
    for module, name in ((theirs, "theirs"), (kaldi_native_io, "ours")):
        with getattr(module, f"{sort}Writer")(f"ark:{name}.ark") as writer:
            for key, value in read[1]:
                writer[key] = value
    assert pathlib.Path("ours.ark").read_bytes() == pathlib.Path("theirs.ark").read_bytes()
    with getattr(kaldi_native_io, f"RandomAccess{sort}Reader")("ark:theirs.ark") as reader:
        key, value = read[1][-1]
        assert key in reader and "x" not in reader
        np.testing.assert_array_equal(np.array(reader[key], object), np.array(value, object))


def test_kaldi_native_io_small_integers_and_blobs(apart):
    theirs = pytest.importorskip("kaldi_native_io")
    values = {"Int8Vector": [[1, -2, 127, -128], []], "Blob": [b"any\0bytes\n", b"", b"a \0BFM "]}
    for sort, all in values.items():
        modules = [(theirs, "theirs")] + [(kaldi_native_io, "ours")] * (sort == "Int8Vector")
        for module, name in modules:
            with getattr(module, f"{sort}Writer")(f"ark,scp:{name}.ark,{name}.scp") as writer:
                for number, value in enumerate(all):
                    writer.write(f"k{number}", value)
        if sort == "Int8Vector":
            ours, their = (pathlib.Path(f"{name}.ark").read_bytes() for _, name in modules[::-1])
            assert ours == their
        for table in ("ark:theirs.ark", "scp:theirs.scp"):
            read = getattr(kaldi_native_io, f"Sequential{sort}Reader")(table)
            assert [value for _, value in read] == all
        assert (
            getattr(kaldi_native_io, f"RandomAccess{sort}Reader")("scp:theirs.scp")["k1"] == all[1]
        )
        place = pathlib.Path("theirs.scp").read_text().split()[1]
        name = "read_blob" if sort == "Blob" else "read_int8_vector"
        assert getattr(kaldi_native_io, name)(place) == all[0] == getattr(theirs, name)(place)
    assert not hasattr(kaldi_native_io, "BlobWriter")
    with pytest.raises(RuntimeError, match="-128 to 127"):
        kaldi_native_io.Int8VectorWriter("ark:x.ark").write("a", [200])
    with pytest.raises(RuntimeError):
        list(kaldi_native_io.SequentialBlobReader(f"ark:{FBANK}"))


def test_kaldi_native_io_htk_matrices(apart):
    theirs = pytest.importorskip("kaldi_native_io")
    values = [np.arange(6, dtype=np.float32).reshape(3, 2) + n for n in range(3)]
    headers = [(3, 100000, 8, 9), (3, 50000, 8, 6 + 0o1500), (3, 100000, 8, 11 + 0o20000)]
    with theirs.HtkMatrixWriter("ark,scp:h.ark,h.scp") as writer:
        for n, (value, header) in enumerate(zip(values, headers)):
            writer.write(f"k{n}", (value, theirs.HtkHeader(*header)))
    for table in ("ark:h.ark", "scp:h.scp"):
        read = list(kaldi_native_io.SequentialHtkMatrixReader(table))
        for (_, (value, header)), expected, told in zip(read, values, headers):
            np.testing.assert_array_equal(value, expected)
            assert header == told
    reader = theirs.RandomAccessHtkMatrixReader("scp:h.scp")
    value, header = kaldi_native_io.RandomAccessHtkMatrixReader("scp:h.scp")["k1"]
    np.testing.assert_array_equal(value, reader["k1"][0])
    assert header.sample_kind == reader["k1"][1].sample_kind
    with pytest.raises(spr.Error):
        list(kaldi_native_io.SequentialHtkMatrixReader(f"ark:{FBANK}"))


@pytest.mark.parametrize("form", ["wav", "flac"])
def test_sound_inside_archives_comes_as_its_readers_give_it(apart, form):
    theirs = pytest.importorskip("omniio.kaldi")
    pytest.importorskip("soundfile")
    samples = np.array([0, 1, -32768, 32767], np.int16)
    for name, how in (
        ("framed", {"write_function": "soundfile", "write_kwargs": {"format": form}}),
        ("plain", {}),
    ):
        with open(f"{name}.ark", "wb") as ark, open(f"{name}.scp", "w") as scp:
            theirs.save_ark(ark, {"a": (16000, samples)}, scp=scp, append=True, **how)
        for load in (kaldiio.load_scp, theirs.load_scp):
            rate, array = load(f"{name}.scp")["a"]
            # Floats from -1 to 1 of a frame, integers of sound as Kaldi stores it.
            assert rate == 16000 and array.dtype == ("f8" if how else "i2")
            np.testing.assert_array_equal(array, samples / (32768 if how else 1))


def test_commands_are_refused_with_what_can_be_done(apart):
    with pytest.raises(spr.UsageError) as caught:
        kaldiio.load_mat(f"cat {FBANK} |")
    told = str(caught.value)
    assert told.startswith(f"refused to run the command 'cat {FBANK}'\n")
    assert "allow_pipes = True" in told and "spr_convert.open" in told


def test_kaldi_native_io(apart):
    reader = kaldi_native_io.SequentialFloatMatrixReader(f"ark:{FBANK}")
    count = 0
    while not reader.done:
        assert reader.value.shape[1] == 40 and reader.key
        reader.next()
        count += 1
    reader.close()
    assert count == 12 and not reader.is_open
    with pytest.raises(RuntimeError):
        list(kaldi_native_io.SequentialFloatVectorReader(f"ark:{FBANK}"))
    with kaldi_native_io.CompressedMatrixWriter("ark:c.ark") as writer:
        writer.write("a", MATRICES["a"], method=kaldi_native_io.CompressionMethod.kTwoByteAuto)
    np.testing.assert_allclose(
        dict(kaldi_native_io.SequentialFloatMatrixReader("ark:c.ark"))["a"],
        MATRICES["a"],
        atol=1e-3,
    )
    matrix = kaldi_native_io.FloatMatrix.read(f"{FBANK}:8")
    assert matrix.numpy().shape == matrix.shape == (291, 40)
    matrix.write("m.mat")
    np.testing.assert_array_equal(kaldi_native_io.FloatMatrix.read("m.mat").numpy(), matrix.numpy())
    assert kaldi_native_io.MatrixShape.read(f"{FBANK}:8").num_rows == 291
    wave = kaldi_native_io.read_wave(str(SAMPLES.parent / "wav" / "ann-001.wav"))
    assert wave.data.shape == (1, 46901) and wave.sample_freq == 16000
    assert type(wave.data.numpy()) is np.ndarray and wave.data.numpy().shape == (1, 46901)
    assert pickle.loads(pickle.dumps(wave)).data.numpy()[0, 0] == wave.data[0, 0]
    with kaldi_native_io.WaveWriter("ark:w.ark") as writer:
        writer.write("w", wave)
    ((_, back),) = kaldi_native_io.SequentialWaveReader("ark:w.ark")
    np.testing.assert_array_equal(back.data, wave.data)
    for sort, value in (
        ("Token", "word"),
        ("TokenVector", ["two", "words"]),
        ("Int32", 7),
        ("Bool", True),
        ("Float", 0.5),
        ("Double", 0.1),
        ("Int32VectorVector", [[1, 2], [], [3]]),
        ("Int32PairVector", [(1, 2), (3, 4)]),
    ):
        with getattr(kaldi_native_io, f"{sort}Writer")("ark,t:o.ark") as writer:
            writer["k"] = value
        ((key, back),) = getattr(kaldi_native_io, f"Sequential{sort}Reader")("ark:o.ark")
        assert (key, back) == ("k", value)


def test_torchaudio(fbank):
    torch = pytest.importorskip("torch")
    from spr_convert.compat import torchaudio

    for _, tensor in torchaudio.read_mat_scp(fbank):
        assert tensor.dtype == torch.float32
