"""HDF5 files, by h5py, in its oldest and its latest form."""
import json
import os

import h5py
import numpy as np

import data
from harness import same, same_sets

SEGMENTS = [{"start": 0.0, "end": 0.25, "label": "vad"}, {"start": 0.25, "label": "\u00e4r", "score": 0.5}]
TYPES = ["f2", "f4", "f8", "i1", "u1", "i2", "u2", "i4", "u4", "i8", "u8"]
PACKED = [{}, {"chunks": True}, {"compression": "gzip"}, {"compression": "lzf"},
          {"compression": "gzip", "shuffle": True, "fletcher32": True}]


def ours(entries):
    return [(key, features, labels) for key, features, labels, _ in entries]


def checks(t):
    items = data.matrices()
    labels = [np.arange(len(m), dtype="i4") % 7 for _, m in items]
    utterances = [(key, m, l) for (key, m), l in zip(items, labels)]
    meta = {"frame_shift": 0.01, "speaker": "ann"}
    source = t.write_jsonl("in.jsonl", [(key, m, l, meta) for key, m, l in utterances])
    others = '"text":"vad \u00e4r det","segments":%s,"meta":' % json.dumps(SEGMENTS)
    with open(t.path(source), encoding="utf-8") as file:
        lines = file.read().replace('"meta":', others)
    with open(t.path(source), "w", encoding="utf-8") as file:
        file.write(lines)
    with t.check("hdf5: h5py reads what is written"):
        t.convert(source, "out.h5")
        with h5py.File(t.path("out.h5")) as file:
            for key, features, wanted in utterances:
                same(file[key][()], features, key)
                same(file["labels"][key][()], wanted, key)
                assert file[key].attrs["frame_shift"] == 0.01, dict(file[key].attrs)
                assert file[key].attrs["speaker"] == "ann", dict(file[key].attrs)
                assert file[key].attrs["text"] == "vad \u00e4r det", dict(file[key].attrs)
                assert json.loads(file[key].attrs["segments"]) == SEGMENTS, dict(file[key].attrs)
    with t.check("hdf5: read back in order"):
        same_sets(ours(t.jsonl(t.path("out.h5"))), utterances)
    with t.check("hdf5: 3000 utterances in groups"):
        many = [("s%02d/u%04d" % (n % 7, n), np.full((1, 2), n, "f4"), None, {}) for n in range(3000)]
        t.convert(t.write_jsonl("many.jsonl", many), "many.h5")
        with h5py.File(t.path("many.h5")) as file:
            assert len(file) == 7 and sum(len(file[s]) for s in file) == 3000
            for key, features, *_ in many:
                same(file[key][()], features, key)
    for libver in ("earliest", "latest"):
        with t.check("hdf5: what h5py writes is read, libver=%s" % libver):
            expected = {}
            name = t.path("theirs-%s.h5" % libver)
            with h5py.File(name, "w", libver=libver) as file:
                for n, options in enumerate(PACKED):
                    for dtype in TYPES:
                        for order in "<>":
                            key = "%d/%s%s" % (n, "big-" if order == ">" else "", dtype)
                            expected[key] = data_of(dtype, n)
                            file.create_dataset(key, data=expected[key].astype(order + dtype), **options)
            read = t.jsonl(name)
            assert [key for key, *_ in read] == sorted(expected), [key for key, *_ in read]
            for key, features, *_ in read:
                same(features, expected[key], key)
        with t.check("hdf5: from h5py and back, libver=%s" % libver):
            t.convert(name, "again.h5")
            with h5py.File(t.path("again.h5")) as file:
                for key, features in expected.items():
                    same(file[key][()], features, key)
        with t.check("hdf5: attributes are columns, and attributes again, libver=%s" % libver):
            said = {"snr": 12.5, "take": 3, "clean": True, "microphone": "far \u00e4", "gain": np.float32(0.1)}
            name = t.path("said-%s.h5" % libver)
            with h5py.File(name, "w", libver=libver) as file:
                for speaker in ("ann", "bob"):
                    made = file.create_dataset(speaker + "/u1", data=data_of("f4", 1))
                    made.attrs.update(said)
                    file[speaker].attrs.update({"age": 30, "take": 1})
            t.convert(name, "said.jsonl")
            t.convert("said.jsonl", "said.h5")
            t.convert(name, "said.parquet")
            with h5py.File(t.path("said.h5")) as file:
                got = dict(file["bob/u1"].attrs)
            # Numbers have 64 bits when they come back.
            assert got == dict(said, gain=0.1, age=30), got
            assert isinstance(got["clean"], np.bool_) and isinstance(got["take"], np.int64), got
        with t.check("hdf5: a script of ESPnet names entries, libver=%s" % libver):
            name = t.path("esp-%s.h5" % libver)
            with h5py.File(name, "w", libver=libver) as file:
                for n in range(4):
                    file.create_dataset("utt:%d" % n, data=data_of("f4", n), compression="gzip")
            with open(t.path("esp.scp"), "w") as script:
                script.writelines("key-%d %s:utt:%d\n" % (n, name, n) for n in (2, 0, 3))
            read = t.jsonl(t.path("esp.scp"))
            assert [key for key, *_ in read] == ["key-2", "key-0", "key-3"]
            for (key, features, *_), n in zip(read, (2, 0, 3)):
                same(features, data_of("f4", n), key)
        with t.check("hdf5: all in one array beside lengths, names and text, libver=%s" % libver):
            lengths = np.random.RandomState(3).randint(0, 50, 300)
            ends = np.cumsum(lengths)
            for dtype in ("f4", "f2", ">f8"):
                name = t.path("joined-%s.h5" % libver)
                rows = np.random.RandomState(4).standard_normal((int(ends[-1]), 7)).astype(dtype)
                with h5py.File(name, "w", libver=libver) as file:
                    file.create_dataset("feats", data=rows, chunks=(64, 4), compression="gzip")
                    file["lengths"], file["labels"] = lengths, np.arange(len(rows), dtype="i4")
                    file["keys"] = ["u%03d" % n for n in range(300)]
                read = t.jsonl(name)
                assert [key for key, *_ in read] == ["u%03d" % n for n in range(300)]
                for (key, features, labels, *_), length, end in zip(read, lengths, ends):
                    same(features, rows[end - length:end].astype(rows.dtype.newbyteorder("=")), key)
                    same(labels, np.arange(end - length, end, dtype="i4"), key)
    with t.check("hdf5: what h5py changes is read again"):
        with h5py.File(t.path("out.h5"), "a") as file:
            file["added/one"] = np.ones((2, 2), "f4")
        read = t.jsonl(t.path("out.h5"))
        same(dict((key, features) for key, features, *_ in read)["added/one"], np.ones((2, 2), "f4"), "added/one")
    with t.check("hdf5: two runs give the same bytes"):
        t.convert(source, "second.h5")
        t.convert(source, "third.h5")
        with open(t.path("second.h5"), "rb") as second, open(t.path("third.h5"), "rb") as third:
            assert second.read() == third.read()
        assert os.path.getsize(t.path("second.h5")) > 0


def data_of(dtype, seed):
    """Values that every type holds, in more than one chunk."""
    return np.random.RandomState(seed).randint(0, 100, (300, 7)).astype(dtype)
