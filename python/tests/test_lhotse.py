"""Cuts of Lhotse: what is made of utterances, and utterances of cuts, both compared with the format."""

import numpy as np
import pytest

import spr_convert as spr
from conftest import SAMPLES

WAV = SAMPLES.parent / "wav"
RATE = 16000


def corpus(n=3):
    """Utterances with everything that a cut holds."""
    for i in range(n):
        samples = np.random.default_rng(i).integers(-9000, 9000, 8000 + 800 * i).astype(np.int16)
        frames = 50 + 5 * i
        yield spr.Utterance(
            f"utt-{i}",
            np.random.default_rng(i).normal(size=(frames, 4)).astype(np.float32),
            labels=np.arange(frames, dtype=np.int32) % 7,
            audio=spr.Audio(RATE, samples),
            text=f"word {i}",
            tiers=[
                spr.Tier("word", [spr.Segment(0.1, 0.2, "word"), spr.Segment(0.25, 0.5, str(i))])
            ],
            meta={"speaker": "ann", "frame_shift": 0.01},
        )


def same(one, other, exact=True):
    assert one.key == other.key and one.text == other.text
    np.testing.assert_array_equal(one.features, other.features)
    np.testing.assert_array_equal(one.labels, other.labels)
    if exact:
        np.testing.assert_array_equal(one.audio.samples / np.float32(32768), other.audio.samples)
    assert one.audio.rate == other.audio.rate and one.meta["speaker"] == other.meta["speaker"]
    for a, b in zip(one.tiers[0].segments, other.tiers[0].segments):
        assert a.label == b.label and np.allclose((a.start, a.end), (b.start, b.end))


def test_there_and_back(lhotse):
    cuts = spr.lhotse.to_cuts(corpus())
    for before, after in zip(corpus(), spr.lhotse.from_cuts(cuts)):
        same(before, after)


def test_lhotse_takes_the_cuts(lhotse, tmp_path):
    from lhotse.qa import validate

    cuts = spr.lhotse.to_cuts(list(corpus()))
    # Each loop is a pass.
    assert [cut.id for cut in cuts] == [cut.id for cut in cuts] == ["utt-0", "utt-1", "utt-2"]
    eager = cuts.to_eager()
    validate(eager)
    cut = eager["utt-1"]
    assert cut.load_features().shape == (55, 4) and cut.load_audio().shape == (1, 8800)
    assert cut.load_labels().tolist() == [n % 7 for n in range(55)]
    half = cut.truncate(duration=0.25)
    assert half.load_features().shape == (25, 4) and half.load_audio().shape == (1, 4000)
    assert cut.supervisions[0].alignment["word"][1].symbol == "1"
    # Lhotse writes them, and our own reader of its files agrees.
    (tmp_path / "shar").mkdir()
    eager.to_shar(tmp_path / "shar", {"recording": "wav", "features": "numpy", "labels": "numpy"})
    for before, after in zip(corpus(), spr.open(f"shar:{tmp_path / 'shar'}")):
        same(before, after, exact=False)
        np.testing.assert_array_equal(before.audio.samples, after.audio.samples)


def test_manifests_on_the_disk_are_the_same_cuts(lhotse):
    sound = sorted(WAV.glob("*.wav"))
    cuts = [lhotse.Recording.from_file(path).to_cut() for path in sound]
    lhotse.CutSet.from_cuts(cuts).to_file("cuts.jsonl.gz")
    theirs = list(spr.lhotse.from_cuts(lhotse.CutSet.from_file("cuts.jsonl.gz")))
    ours = list(spr.open("lhotse:cuts.jsonl.gz"))
    assert [utt.key for utt in ours] == [utt.key for utt in theirs] and len(ours) == len(sound)
    for a, b in zip(ours, theirs):
        np.testing.assert_array_equal(a.audio.samples / np.float32(32768), b.audio.samples)
    with pytest.raises(spr.UsageError, match="samples=True"):
        list(spr.lhotse.to_cuts(spr.open("lhotse:cuts.jsonl.gz", samples=False)))


def test_several_supervisions_are_utterances_each(lhotse):
    (cut,) = spr.lhotse.to_cuts(list(corpus(1)))
    one = cut.supervisions[0]
    parts = [
        lhotse.SupervisionSegment(f"s{i}", one.recording_id, 0.25 * i, 0.25, text=str(i))
        for i in range(2)
    ]
    cut.supervisions = parts
    for i, utt in enumerate(spr.lhotse.from_cuts([cut])):
        assert utt.key == f"s{i}" and utt.text == str(i)
        assert len(utt.audio.samples) == 4000 and len(utt.features) == 25


def test_what_cuts_cannot_hold(lhotse, fbank):
    ds = spr.open(fbank)
    with pytest.raises(spr.UsageError, match=r"frame_shift.*unknown[\s\S]*frame_shift=0.01"):
        list(spr.lhotse.to_cuts(ds))
    with pytest.raises(spr.UsageError, match=r"rate.*unknown"):
        list(spr.lhotse.to_cuts(ds, frame_shift=0.01))
    with pytest.raises(spr.UsageError, match="no length"):
        spr.lhotse.cut(spr.Utterance("a", text="yes"))
    with pytest.raises(spr.UsageError, match="object"):
        spr.lhotse.cut(spr.Utterance("a", object=spr.Object("posterior", [])))
    assert len(list(spr.lhotse.to_cuts(ds, frame_shift=0.01, rate=RATE))) == 12


def whole(**parts):
    """Half a second of sound, with its frames."""
    values = {
        "features": np.ones((50, 2), np.float32),
        "audio": spr.Audio(RATE, np.zeros(RATE // 2, np.int16)),
        "meta": {"frame_shift": 0.01, "speaker": "ann"},
    }
    return spr.Utterance("a", **{**values, **parts})


def tiers(*names, points=False, speaker=None):
    segments = [spr.Segment(0.1, 0.2, "x", speaker=speaker)]
    return {"tiers": [spr.Tier(name, segments, points) for name in names]}


@pytest.mark.parametrize(
    "parts,words",
    [
        ({"features": np.ones((51, 2), np.float32)}, "has 51 frames.*1 to 50"),
        ({"features": np.ones((0, 2), np.float32)}, "has 0 frames"),
        ({"features": None, "labels": np.zeros(51, np.int32)}, "has 51 frames"),
        ({"labels": np.zeros(49, np.int32)}, "49 labels for 50 frames"),
        ({"labels": np.zeros(0, np.int32)}, "0 labels for 50 frames"),
        ({"labels": np.array(1)}, "one label"),
        ({"labels": np.zeros(50, np.int32), "arrays": {"labels": np.ones(3)}}, "array 'labels'"),
        ({"arrays": {"one": np.array(1.0)}}, "array 'one' of no dimensions"),
        (tiers("word", "phone", "word"), "two tiers.*'word'"),
        (tiers("", "word"), "two tiers.*'word'"),
        (tiers("peaks", points=True), "'peaks' is of points"),
        (tiers("word", speaker="bob"), "speaker 'bob'"),
    ],
)
def test_what_a_cut_would_lose_is_refused(lhotse, parts, words):
    with pytest.raises(spr.UsageError, match=words):
        spr.lhotse.cut(whole(**parts))


@pytest.mark.parametrize(
    "parts",
    [
        {"features": np.ones((48, 2), np.float32)},
        {"labels": np.zeros((50, 2), np.int32)},
        {"arrays": {"one": np.arange(6).reshape(2, 3)}},
        tiers("word", "phone"),
        tiers("word", speaker="ann"),
        {"meta": {"frame_shift": 0.01, "recording": "r", "start": 1.5, "end": 2.0, "channel": "A"}},
        {"meta": {"frame_shift": 0.01, "tags": [("spraak", "SITE", "lab")]}},
        {"features": None, "meta": {"frame_shift": 0.01, "frame_offset": 0.005}},
        {"audio": spr.Audio(RATE, np.zeros((RATE // 2, 2), np.int16)), "text": "two channels"},
    ],
)
def test_what_cuts_hold_comes_back(lhotse, parts):
    from lhotse.qa import validate

    before = whole(**parts)
    cut = spr.lhotse.cut(before)
    validate(cut)
    (after,) = spr.lhotse.from_cuts([cut])
    assert after.meta == before.meta and after.text == before.text
    for name in ("features", "labels"):
        np.testing.assert_array_equal(getattr(after, name), getattr(before, name))
    assert after.audio.samples.shape == before.audio.samples.shape
    assert [tier.name for tier in after.tiers or []] == [tier.name for tier in before.tiers or []]
    assert list(after.arrays or {}) == list(before.arrays or {})


def test_a_piece_of_a_cut_has_no_times_of_the_whole(lhotse):
    meta = {"frame_shift": 0.01, "recording": "r", "start": 1.5, "end": 2.0}
    cut = spr.lhotse.cut(whole(meta=meta))
    (piece,) = spr.lhotse.from_cuts([cut.truncate(duration=0.25)])
    assert piece.meta == {"frame_shift": 0.01, "recording": "r"}
