"""lilcom's own module, and Lhotse's stores of features where lhotse is installed."""
import json
import os
import shutil

import numpy as np

import without_torch

ARRAYS = 2000
TICKS = range(-20, 21)


def drawn(seed):
    """An array of 1 to 4 axes."""
    rs = np.random.RandomState(seed)
    shape = tuple(rs.randint(1, most) for most in [(300,), (60, 30), (12, 9, 8), (7, 6, 5, 4)][rs.randint(4)])
    noise = rs.standard_normal(shape)
    kinds = [
        lambda: noise,
        lambda: np.cumsum(noise, axis=rs.randint(len(shape))),
        lambda: np.zeros(shape),
        lambda: np.full(shape, -15.94),
        lambda: noise * 10.0 ** rs.randint(-30, 17),
        lambda: noise * (rs.random_sample(shape) < 0.03) * 50,
        lambda: np.exp(3 * noise),
        lambda: rs.randint(-5, 6, shape),
        lambda: -np.abs(noise) - 4,
    ]
    return kinds[rs.randint(len(kinds))]().astype("f4"), bool(rs.randint(4))


def is_other_order(values):
    """Whether lilcom adds the terms of a prediction in another order than its decoder."""
    return values.ndim > 3 and values.shape[-1] == 1


def fresh(t, name):
    shutil.rmtree(t.path(name), ignore_errors=True)
    os.makedirs(t.path(name))
    return name


def streams(t):
    import lilcom

    for tick in TICKS:
        arrays = {"%04d" % n: drawn(n) for n in range(ARRAYS) if TICKS[n % len(TICKS)] == tick}
        with t.check("lilcom: %d arrays of ticks of 2^%d" % (len(arrays), tick)):
            theirs, plain = fresh(t, "theirs"), {way: fresh(t, "plain-%d" % way) for way in (0, 1)}
            streams = {key: lilcom.compress(values.copy(), tick, way) for key, (values, way) in arrays.items()}
            for key, (values, way) in arrays.items():
                np.save(t.path("plain-%d/%s.npy" % (way, key)), values)
                with open(t.path("theirs/%s.llc" % key), "wb") as f:
                    f.write(streams[key])
            fresh(t, "decoded")
            t.convert("lilcom:theirs/", "npy:decoded/")
            for way, regression in enumerate(("false", "true")):
                fresh(t, "ours-%d" % way)
                t.convert("npy:plain-%d/" % way, "lilcom:ours-%d/,tick=%d,regression=%s" % (way, tick, regression), "--allow-loss", "range")
            for key, (values, way) in arrays.items():
                expected = lilcom.decompress(streams[key])
                got = np.load(t.path("decoded/%s.npy" % key))
                assert got.shape == expected.shape and got.tobytes() == expected.tobytes(), key
                with open(t.path("ours-%d/%s.llc" % (way, key)), "rb") as f:
                    ours = f.read()
                assert is_other_order(values) or ours == streams[key], key
                lilcom.decompress(ours)
    with t.check("lilcom: what is damaged is refused by both, or read as the same"):
        rs = np.random.RandomState(1)
        good = lilcom.compress(np.cumsum(rs.standard_normal((40, 5)), axis=0).astype("f4"), -5)
        for n in range(300):
            bad = bytearray(good)
            bad[rs.randint(2, len(bad))] ^= 1 << rs.randint(8)
            with open(t.path("bad.llc"), "wb") as f:
                f.write(bad)
            try:
                expected = lilcom.decompress(bytes(bad))
            except (ValueError, RuntimeError, MemoryError):
                expected = None
            try:
                t.convert("bad.llc", "npy:bad.npy")
                got = np.load(t.path("bad.npy"))
            except RuntimeError:
                got = None
            assert (got is None) == (expected is None), n
            assert got is None or got.tobytes() == expected.tobytes(), n


UTTERANCES = [("ann-1", 1003, 8), ("bob-2", 37, 8), ("cy-3", 500, 8), ("d\u00e9-4", 501, 8)]


def matrices():
    return {key: np.cumsum(np.random.RandomState(n).standard_normal((rows, cols)), axis=0).astype("f4")
            for n, (key, rows, cols) in enumerate(UTTERANCES)}


def read(t):
    """We read what Lhotse writes, whole and in parts."""
    from lhotse import CutSet, Features, FeatureSet, MonoCut
    from lhotse.features.io import (ChunkedLilcomHdf5Writer, LilcomChunkyWriter, LilcomFilesWriter, LilcomHdf5Writer,
                                    LilcomURLWriter, NumpyFilesWriter, NumpyHdf5Writer)

    writers = {"lilcom_chunky": LilcomChunkyWriter, "lilcom_files": LilcomFilesWriter, "lilcom_url": LilcomURLWriter,
               "numpy_files": NumpyFilesWriter, "numpy_hdf5": NumpyHdf5Writer, "lilcom_hdf5": LilcomHdf5Writer,
               "chunked_lilcom_hdf5": ChunkedLilcomHdf5Writer}
    for store, writer in writers.items():
        with t.check("stores: %s of lhotse, whole and in cuts" % store):
            with writer("written-" + store) as out:
                place = str(out.storage_path)
                features = [Features("fbank", len(values), values.shape[1], 0.01, 8000, 0.0, len(values) / 100, store, place,
                                     out.write(key, values.copy()), key, 0)
                            for key, values in matrices().items()]
            FeatureSet.from_features(features).to_file("whole.jsonl")
            got = {key: values for key, values, *_ in t.jsonl("whole.jsonl")}
            assert list(got) == [f.recording_id for f in features], list(got)
            for f in features:
                assert np.array_equal(got[f.recording_id], f.load()), f.recording_id
            cuts = CutSet.from_cuts(MonoCut(f.recording_id, 0.0, f.duration, 0, features=f) for f in features)
            parts = [cuts, cuts.subset(first=1).truncate(max_duration=5.1, offset_type="end"),
                     cuts.cut_into_windows(1.7), cuts.subset(first=1).cut_into_windows(4.9, 0.95),
                     cuts.truncate(max_duration=0.2, offset_type="start")]
            for n, part in enumerate(parts):
                part = part.to_eager()
                part.to_file("part.jsonl")
                got = {key: values for key, values, *_ in t.jsonl("part.jsonl")}
                for cut in part:
                    expected = cut.features.load(start=cut.start, duration=cut.duration)
                    assert np.array_equal(got[cut.id], expected), (n, cut.id)


def write(t):
    """Lhotse reads what we write."""
    import lilcom
    from lhotse import load_manifest
    from lhotse.qa import validate

    entries = []
    for key, values in matrices().items():
        samples = 80 * len(values)
        audio = {"path": "audio/%s.wav" % key, "rate": 8000, "channels": 1, "samples": samples}
        entries.append((key, values, audio))
    with open("plain.jsonl", "w", encoding="utf-8") as f:
        for key, values, audio in entries:
            features = {"dtype": "f32", "shape": values.shape, "data": values.tolist()}
            f.write(json.dumps({"key": key, "features": features, "audio": audio, "meta": {"frame_shift": 0.01}}) + "\n")
    for store in ("lilcom_chunky", "lilcom_files", "numpy_files"):
        with t.check("stores: lhotse reads %s of ours" % store):
            t.convert("plain.jsonl", "lhotse:ours/,store=%s" % store)
            manifest = load_manifest("ours/features.jsonl.gz")
            validate(manifest, read_data=True)
            assert {f.storage_type for f in manifest} == {store}
            for f, (key, values, _) in zip(manifest, entries):
                step = {"lilcom_chunky": 500, "lilcom_files": len(values), "numpy_files": 0}[store]
                chunks = [values[n:n + step].copy() for n in range(0, len(values), step)] if step else []
                expected = np.concatenate([lilcom.decompress(lilcom.compress(c, -5)) for c in chunks]) if step else values
                assert np.array_equal(f.load(), expected), key
                assert np.array_equal(f.load(start=0.1, duration=0.2), expected[10:30]), key
            back = {key: values for key, values, *_ in t.jsonl("lhotse:ours/")}
            for f, (key, *_) in zip(manifest, entries):
                assert np.array_equal(back[key], f.load()), key


def checks(t):
    streams(t)
    if not without_torch.install():
        print("not tried: lhotse is not installed, see tests/interop/README.md")
        return
    before = os.getcwd()
    os.chdir(t.folder)
    try:
        read(t)
        write(t)
    finally:
        os.chdir(before)
