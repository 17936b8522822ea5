"""Archives of arrays: NumPy's npz and safetensors, by their own libraries."""
import numpy as np
from safetensors.numpy import load_file, save_file

import data
from harness import same, same_sets

TYPES = ["f2", "f4", "f8", "i1", "u1", "i2", "u2", "i4", "u4", "i8", "u8"]


def typed(name):
    """Two rows of every sort of number of a type."""
    info = np.finfo(name) if name[0] == "f" else np.iinfo(name)
    return np.array([[info.min, 0, 1], [info.max, 2, 3]], name)


def ours(entries):
    return [(key, features, labels) for key, features, labels, _ in entries]


def checks(t):
    items = data.matrices()
    labels = [np.arange(len(m), dtype="i4") % 7 for _, m in items]
    utterances = [(key, m, l) for (key, m), l in zip(items, labels)]
    source = t.write_jsonl("in.jsonl", [(key, m, l, {}) for key, m, l in utterances])
    every = {name: typed(name) for name in TYPES}
    flat = {key: m for key, m in items}
    flat.update({key + ".labels": l for (key, _), l in zip(items, labels)})

    for ending, load in (("npz", np.load), ("npz,compress=6", np.load), ("safetensors", load_file)):
        name = "out." + ending.split(",")[0]
        with t.check("%s: its library reads what is written" % ending):
            t.convert(source, "out." + ending)
            read = load(t.path(name))
            assert sorted(read.keys()) == sorted(flat), sorted(read.keys())
            for key, array in flat.items():
                same(read[key], array, key)
        with t.check("%s: read back" % ending):
            same_sets(ours(t.jsonl(t.path(name))), utterances)

    for name, save in (("stored.npz", np.savez), ("deflated.npz", np.savez_compressed)):
        with t.check("%s: every type and order of NumPy's is read" % name):
            odd = {"big-" + key: a.astype(a.dtype.newbyteorder(">")) for key, a in every.items()}
            odd.update({"fortran-" + key: np.asfortranarray(a) for key, a in every.items()})
            save(t.path(name), **every, **odd)
            read = t.jsonl(t.path(name))
            assert len(read) == 3 * len(every), len(read)
            for key, features, *_ in read:
                same(features, every[key.split("-")[-1]], key)
    with t.check("safetensors: every type of NumPy's is read"):
        save_file(every, t.path("every.safetensors"))
        for key, features, *_ in t.jsonl(t.path("every.safetensors")):
            same(features, every[key], key)
    with t.check("from one to the other and back"):
        t.convert("every.safetensors", "every.npz")
        t.convert("every.npz", "again.safetensors")
        for key, array in load_file(t.path("again.safetensors")).items():
            same(array, every[key], key)
    with t.check("npz: one utterance by its key"):
        with open(t.path("keys"), "w") as keys:
            keys.write("i4\n")
        t.convert("select", "stored.npz", "one.npz", "--keys", "keys")
        same(np.load(t.path("one.npz"))["i4"], every["i4"], "i4")
