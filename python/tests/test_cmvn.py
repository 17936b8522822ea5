"""Normalisation against NumPy in 64 bits, with Kaldi's formula."""

import numpy as np
import pytest

import spr_convert as spr


def by_kaldi(values, stats, vars):
    """What apply-cmvn does: sums and the number of frames in the first row, squares in the second."""
    count = stats[0, -1]
    mean = stats[0, :-1] / count
    shifted = values.astype(np.float64) - mean
    if not vars:
        return shifted
    variance = np.maximum(stats[1, :-1] / count - mean**2, 1e-20)
    return shifted / np.sqrt(variance)


def stats_of(matrices):
    frames = np.concatenate([m.astype(np.float64) for m in matrices])
    first = np.append(frames.sum(axis=0), len(frames))
    return np.stack([first, np.append((frames**2).sum(axis=0), 0.0)])


def speaker_of(key):
    return key.split("-")[0]


@pytest.fixture
def speakers(fbank, apart):
    lines = [f"{key} {speaker_of(key)}\n" for key in spr.open(fbank).keys()]
    (apart / "utt2spk").write_text("".join(lines))
    return "utt2spk"


GROUPS = {"utterance": lambda key: key, "speaker": speaker_of, "global": lambda key: "global"}


@pytest.mark.parametrize("vars", [False, True])
@pytest.mark.parametrize("by", list(GROUPS))
def test_as_numpy(fbank, speakers, by, vars):
    """Both compute in 64 bits and round once: to one unit of the last place of 32 bits."""
    data = {utt.key: utt.features for utt in spr.open(fbank)}
    group = GROUPS[by]
    stats = {
        name: stats_of([data[key] for key in data if group(key) == name])
        for name in {group(key) for key in data}
    }
    ds = spr.open(fbank).join(speakers=speakers)
    stored = {utt.key: utt.features for utt in ds.cmvn_stats(by)}
    assert list(stored) == sorted(stats)
    for name, matrix in stored.items():
        assert matrix.dtype == np.float64
        np.testing.assert_allclose(matrix, stats[name], rtol=1e-12)
    ds.cmvn_stats(by).write("stats.ark")
    for way in [ds.cmvn(by, vars=vars), ds.cmvn(by, vars=vars, stats="stats.ark")]:
        seen = {utt.key: utt.features for utt in way}
        assert list(seen) == list(data)
        for key, value in data.items():
            expected = by_kaldi(value, stats[group(key)], vars).astype(np.float32)
            assert seen[key].dtype == np.float32
            np.testing.assert_allclose(seen[key], expected, rtol=2**-22, atol=1e-7)
            np.testing.assert_array_equal(way[key].features, seen[key])


def test_types(apart):
    """16 and 64 bits are normalised in 64; integers are refused."""
    rng = np.random.default_rng(2)
    values = rng.normal(5, 2, (30, 3))
    for dtype, tolerance in [(np.float64, 1e-12), (np.float16, 2**-10)]:
        with spr.Writer("a.npz", overwrite=True) as writer:
            writer["a"] = values.astype(dtype)
        (utt,) = spr.open("a.npz").cmvn(vars=True)
        stored = values.astype(dtype).astype(np.float64)
        expected = (stored - stored.mean(0)) / stored.std(0)
        assert utt.features.dtype == dtype
        np.testing.assert_allclose(utt.features, expected, atol=5 * tolerance)
    with spr.Writer("i.npz") as writer:
        writer["a"] = values.astype(np.int16)
    with pytest.raises(spr.DataError, match="only floats can be normalised") as caught:
        list(spr.open("i.npz").cmvn())
    assert caught.value.key == "a"


@pytest.mark.parametrize("by", ["speaker", "global"])
def test_shares_have_the_statistics_of_the_whole(fbank, speakers, by):
    whole = {utt.key: utt.features for utt in spr.open(fbank).join(speakers=speakers).cmvn(by)}
    ds = spr.open(fbank, shard=(1, 3)).join(speakers=speakers)
    ways = [ds.cmvn(by), spr.open(fbank).join(speakers=speakers).shard(1, 3).cmvn(by)]
    for way in ways:
        seen = {utt.key: utt.features for utt in way}
        assert list(seen) == list(whole)[1::3]
        for key, value in seen.items():
            np.testing.assert_array_equal(value, whole[key])


def test_what_is_read_once_and_what_is_missing(fbank, apart):
    data = (apart / "f.ark").as_posix()
    spr.open(fbank).write(data)
    with open(data, "rb") as file, pytest.raises(spr.UsageError, match="twice"):
        list(spr.open(file).cmvn("global"))
    spr.open(data).cmvn_stats("global").write("stats.ark")
    with open(data, "rb") as file:
        once = [utt.features for utt in spr.open(file).cmvn("utterance")]
    assert len(once) == 12
    with pytest.raises(spr.DataError, match="nothing says who speaks it") as caught:
        list(spr.open(fbank).cmvn("speaker"))
    assert caught.value.key == "ann-001"
    spr.open(fbank).first(3).cmvn_stats().write("few.ark")
    with pytest.raises(spr.DataError, match="no statistics of it") as caught:
        list(spr.open(fbank).cmvn(stats="few.ark"))
    assert caught.value.key == "ann-004"
    with pytest.warns(spr.SkippedWarning) as told:
        assert len(list(spr.open(fbank, on_error="skip").cmvn(stats="few.ark"))) == 3
    assert len(told) == 9
    with pytest.raises(spr.UsageError, match="'word' is not utterance, speaker or global"):
        spr.open(fbank).cmvn("word")
    with pytest.raises(FileNotFoundError):
        list(spr.open(fbank).cmvn(stats="nowhere.ark"))


def test_it_is_a_value(fbank):
    import pickle

    ds = spr.open(fbank).cmvn("global", vars=True)
    assert "stages: cmvn(global,vars)" in ds.explain()
    assert pickle.loads(pickle.dumps(ds)) == ds
    first = next(iter(pickle.loads(pickle.dumps(ds))))
    np.testing.assert_array_equal(first.features, ds["ann-001"].features)
    outcome = ds.write("out.ark")
    assert outcome.utterances == 12
    np.testing.assert_array_equal(spr.load("out.ark")["ann-001"], first.features)
