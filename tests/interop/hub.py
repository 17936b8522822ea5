"""Hugging Face's datasets, and pyarrow: Parquet and Arrow files, folders as the Hub has them.

Sound stays encoded (`decode=False`), as decoding it needs PyTorch."""
import json
import os

import numpy as np

from tars import KEYS, RATE, corpus, says, refused, wav, write_jsonl


def load(t, name, split="train"):
    """A data set as datasets loads it, with what it takes the columns for, and sound as bytes."""
    import datasets

    datasets.disable_progress_bars()
    datasets.logging.set_verbosity_error()
    path = t.path(name)
    cache = t.path("cache")
    if os.path.isdir(path):
        data = datasets.load_dataset(path, split=split, cache_dir=cache)
    else:
        data = datasets.load_dataset("parquet", data_files=path, split="train", cache_dir=cache)
    features = dict(data.features)
    for column, feature in features.items():
        if isinstance(feature, datasets.Audio):
            data = data.cast_column(column, datasets.Audio(decode=False))
    return data, features


def same_as_corpus(data):
    rows = {row["id"]: row for row in data}
    assert sorted(rows) == sorted(KEYS), sorted(rows)
    for key, features, labels, sound, said, speaker in corpus():
        row = rows[key]
        assert np.array(row["features"], "f4").tobytes() == features.tobytes(), key
        assert row["labels"] == labels.tolist() and (row["text"], row["speaker"]) == (said, speaker), key
        assert row["audio"]["bytes"] == wav(sound), key
        assert row["audio"]["path"] == key + ".wav", row["audio"]["path"]


def written(t):
    import datasets
    import pyarrow.parquet as pq

    write_jsonl(t, "hub.jsonl", corpus())
    for target in ("hub.parquet", "hub/", "many/,shard-size=5k"):
        name = target.split("/")[0]
        with t.check("hub: datasets loads ours: %s" % target):
            t.convert("hub.jsonl", "hf:" + target)
            data, features = load(t, name)
            same_as_corpus(data)
            assert features["audio"] == datasets.Audio(sampling_rate=RATE), features
            value = datasets.Value
            assert features["features"] == datasets.List(datasets.List(value("float32"), length=3)), features
            assert features["labels"] == datasets.List(value("int32")), features
            assert features["text"] == value("string"), features
        with t.check("hub: and the same comes back: %s" % target):
            t.convert("hf:" + name, "again.parquet")
            assert t.run("again.parquet", "jsonl:-", "-q") == t.run("hf:" + name, "jsonl:-", "-q")
    with t.check("hub: many files"):
        files = sorted(os.listdir(t.path("many/data")))
        assert len(files) > 1 and files[0] == "train-00000-of-%05d.parquet" % len(files), files
    with t.check("hub: pyarrow reads ours, sound uncompressed"):
        file = pq.ParquetFile(t.path("hub.parquet"))
        group = file.metadata.row_group(0)
        codecs = {group.column(n).path_in_schema: group.column(n).compression for n in range(group.num_columns)}
        assert codecs["audio.bytes"] == "UNCOMPRESSED" and codecs["text"] == "ZSTD", codecs
        assert file.read().column("id").to_pylist() == KEYS
    with t.check("hub: classes"):
        t.convert("hub.jsonl", "hf:classes/,classes=speaker")
        data, features = load(t, "classes")
        assert features["speaker"] == datasets.ClassLabel(names=["speaker 0", "speaker 1"]), features
        assert data["speaker"][:] == [n % 2 for n in range(len(KEYS))]
        t.convert("hf:classes", "hf:classes2/")
        assert load(t, "classes2")[1] == features
        assert json.loads(t.run("classes2", "jsonl:-", "-q").splitlines()[1])["meta"]["speaker"] == "speaker 1"
    with t.check("hub: segments and other columns"):
        entry = {"key": "a", "text": "x", "segments": [{"start": 0.45, "end": 0.9, "label": "w", "score": 0.5}],
                 "meta": {"tags": [["manifest", "snr", "1.5"], ["manifest", "n", "7"], ["manifest", "ok", "true"],
                                   ["manifest", "any", "[1, {}]"], ["kaldi-data", "utt2uniq", "u"]]}}
        with open(t.path("tags.jsonl"), "w", encoding="utf-8") as f:
            f.write(json.dumps(entry) + "\n")
        t.convert("tags.jsonl", "tags.parquet")
        data, features = load(t, "tags.parquet")
        assert data[0] == {"id": "a", "text": "x", "segments": [{"start": 0.45, "end": 0.9, "text": "w", "score": 0.5}],
                           "snr": 1.5, "n": 7, "ok": True, "any": "[1, {}]", "kaldi-data:utt2uniq": "u"}, data[0]
        assert t.run("tags.parquet", "jsonl:-", "-q") == t.run("tags.jsonl", "jsonl:-", "-q")


def reads(t):
    import datasets
    import pyarrow as pa
    from datasets.table import InMemoryTable

    rows = list(corpus())
    features = datasets.Features({
        "utt": datasets.Value("string"), "speech": datasets.Audio(sampling_rate=RATE),
        "fixed": datasets.Array2D((None, 3), "float32"), "ali": datasets.List(datasets.Value("int32")),
        "sentence": datasets.Value("large_string"), "speaker": datasets.ClassLabel(names=["speaker 0", "speaker 1"]),
        "when": datasets.Value("timestamp[us]"), "words": datasets.List({"w": datasets.Value("string"), "n": datasets.Value("int8")}),
    })
    table = pa.table({
        "utt": [row[0] for row in rows], "speech": [{"bytes": wav(row[3]), "path": "x/%d.WAV" % n} for n, row in enumerate(rows)],
        "fixed": pa.ExtensionArray.from_storage(features.arrow_schema.field("fixed").type,
                                                pa.array([row[1].tolist() for row in rows], pa.list_(pa.list_(pa.float32())))),
        "ali": [row[2].tolist() for row in rows], "sentence": [row[4] for row in rows], "speaker": [n % 2 for n in range(len(rows))],
        "when": [None, 1, 2, 3, 4], "words": [[{"w": "a", "n": 1}], [], None, [], []],
    }, schema=features.arrow_schema)
    data = datasets.Dataset(InMemoryTable(table), info=datasets.DatasetInfo(features=features, license="mit"))

    def read(source):
        entries = [json.loads(line) for line in t.run(source, "jsonl:-", "-q").splitlines()]
        for entry, (key, feats, labels, sound, said, speaker) in zip(entries, rows, strict=True):
            assert (entry["key"], entry["text"], entry["meta"]["speaker"]) == (key, said, speaker), entry["meta"]
            assert np.array(entry["features"]["data"], "f4").tobytes() == feats.tobytes(), key
            assert entry["labels"] == labels.tolist() and entry["audio"]["samples"] == len(sound), key

    with t.check("hub: datasets' Parquet is read"):
        data.to_parquet(t.path("theirs.parquet"))
        read("theirs.parquet,features=fixed")
    with t.check("hub: and is written with the types it had"):
        t.convert("theirs.parquet", "types.parquet")
        again, told = load(t, "types.parquet")
        assert told == dict(features), (told, features)
        for column in ("utt", "fixed", "ali", "sentence", "speaker", "when", "words"):
            assert again[column][:] == data[column][:], column
        sounds = [row["path"] for row in again["speech"]]
        assert sounds == ["x/%d.WAV" % n for n in range(len(rows))], sounds
    with t.check("hub: datasets' folders of Arrow are read"):
        datasets.DatasetDict({"train": data, "test": data.select([0])}).save_to_disk(t.path("saved"), num_shards={"train": 2, "test": 1})
        read("hf:saved,split=train,features=fixed")
        assert len(t.run("ls", "hf:saved", "-q").splitlines()) == len(rows) + 1
    with t.check("hub: a name that is none is refused"):
        says(refused(t, "theirs.parquet,text=sentense", "x.jsonl"), "did you mean 'sentence'")


def checks(t):
    written(t)
    reads(t)
