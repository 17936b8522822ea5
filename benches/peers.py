#!/usr/bin/env python3
"""One job by another Python package, or by NumPy alone: `peers.py JOB PEER` in the folder of a corpus.

By NumPy alone means as somebody writes it who knows NumPy well. Every result is `out.peer`.
"""
import os
import pickle
import struct
import sys

import numpy as np

OUT = "out.peer"


def ark(path):
    """Keys and matrices of a binary archive."""
    with open(path, "rb", 1 << 20) as file:
        while True:
            key = bytearray()
            while (byte := file.read(1)) not in (b" ", b""):
                key += byte
            if not byte:
                return
            kind, rows, columns = struct.unpack("<5sxixi", file.read(15))
            values = np.frombuffer(file.read(4 * rows * columns), "<f4")
            assert kind == b"\0BFM "
            yield bytes(key), values.reshape(rows, columns)


def labels(path):
    """Labels of each utterance of a binary archive."""
    step = np.dtype([("size", "i1"), ("value", "<i4")])
    data = np.fromfile(path, "u1")
    at, found = 0, {}
    while at < len(data):
        space = at + int(np.argmax(data[at:at + 256] == 32))
        (count,) = struct.unpack_from("<i", data, space + 4)
        start = space + 8
        found[data[at:space].tobytes()] = data[start:start + 5 * count].view(step)["value"]
        at = start + 5 * count
    return found


def put(file, key, matrix):
    file.write(key + b" \0BFM " + struct.pack("<bibi", 4, len(matrix), 4, matrix.shape[1]))
    file.write(np.ascontiguousarray(matrix, "<f4").data)


def ark_to_ark():
    with open(OUT, "wb", 1 << 20) as out, open(OUT + ".scp", "w") as scp:
        for key, matrix in ark("feats.ark"):
            scp.write("%s %s:%d\n" % (key.decode(), OUT, out.tell() + len(key) + 1))
            put(out, key, matrix)


def row(columns):
    return np.dtype([("place", ">u4", 2), ("features", ">f4", columns), ("label", ">u4")])


def to_pfile():
    classes = labels("ali.ark")
    starts = [0]
    with open(OUT, "wb", 1 << 20) as out:
        out.write(bytes(32768))
        for number, (key, matrix) in enumerate(ark("feats.ark")):
            rows = np.empty(len(matrix), row(matrix.shape[1]))
            rows["place"][:, 0] = number
            rows["place"][:, 1] = np.arange(len(matrix))
            rows["features"], rows["label"] = matrix, classes[key]
            out.write(rows.data)
            starts.append(starts[-1] + len(matrix))
        out.write(np.array(starts, ">u4").data)


def from_pfile():
    with open("in.pfile", "rb") as file:
        head = file.read(32768).decode("latin1")
        value = lambda name: int(head.split(name)[1].split()[0])
        frames, columns = value("-num_frames"), value("-num_features")
        step = 1 << 16
        pending, number = [], 0
        with open(OUT, "wb", 1 << 20) as out:
            for at in range(0, frames, step):
                rows = np.fromfile(file, row(columns), min(step, frames - at))
                places = rows["place"][:, 0].astype("i8")
                cuts = np.flatnonzero(np.diff(places, prepend=number)).tolist()
                for begin, end in zip([0] + cuts, cuts + [None]):
                    if begin in cuts:
                        put(out, b"utt%06d" % number, np.concatenate(pending))
                        pending, number = [], number + 1
                    pending.append(rows["features"][begin:end].astype("<f4"))
            put(out, b"utt%06d" % number, np.concatenate(pending))


def to_pickle(protocol):
    classes = labels("ali.ark")
    pairs = [(matrix, classes[key]) for key, matrix in ark("feats.ark")]
    both = [np.concatenate(parts) for parts in zip(*pairs)]
    with open(OUT, "wb") as out:
        pickle.dump(tuple(both), out, protocol)


def from_pickle(path, **how):
    with open(path, "rb") as file:
        array = pickle.load(file, **how)
    with open(OUT, "wb") as out:
        put(out, b"utt", array)


def native(read, write, to):
    """By kaldi_native_io, whose matrices live no longer than the entry."""
    import kaldi_native_io as kni

    with getattr(kni, write)(to) as out, read(kni) as entries:
        for key, value in entries:
            out.write(key, value)


def compress():
    import kaldi_native_io as kni

    with kni.CompressedMatrixWriter("ark:" + OUT) as out, kni.SequentialFloatMatrixReader("ark:feats.ark") as entries:
        for key, value in entries:
            out.write(key, value, kni.CompressionMethod.kAutomaticMethod)


def matrices(name):
    return lambda kni: kni.SequentialFloatMatrixReader(name)


WORK = {
    ("ark to ark and scp", "numpy"): ark_to_ark,
    ("ark and labels to pfile", "numpy"): to_pfile,
    ("pfile to ark and labels", "numpy"): from_pfile,
    ("ark and labels to pickle, protocol 4", "numpy"): lambda: to_pickle(4),
    ("ark and labels to pickle, protocol 2", "numpy"): lambda: to_pickle(2),
    ("pickle of one array to ark", "numpy"): lambda: from_pickle("one.pkl"),
    ("pickle of Python 2 to ark", "numpy"): lambda: from_pickle("python2.pkl", encoding="latin1"),
    ("ark to ark and scp", "kaldi_native_io"): lambda: native(
        matrices("ark:feats.ark"), "FloatMatrixWriter", "ark,scp:%s,%s.scp" % (OUT, OUT)),
    ("ark to text", "kaldi_native_io"): lambda: native(matrices("ark:small.ark"), "FloatMatrixWriter", "ark,t:" + OUT),
    ("text to ark", "kaldi_native_io"): lambda: native(matrices("ark,t:in.txt"), "FloatMatrixWriter", "ark:" + OUT),
    ("CM to ark", "kaldi_native_io"): lambda: native(matrices("ark:in.cm.ark"), "FloatMatrixWriter", "ark:" + OUT),
    ("text labels to binary", "kaldi_native_io"): lambda: native(
        lambda kni: kni.SequentialInt32VectorReader("ark,t:ali.txt"), "Int32VectorWriter", "ark:" + OUT),
    ("ark to CM", "kaldi_native_io"): compress,
}

if __name__ == "__main__":
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    WORK[sys.argv[1], sys.argv[2]]()
    os.path.getsize(OUT)
