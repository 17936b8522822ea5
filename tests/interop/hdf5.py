"""HDF5 files, by h5py in the oldest and the newest form."""
import h5py
import numpy as np

import data
from archives import TYPES, ours, typed
from harness import same, same_sets

KEY = "spk/ä 1%"


def checks(t):
    items = data.matrices()
    labels = [np.arange(len(m), dtype="i4") % 7 for _, m in items]
    utterances = [(key, m, l) for (key, m), l in zip(items, labels)]
    source = t.write_jsonl("in.jsonl", [(key, m, l, {}) for key, m, l in utterances])
    every = {name: typed(name) for name in TYPES}

    with t.check("h5py reads features and labels that are written"):
        t.convert(source, "out.h5")
        with h5py.File(t.path("out.h5")) as file:
            named = {group.attrs["key"].decode() if "key" in group.attrs else name: group
                     for name, group in file.items() if isinstance(group, h5py.Dataset)}
            assert sorted(named) == sorted(key for key, _ in items), sorted(named)
            for (key, m), l in zip(items, labels):
                same(named[key][()], m, key)
                name = named[key].name[1:]
                same(file["labels"][name][()], l, key)
    with t.check("hdf5: read back, in order"):
        same_sets(ours(t.jsonl(t.path("out.h5"))), utterances)
    with t.check("h5py reads a thousand datasets of ours, by name and in order"):
        many = [("utt-%04d" % (n * 7919 % 1000), np.full((2, 3), n, "f4")) for n in range(1000)]
        t.convert(t.write_jsonl("many.jsonl", [(key, m, None, {}) for key, m in many]), "many.h5")
        with h5py.File(t.path("many.h5")) as file:
            assert list(file) == sorted(key for key, _ in many)
            for key, m in many:
                same(file[key][()], m, key)
        assert [key for key, *_ in t.jsonl(t.path("many.h5"))] == [key for key, _ in many]
    with t.check("h5py reads attributes and keys that are no names"):
        meta = {"frame_shift": 0.01, "speaker": "Zoë"}
        t.convert(t.write_jsonl("meta.jsonl", [(KEY, items[0][1], None, meta)]), "meta.h5")
        with h5py.File(t.path("meta.h5")) as file:
            (dataset,) = file.values()
            assert dataset.attrs["key"].decode() == KEY, dataset.attrs["key"]
            assert dataset.attrs["frame_shift"] == 0.01, dataset.attrs["frame_shift"]
            assert dataset.attrs["speaker"].decode() == "Zoë"
    for libver in ("earliest", "latest"):
        for sort, options in (("contiguous", {}), ("chunked", {"chunks": True}), ("gzip", {"compression": "gzip"}),
                              ("lzf", {"compression": "lzf", "shuffle": True, "fletcher32": True})):
            with t.check("hdf5: every type of h5py's is read: %s, %s" % (libver, sort)):
                name = "%s-%s.h5" % (libver, sort)
                with h5py.File(t.path(name), "w", libver=libver) as file:
                    for key, array in every.items():
                        file.create_dataset("little/" + key, data=array, **options)
                        big = array.astype(array.dtype.newbyteorder(">"))
                        file.create_dataset("big/" + key, data=big, **options)
                read = t.jsonl(t.path(name))
                assert len(read) == 2 * len(every), len(read)
                for key, features, *_ in read:
                    same(features, every[key.split("/")[-1]], key)
        with t.check("hdf5: to %s and back by h5py" % libver):
            t.convert("%s-gzip.h5" % libver, "again.h5")
            with h5py.File(t.path("again.h5")) as file:
                for name, dataset in file.items():
                    key = dataset.attrs["key"].decode()
                    same(dataset[()], every[key.split("/")[-1]], key)
                    assert dataset.dtype == every[key.split("/")[-1]].dtype, (key, dataset.dtype)
