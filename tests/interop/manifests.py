"""Manifests: by the rules of NeMo's loader, and by lhotse where it is installed."""
import json
import os
import wave

import numpy as np

import without_torch


def recording(t, name, seed, samples):
    os.makedirs(t.path("audio"), exist_ok=True)
    values = np.random.RandomState(seed).randint(-9999, 9999, samples).astype("<i2")
    with wave.open(t.path("audio/%s.wav" % name), "wb") as f:
        f.setparams((1, 2, 8000, 0, "NONE", ""))
        f.writeframes(values.tobytes())
    return values


def samples(path, first=0, count=None):
    with wave.open(path) as f:
        values = np.frombuffer(f.readframes(f.getnframes()), "<i2")
    return values[first:] if count is None else values[first:first + count]


STRETCHES = [("ann-1", "rec1", 0.0, 0.4, "ONE TWO"), ("ann-2", "rec1", 0.45, 0.35, "\u00dcBER"), ("bob-1", "rec2", 0.1, 0.4, "THREE")]


def directory(t):
    """A Kaldi data directory of stretches of two recordings; the samples of each utterance."""
    whole = {"rec1": recording(t, "rec1", 1, 6400), "rec2": recording(t, "rec2", 2, 4000)}
    tables = {
        "wav.scp": "".join("%s audio/%s.wav\n" % (name, name) for name in whole),
        "segments": "".join("%s %s %s %s\n" % (key, rec, start, round(start + lasts, 2)) for key, rec, start, lasts, _ in STRETCHES),
        "text": "".join("%s %s\n" % (key, text) for key, *_, text in STRETCHES),
        "utt2spk": "".join("%s %s\n" % (key, key[:3]) for key, *_ in STRETCHES),
        "spk2utt": "ann ann-1 ann-2\nbob bob-1\n",
    }
    os.makedirs(t.path("data"), exist_ok=True)
    for name, text in tables.items():
        with open(t.path("data/" + name), "w", encoding="utf-8") as f:
            f.write(text)
    cut = lambda rec, start, lasts: whole[rec][round(8000 * start):round(8000 * (start + lasts))]
    return {key: cut(rec, start, lasts) for key, rec, start, lasts, _ in STRETCHES}


def nemo(t, expected):
    with t.check("manifests: NeMo's rules find the sound of a manifest from anywhere"):
        os.makedirs(t.path("deep/er"), exist_ok=True)
        t.convert("data", "nemo:deep/er/train.json")
        manifest = t.path("deep/er/train.json")
        with open(manifest, encoding="utf-8") as f:
            lines = [json.loads(line) for line in f]
        for line, (key, _, start, lasts, text) in zip(lines, STRETCHES):
            path = os.path.join(os.path.dirname(manifest), line["audio_filepath"])
            got = samples(path, round(8000 * line.get("offset", 0)), round(8000 * line["duration"]))
            assert np.array_equal(got, expected[key]), key
            assert (line["offset"], line["duration"], line["text"]) == (start, lasts, text), line
        assert len(lines) == len(STRETCHES)


def folder(t, expected):
    with t.check("manifests: an AudioFolder has each stretch as a file"):
        t.convert("data", "audiofolder:folder")
        with open(t.path("folder/metadata.jsonl"), encoding="utf-8") as f:
            rows = [json.loads(line) for line in f]
        for row, (key, *_, text) in zip(rows, STRETCHES):
            assert np.array_equal(samples(t.path("folder/" + row["file_name"])), expected[key]), key
            assert row["text"] == text
        assert len(rows) == len(STRETCHES)


def lhotse(t, expected):
    from lhotse import load_manifest, load_manifest_lazy
    from lhotse.qa import validate, validate_recordings_and_supervisions

    before = os.getcwd()
    os.chdir(t.folder)
    try:
        with t.check("manifests: lhotse validates recordings and supervisions, and reads the sound"):
            t.convert("data", "lhotse:out")
            recordings = load_manifest("out/recordings.jsonl.gz")
            supervisions = load_manifest("out/supervisions.jsonl.gz")
            validate_recordings_and_supervisions(recordings, supervisions, read_data=True)
            for said in supervisions:
                heard = recordings[said.recording_id].load_audio(offset=said.start, duration=said.duration)
                assert np.array_equal(np.rint(heard[0] * 32768).astype("i2"), expected[said.id]), said.id
        with t.check("manifests: lhotse validates cuts"):
            t.convert("data", "lhotse:cuts.jsonl.gz")
            cuts = load_manifest_lazy("cuts.jsonl.gz")
            for cut, (key, *_, text) in zip(cuts, STRETCHES):
                validate(cut, read_data=True)
                assert (cut.id, cut.supervisions[0].text) == (key, text)
        with t.check("manifests: what lhotse saves is what we save"):
            load_manifest("out/supervisions.jsonl.gz").to_file("again.jsonl")
            t.convert("again.jsonl,recordings=out/recordings.jsonl.gz", "kaldi-data:back")
            for name in ("segments", "text", "utt2spk", "wav.scp"):
                with open("data/" + name, "rb") as a, open("back/" + name, "rb") as b:
                    assert a.read() == b.read(), name
        with t.check("manifests: lhotse validates features"):
            features = [(key, np.random.RandomState(3).standard_normal((round(lasts * 100), 4)).astype("f4"), rec, start, lasts)
                        for key, rec, start, lasts, _ in STRETCHES]
            with open("with.jsonl", "w") as f:
                for key, values, rec, start, lasts in features:
                    end = round(start + lasts, 2)
                    audio = {"path": "audio/%s.wav" % rec, "start": start, "end": end}
                    entry = {"key": key, "features": {"dtype": "f32", "shape": values.shape, "data": values.tolist()}, "audio": audio,
                             "meta": {"frame_shift": 0.01, "recording": rec, "start": start, "end": end}}
                    f.write(json.dumps(entry) + "\n")
            t.convert("with.jsonl", "lhotse:feats")
            manifest = load_manifest("feats/features.jsonl.gz")
            validate(manifest, read_data=True)
            for got, (key, values, *_) in zip(manifest, features):
                assert np.array_equal(got.load(), values), key
    finally:
        os.chdir(before)


def checks(t):
    expected = directory(t)
    nemo(t, expected)
    folder(t, expected)
    if without_torch.install():
        lhotse(t, expected)
    else:
        print("not tried: lhotse is not installed, see tests/interop/README.md")
