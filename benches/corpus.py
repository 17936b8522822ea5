#!/usr/bin/env python3
"""Makes a corpus for timing: `corpus.py FOLDER MIB`.

    feats.ark feats.scp   Kaldi features, MIB of f32 matrices with 40 columns
    ali.ark ali.txt       one label a frame, binary and text
    small.ark             the first utterances, 1/8 of the data
    keys.txt              the keys
    one.npy one.pkl python2.pkl   all features as one array: for NumPy, pickled by protocol 4, and by
                          protocol 2 as Python 2 did it

Features look like log mel energies: a fall over the bands, an offset for each speaker, energy that
drifts over time, neighbours that go together. Lengths are log-normal, 100 to 3000 frames. The same
size gives the same bytes with every NumPy.
"""
import os
import pickle
import struct
import sys

import numpy as np

BANDS = 40
STEP = np.dtype([("size", "i1"), ("value", "<i4")])


def drift(rs, frames, columns):
    """A walk that forgets: each frame keeps most of the one before."""
    walk = np.cumsum(rs.standard_normal((frames + 20, columns)).astype("f4"), 0)
    return (walk[20:] - walk[:-20]) / np.float32(20 ** 0.5)


def utterances(frames, seed=3):
    rs = np.random.RandomState(seed)
    fall = (15 - 0.1 * np.arange(BANDS)).astype("f4")
    number = 0
    while frames > 0:
        if number % 20 == 0:
            speaker = drift(rs, BANDS, 1)[:, 0]
        length = int(min(np.clip(np.exp(6.4 + 0.6 * rs.standard_normal()), 100, 3000), max(frames, 100)))
        shape = drift(rs, length, BANDS)
        shape[:, 1:] = (shape[:, 1:] + shape[:, :-1]) / 2
        features = (fall + speaker + 2 * drift(rs, length, 1) + shape).astype("<f4")
        runs = rs.randint(3, 13, length // 3 + 1)
        labels = np.repeat(rs.randint(0, 3456, len(runs)), runs)[:length].astype("<i4")
        yield "spk%04d-utt%06d" % (number // 20, number), features, labels
        number += 1
        frames -= length


def make(folder, mib):
    os.makedirs(folder, exist_ok=True)
    frames = int(mib * 2**20 / (4 * BANDS))

    def create(name):
        return open(os.path.join(folder, name), "wb", 1 << 20)

    with create("feats.ark") as ark, create("feats.scp") as scp, create("ali.ark") as ali, \
            create("ali.txt") as text, create("small.ark") as small, create("keys.txt") as keys:
        for key, features, labels in utterances(frames):
            name = key.encode() + b" "
            keys.write(key.encode() + b"\n")
            scp.write(name + b"feats.ark:%d\n" % (ark.tell() + len(name)))
            matrix = name + b"\0BFM " + struct.pack("<bibi", 4, len(features), 4, BANDS) + features.tobytes()
            ark.write(matrix)
            if small.tell() < mib * 2**17:
                small.write(matrix)
            steps = np.empty(len(labels), STEP)
            steps["size"], steps["value"] = 4, labels
            ali.write(name + b"\0B" + struct.pack("<bi", 4, len(labels)) + steps.tobytes())
            text.write(name + b" ".join(b"%d" % v for v in labels.tolist()) + b" \n")


def one_array(folder):
    """All features as one array, in three files."""
    values, rows = os.path.join(folder, "values"), 0
    with open(values, "wb", 1 << 20) as out, open(os.path.join(folder, "feats.ark"), "rb", 1 << 20) as ark:
        while key := ark.read(len("spk0000-utt000000 ")):
            _, frames, columns = struct.unpack("<5sxixi", ark.read(15))
            out.write(ark.read(4 * frames * columns))
            rows += frames
    array = np.memmap(values, "<f4", "r", shape=(rows, BANDS))
    np.save(os.path.join(folder, "one.npy"), array)
    with open(os.path.join(folder, "one.pkl"), "wb") as out:
        pickle.dump(np.asarray(array), out, 4)
    with open(os.path.join(folder, "python2.pkl"), "wb") as out:
        out.write(b"\x80\x02cnumpy.core.multiarray\n_reconstruct\ncnumpy\nndarray\nK\0\x85U\x01b\x87R")
        out.write(b"(K\x01J" + struct.pack("<i", rows) + b"K" + bytes([BANDS]) + b"\x86")
        out.write(b"cnumpy\ndtype\nU\x02f4K\0K\x01\x87R(K\x03U\x01<NNNJ\xff\xff\xff\xffJ\xff\xff\xff\xffK\0tb\x89T")
        out.write(struct.pack("<i", array.nbytes))
        out.write(array.data)
        out.write(b"tb.")
    os.remove(values)


def many(path, count):
    """Utterances of one frame with two columns, in no order."""
    order = np.random.RandomState(1).permutation(count).tolist()
    with open(path, "wb", 1 << 20) as ark:
        for n in order:
            ark.write(b"utt-%09d \0BFM " % n + struct.pack("<bibiff", 4, 1, 4, 2, n, 0.5))


if __name__ == "__main__":
    make(sys.argv[1], float(sys.argv[2]))
    one_array(sys.argv[1])
