"""Lhotse's Shar, by its own writer and reader, where lhotse is installed."""
import base64
import gzip
import io
import json
import os
import shutil
import tarfile
import warnings

import numpy as np

import without_torch

KEYS = ["ann-1", "bob.x-2", "d/cy-3", "d\u00e9-4", "e-5"]
RATE, SHIFT = 8000, 0.01


def walk(seed, *shape):
    return np.cumsum(np.random.RandomState(seed).standard_normal(shape), axis=0).astype("f4")


def samples(seed, count, channels=1):
    """16-bit samples."""
    return np.random.RandomState(seed).randint(-9000, 9000, (count, channels)).astype("i2")


def corpus():
    """Cuts of lhotse with everything that a Shar holds, a part of one, some without a field."""
    import soundfile
    from lhotse import CutSet, Features, MonoCut, NumpyFilesWriter, Recording, SupervisionSegment
    from lhotse.array import TemporalArray
    from lhotse.supervision import AlignmentItem

    os.makedirs("sound", exist_ok=True)
    cuts = []
    with NumpyFilesWriter("store") as store:
        for n, key in enumerate(KEYS):
            path = "sound/%d.wav" % n
            soundfile.write(path, samples(n, 4000), RATE, subtype="PCM_16")
            recording = Recording.from_file(path, recording_id="rec-%d" % n)
            flat = key.replace("/", "-")
            features = walk(n, 50, 4)
            features = Features("fbank", 50, 4, SHIFT, RATE, 0.0, 0.5, "numpy_files", "store",
                                store.write(flat, features), recording.id, 0)
            ali = store.store_array(flat + "-ali", np.arange(50, dtype="i4") % 7 + n, frame_shift=SHIFT,
                                    temporal_dim=0, start=0)
            emb = store.store_array(flat + "-emb", walk(9 + n, 8))
            said = SupervisionSegment("s-" + key, recording.id, 0.05, 0.2, text="\u00dcB %d" % n, speaker="ann",
                                      alignment={"word": [AlignmentItem("\u00dcB", 0.06, 0.1, 0.5)]})
            custom = {"ali": ali, "emb": emb, "note": {"a": n, "b": [1, None]}, "plain": "p%d" % n}
            for name, at in [("ali", 2), ("emb", 1), ("note", 4)]:
                if n == at:
                    del custom[name]
            cut = MonoCut(key, 0.0, 0.5, 0, [said], features if n != 1 else None, recording, custom)
            cuts.append(cut.truncate(duration=0.3, preserve_id=True) if n == 0 else cut)
            assert isinstance(cuts[-1].custom.get("ali", None), (TemporalArray, type(None)))
    return CutSet.from_cuts(cuts)


FIELDS = {"recording": "wav", "features": "numpy", "ali": "numpy", "emb": "lilcom", "note": "jsonl"}


def save(cuts, folder, **how):
    """Writes a Shar by lhotse in a new folder."""
    shutil.rmtree(folder, ignore_errors=True)
    os.makedirs(folder)
    cuts.to_shar(folder, warn_unused_fields=False, **how)


def ours(t, source):
    """The data set as the program gives it, in the canonical form."""
    text = t.run(source, "jsonl:-", "--quiet", "--oo", "labels=ali").decode("utf-8")
    return {entry["key"]: entry for entry in map(json.loads, text.splitlines())}


def values(entry):
    dtype = entry["dtype"][0] + str(int(entry["dtype"][1:]) // 8)
    return np.array(entry["data"], dtype).reshape(entry["shape"])


def loaded(t, entry):
    """The samples of an utterance, whose sound is a file or a part of one."""
    import soundfile

    audio = entry["audio"]
    if "base64" in audio:
        file = base64.b64decode(audio["base64"])
    else:
        with open(t.path(audio["path"]), "rb") as f:
            f.seek(audio["byte"])
            file = f.read(audio["length"])
    return soundfile.read(io.BytesIO(file), dtype="int16", always_2d=True)[0]


def same(t, entry, cut):
    """An utterance of ours is a cut of lhotse's."""
    said = cut.supervisions[0]
    assert (entry["text"], entry["meta"]["speaker"]) == (said.text, said.speaker), entry
    if cut.has_recording:
        assert np.array_equal(loaded(t, entry), np.round(cut.load_audio().T * 32768).astype("i2")), cut.id
    assert ("features" in entry and entry["features"] is not None) == cut.has_features, cut.id
    if cut.has_features:
        assert np.array_equal(values(entry["features"]), cut.load_features()), cut.id
    if cut.has_custom("ali"):
        assert entry["labels"] == cut.load_ali().tolist(), cut.id
    if cut.has_custom("emb"):
        assert np.array_equal(values(entry["arrays"]["emb"]), cut.load_emb()), cut.id
    tags = {name: value for form, name, value in entry["meta"]["tags"] if form == "manifest"}
    for name in ("note", "plain"):
        assert cut.has_custom(name) == (name in tags), (cut.id, name)
        if name in tags:
            assert json.loads(tags[name]) == getattr(cut, name), (cut.id, name)
    [tier] = entry["tiers"]
    [word] = tier["segments"]
    item = said.alignment["word"][0]
    assert (tier["name"], word["label"], word["score"]) == ("word", item.symbol, item.score), tier


def read(t):
    """We read what lhotse writes."""
    from lhotse import CutSet

    cuts = corpus()
    for sound in ("wav", "flac", "original"):
        for packed in ("", "gz"):
            with t.check("shar: of lhotse, sound as %s%s" % (sound, ", packed" if packed else "")):
                save(cuts, "theirs", fields=dict(FIELDS, recording=sound), shard_size=2)
                for name in sorted(os.listdir("theirs")) if packed else []:
                    if name.endswith(".tar"):
                        with open("theirs/" + name, "rb") as f, gzip.open("theirs/%s.gz" % name, "wb") as out:
                            out.write(f.read())
                        os.remove("theirs/" + name)
                got = ours(t, "theirs")
                assert list(got) == KEYS, list(got)
                for cut in CutSet.from_shar(in_dir="theirs"):
                    same(t, got[cut.id], cut)


def write(t):
    """Lhotse reads what we write, of its own data and of others."""
    from lhotse import CutSet, validate

    cuts = {cut.id: cut for cut in CutSet.from_shar(in_dir="theirs")}
    for options in ("", ",shard-size=2", ",shard-size=2,sound=wav,jsonl=note", ",sound=original,shard-size=1"):
        with t.check("shar: lhotse reads ours%s" % options):
            t.convert("theirs", "shar:ours%s,labels=ali" % options)
            back = list(CutSet.from_shar(in_dir="ours"))
            assert [cut.id for cut in back] == KEYS
            for cut in back:
                validate(cut)
                other = cuts[cut.id]
                assert np.array_equal(cut.load_audio(), other.load_audio()), cut.id
                assert (cut.start, cut.duration, cut.recording_id) == (0, other.duration, other.recording_id)
                assert cut.has_features == other.has_features
                if cut.has_features:
                    assert np.array_equal(cut.load_features(), other.load_features()), cut.id
                for name, load in (("ali", "load_ali"), ("emb", "load_emb")):
                    assert cut.has_custom(name) == other.has_custom(name), (cut.id, name)
                    if cut.has_custom(name):
                        a, b = getattr(cut, load)(), getattr(other, load)()
                        assert a.dtype == b.dtype and np.array_equal(a, b), (cut.id, name)
                for name in ("note", "plain"):
                    assert getattr(cut, name, None) == getattr(other, name, None), (cut.id, name)
                [said], [expected] = cut.supervisions, other.supervisions
                for name in ("id", "start", "duration", "text", "speaker", "recording_id"):
                    assert getattr(said, name) == getattr(expected, name), (cut.id, name)
                assert said.alignment["word"][0].symbol == "\u00dcB"
                short = cut.truncate(duration=0.1)
                assert np.array_equal(short.load_audio(), other.truncate(duration=0.1).load_audio())
    with t.check("shar: lhotse reads features of ours without sound, and rounded ones"):
        entries = [(key, walk(n, 38, 4), None, {"frame_shift": 0.01}) for n, key in enumerate(KEYS)]
        t.write_jsonl("features.jsonl", entries)
        t.convert("features.jsonl", "shar:alone,rate=8000")
        for cut, (key, matrix, *_) in zip(CutSet.from_shar(in_dir="alone"), entries):
            validate(cut)
            assert cut.id == key and np.array_equal(cut.load_features(), matrix), key
        t.convert("features.jsonl", "shar:alone,rate=8000,features=lilcom")
        for cut, (key, matrix, *_) in zip(CutSet.from_shar(in_dir="alone"), entries):
            assert np.abs(cut.load_features() - matrix).max() <= 1 / 64, key
    with t.check("shar: lhotse reads arrays of every type and rank, and two channels"):
        arrays = {}
        for n, dtype in enumerate(["f2", "f4", "f8", "i1", "u1", "i2", "u2", "i4", "u4", "i8", "u8"]):
            arrays["a%d" % n] = np.arange(2 * (n + 1)).reshape((2, n + 1) if n % 2 else (2, 1, n + 1)).astype(dtype)
        line = {"key": "a", "audio": {"rate": RATE, "dtype": "i16", "shape": [100, 2], "data": samples(1, 100, 2).tolist()},
                "arrays": {name: {"dtype": value.dtype.kind + str(8 * value.dtype.itemsize), "shape": value.shape,
                                  "data": value.tolist()} for name, value in arrays.items()}, "meta": {}}
        with open(t.path("arrays.jsonl"), "w") as f:
            f.write(json.dumps(line) + "\n")
        t.convert("arrays.jsonl", "shar:arrays")
        [cut] = list(CutSet.from_shar(in_dir="arrays"))
        assert np.array_equal(cut.load_audio().T * 32768, samples(1, 100, 2)), cut
        for name, value in arrays.items():
            got = cut.load_custom(name)
            assert got.dtype == value.dtype and np.array_equal(got, value), name


def dropped(t):
    """What lhotse drops in silence is named."""
    from lhotse import CutSet

    def refused(name, phrase):
        try:
            t.run(name, "jsonl:-")
        except RuntimeError as error:
            assert phrase in str(error), error
        else:
            raise AssertionError("not refused")

    with t.check("shar: a shorter stream and a damaged header are told, which lhotse passes over"):
        cuts = corpus()
        save(cuts, "short", fields={"recording": "wav", "features": "numpy"}, shard_size=5)
        with tarfile.open("short/features.000000.tar") as tar:
            members = [(m.name, tar.extractfile(m).read()) for m in tar][:6]
        with tarfile.open("short/features.000000.tar", "w") as tar:
            for name, data in members:
                info = tarfile.TarInfo(name)
                info.size = len(data)
                tar.addfile(info, io.BytesIO(data))
        assert len(list(CutSet.from_shar(in_dir="short"))) == 3
        refused("short", "features.000000.tar: utterance d\u00e9-4: ends before this cut")
        save(cuts, "damaged", fields={"recording": "wav"}, shard_size=5)
        with open("damaged/recording.000000.tar", "r+b") as f:
            data = bytearray(f.read())
            data[data.index(b"e-5.wav") + 100] ^= 1
            f.seek(0)
            f.write(data)
        assert len(list(CutSet.from_shar(in_dir="damaged"))) == 4
        refused("damaged", "the header of a member is damaged")


def checks(t):
    if not without_torch.install():
        print("not tried: lhotse is not installed, see tests/interop/README.md")
        return
    # lhotse leaves files to be closed by Python.
    warnings.filterwarnings("ignore", category=ResourceWarning)
    before = os.getcwd()
    os.chdir(t.folder)
    try:
        read(t)
        write(t)
        dropped(t)
    finally:
        os.chdir(before)
