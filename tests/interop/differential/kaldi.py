"""Kaldi's tables, written and read from their description; kaldi_native_io as a second reader."""
import struct

import kaldi_native_io as kni
import numpy as np

from . import oracle, riff
from .draw import data_set
from .formats import Holds, Source, Target, load, store
from .loss import cast
from .model import Utterance

OBJECTS = ("int32", "bool", "token", "token-vector", "int32-vector-vector", "int32-pair-vector",
           "float-pair-vector", "basic-float-vector", "posterior")
TABLE = dict(features=("f4", "f8"), vectors=True, scalars=True, labels=("i4",), label_columns=1,
             labels_beside=False, objects=OBJECTS, empty="shapeless")
HOLDERS = {"features": {"f4": "float-matrix", "f8": "double-matrix"}, "vectors": {"f4": "float-vector", "f8": "double-vector"},
           "scalars": {"f4": "float", "f8": "double"}}


# Writing.

def tagged(value, code="i"):
    return bytes([struct.calcsize(code)]) + struct.pack("<" + code, value)


def number(x):
    """Text that reads back to the same value."""
    if isinstance(x, np.floating):
        return ("%.9g" if x.dtype.itemsize == 4 else "%.17g") % x
    return "%.9g" % x if isinstance(x, float) else str(x)


def entry(u, text):
    """An object as it stands behind its key and the space."""
    if u.sound is not None:
        return riff.encode(*u.sound)
    if u.object is not None:
        return text_object(*u.object) if text else binary_object(*u.object)
    array = u.features if u.features is not None else u.labels
    if u.labels is not None:
        if text:
            return "".join("%d " % v for v in array).encode() + b"\n"
        return b"\0B" + tagged(len(array)) + b"".join(tagged(int(v)) for v in array)
    if text:
        if array.ndim == 0:
            return number(array[()]).encode() + b"\n"
        if array.ndim == 1:
            return (" [ " + "".join(number(v) + " " for v in array) + "]\n").encode()
        if not array.size:
            return b" [ ]\n"
        return (" [" + "".join("\n  " + "".join(number(v) + " " for v in row) for row in array) + "]\n").encode()
    letter = {4: b"F", 8: b"D"}[array.dtype.itemsize]
    raw = array.astype("<f%d" % array.dtype.itemsize).tobytes()
    if array.ndim == 0:
        return b"\0B" + bytes([array.dtype.itemsize]) + raw
    if array.ndim == 1:
        return b"\0B" + letter + b"V " + tagged(len(array)) + raw
    return b"\0B" + letter + b"M " + tagged(array.shape[0]) + tagged(array.shape[1]) + raw


def binary_object(kind, value):
    if kind == "token":
        return value + b"\n"
    if kind == "token-vector":
        return b"".join(w + b" " for w in value) + b"\n"
    return b"\0B" + {
        "int32": lambda: tagged(value),
        "bool": lambda: b"T" if value else b"F",
        "int32-vector-vector": lambda: tagged(len(value)) + b"".join(
            tagged(len(part)) + b"".join(map(tagged, part)) for part in value),
        "int32-pair-vector": lambda: tagged(len(value)) + b"".join(tagged(a) + tagged(b) for a, b in value),
        "float-pair-vector": lambda: tagged(len(value)) + b"".join(tagged(a, "f") + tagged(b, "f") for a, b in value),
        "basic-float-vector": lambda: tagged(len(value)) + b"".join(tagged(v, "f") for v in value),
        "posterior": lambda: tagged(len(value)) + b"".join(
            tagged(len(part)) + b"".join(tagged(i) + tagged(w, "f") for i, w in part) for part in value),
    }[kind]()


def text_object(kind, value):
    def words(values):
        return "".join(number(v) + " " for v in values)
    if kind in ("token", "token-vector"):
        return binary_object(kind, value)
    line = {
        "int32": lambda: "%d " % value,
        "bool": lambda: "T " if value else "F ",
        "int32-vector-vector": lambda: "".join(words(part) + "; " for part in value),
        "int32-pair-vector": lambda: "; ".join(words(pair) for pair in value),
        "float-pair-vector": lambda: "; ".join(words(pair) for pair in value),
        "basic-float-vector": lambda: words(value),
        "posterior": lambda: "".join("[ " + "".join(words(pair) for pair in part) + "] " for part in value),
    }[kind]()
    return line.encode() + b"\n"


# Reading.

class Bytes:
    def __init__(self, raw):
        self.raw, self.at = raw, 0

    def take(self, n):
        part = self.raw[self.at:self.at + n]
        assert len(part) == n, "ends at byte %d" % len(self.raw)
        self.at += n
        return part

    def tagged(self, code="i"):
        size = self.take(1)[0]
        assert size == struct.calcsize(code), "size %d at byte %d" % (size, self.at)
        return struct.unpack("<" + code, self.take(size))[0]

    def array(self, dtype, *shape):
        n = int(np.prod(shape, dtype=int)) * np.dtype(dtype).itemsize
        return np.frombuffer(self.take(n), dtype).reshape(shape)

    def until(self, end):
        at = self.raw.index(end, self.at)
        part = self.raw[self.at:at]
        self.at = at + len(end)
        return part


def decode(raw, likes):
    """All entries; `likes` are utterances of the sorts that are to be there."""
    source, found = Bytes(raw), []
    for like in likes:
        if source.at == len(raw):
            break
        key = source.until(b" ")
        found.append(one(source, key, like))
    assert source.at == len(raw), "bytes behind the last object"
    return found


def one(source, key, like):
    if source.raw[source.at:source.at + 2] == b"\0B":
        source.take(2)
        return binary(source, key, like)
    if like.sound is not None:
        rate, samples, source.at = riff.decode(source.raw, source.at, False)
        return Utterance(key, sound=(rate, samples))
    if like.object is not None:
        return Utterance(key, object=(like.object[0], from_text(like.object[0], source.until(b"\n"))))
    if like.labels is not None:
        return Utterance(key, labels=np.array([int(w) for w in source.until(b"\n").split()], "i4"))
    dtype = like.features.dtype
    if like.features.ndim == 0:
        return Utterance(key, np.array(source.until(b"\n").decode(), dtype))
    text = source.until(b"]\n")
    open_, inside = text.split(b"[", 1)
    assert open_.strip() == b"", open_
    lines = [line.split() for line in inside.split(b"\n") if line.strip()]
    if like.features.ndim == 1:
        return Utterance(key, np.array([w.decode() for line in lines for w in line], dtype))
    made = np.array([[w.decode() for w in line] for line in lines], dtype)
    return Utterance(key, made if made.size else made.reshape(0, 0))


def binary(source, key, like):
    if like.labels is not None:
        return Utterance(key, labels=np.array([source.tagged() for _ in range(source.tagged())], "i4"))
    if like.object is not None:
        return Utterance(key, object=(like.object[0], from_binary(like.object[0], source)))
    if like.features.ndim == 0:
        return Utterance(key, source.array("<f%d" % source.take(1)[0]).copy())
    token = source.until(b" ")
    if token in (b"FV", b"DV"):
        return Utterance(key, source.array({b"F": "<f4", b"D": "<f8"}[token[:1]], source.tagged()))
    if token in (b"FM", b"DM"):
        return Utterance(key, source.array({b"F": "<f4", b"D": "<f8"}[token[:1]], source.tagged(), source.tagged()))
    return Utterance(key, compressed(token, source))


def compressed(token, source):
    """A compressed matrix, each step rounded as the description says."""
    f4 = np.float32
    low, span, rows, columns = struct.unpack("<ffii", source.take(16))
    low, span = f4(low), f4(span)
    if token in (b"CM2", b"CM3"):
        dtype, top = ("<u2", 65535.0) if token == b"CM2" else ("u1", 255.0)
        step = f4(float(span) * (1.0 / top))
        return low + source.array(dtype, rows, columns).astype("f4") * step
    assert token == b"CM", token
    step = f4(span * f4(1.52590218966964e-05))
    corners = low + step * source.array("<u2", columns, 4).astype("f4")
    codes = source.array("u1", columns, rows)
    made = np.empty((rows, columns), "f4")
    for c in range(columns):
        p0, p25, p75, p100 = corners[c]
        for r in range(rows):
            q = int(codes[c, r])
            base, top, past, width = ((p0, p25, 0, 64.0) if q <= 64 else
                                      (p25, p75, 64, 128.0) if q <= 192 else (p75, p100, 192, 63.0))
            made[r, c] = f4(float(base) + float(f4(f4(top - base) * f4(q - past))) * (1.0 / width))
    return made


def from_binary(kind, source):
    def many(item):
        return [item() for _ in range(source.tagged())]

    def real():
        return float(source.tagged("f"))
    return {
        "int32": source.tagged,
        "bool": lambda: {b"T": True, b"F": False}[source.take(1)],
        "int32-vector-vector": lambda: many(lambda: many(source.tagged)),
        "int32-pair-vector": lambda: many(lambda: [source.tagged(), source.tagged()]),
        "float-pair-vector": lambda: many(lambda: [real(), real()]),
        "basic-float-vector": lambda: many(real),
        "posterior": lambda: many(lambda: many(lambda: [source.tagged(), real()])),
    }[kind]()


def from_text(kind, line):
    def real(word):
        return float(np.float32(word))
    if kind == "token":
        return line
    if kind == "token-vector":
        return line.split()
    words = line.decode().split()
    lists = [part.split() for part in line.decode().split(";")]
    return {
        "int32": lambda: int(words[0]),
        "bool": lambda: {"T": True, "F": False}[words[0]],
        "int32-vector-vector": lambda: [[int(w) for w in part] for part in lists[:-1]],
        "int32-pair-vector": lambda: [[int(a), int(b)] for a, b in lists] if words else [],
        "float-pair-vector": lambda: [[real(a), real(b)] for a, b in lists] if words else [],
        "basic-float-vector": lambda: [real(w) for w in words],
        "posterior": lambda: [[[int(i), real(w)] for i, w in zip(part.split()[::2], part.split()[1::2])]
                              for part in line.decode().replace("[", " ").split("]")[:-1]],
    }[kind]()


# Cases.

def source(case, kind):
    rng = case.rng
    text = kind != "sound" and rng.random() < 0.3
    holds = Holds(**dict(TABLE, sound=("i2",), plain_labels=not text or rng.random() < 0.5))
    holds.same_dtype = text or kind == "scalars"
    data = data_set(rng, kind, holds, case.count)
    if kind == "text":
        # Words are how a table holds text.
        kind, data = "objects", [u.with_(text=None, object=("token-vector", u.text.split())) for u in data]
    if kind == "features" and not text and rng.random() < 0.25:
        return squeezed(case, data)
    if rng.random() < 0.15 and not text and kind in ("features", "vectors"):
        return by_kni(case, data)
    if text and kind == "labels" and any(len(u.labels) == 0 for u in data):
        text = False
    options = []
    if text and kind in ("features", "vectors", "scalars"):
        dtype = data[0].features.dtype if data else np.dtype("f4")
        options = ["--oo", "dtype=f%d" % (8 * dtype.itemsize)]
    # Few numbers may mean several things.
    if kind in HOLDERS and data:
        if kind == "scalars" or not all(u.features.size for u in data):
            options += ["--oo", "holder=" + HOLDERS[kind][data[0].features.dtype.str[1:]]]
    elif kind == "labels" and (rng.random() < 0.7 or any(len(u.labels) < 3 or not u.labels.any() for u in data)):
        options += ["--oo", "holder=int32-vector"]
    elif kind == "objects" and data:
        options += ["--oo", "holder=" + data[0].object[0]]
    places, raw = [], b""
    for u in data:
        places.append(len(raw) + len(u.key) + 1)
        raw += u.key + b" " + entry(u, text)
    form = rng.choice(("path", "ark", "ark", "scp", "scp", "stdin", "command", "packed"))
    if not data or form == "path" and not options:
        form = "ark"
    if form == "stdin":
        return Source("ark:-", data, options, raw)
    if form == "packed":
        return Source("ark:" + store(case.path("in", "ark"), raw, rng.choice((".gz", ".bz2"))), data, options)
    path = store(case.path("in", "ark"), raw)
    if form == "command":
        return Source("ark:cat '%s' |" % path, data, options)
    if form == "scp":
        lines = b"".join(u.key + b" " + path.encode() + b":%d\n" % at for u, at in zip(data, places))
        return Source("scp:" + store(case.path("in", "scp"), lines), data, options)
    return Source(path if form == "path" else "ark:" + path, data, options)


def squeezed(case, data):
    """A compressed table that kaldi_native_io wrote, as the description decodes it."""
    data = [u.with_(features=np.nan_to_num(u.features.astype("f4"), posinf=1, neginf=-1) if u.features.size else
                    np.zeros((2, 1), "f4")) for u in data]
    data = [u.with_(features=np.clip(u.features, -1e30, 1e30)) for u in data]
    path = case.path("in", "ark")
    return Source("ark:" + path, squeeze(path, data, case.rng.randint(1, 7)))


def by_kni(case, data):
    path = case.path("in", "ark")
    dtype = data[0].features.dtype if data else np.dtype("f4")
    data = [u.with_(key=b"k%d" % i) for i, u in enumerate(data) if u.features.dtype == dtype]
    vector = bool(data) and data[0].features.ndim == 1
    writer = getattr(kni, ("Float" if dtype.itemsize == 4 else "Double") + ("Vector" if vector else "Matrix") + "Writer")
    with writer("ark:" + path) as out:
        for u in data:
            out.write(u.key.decode(), np.ascontiguousarray(u.features))
    holder = []
    if not any(u.features.size for u in data):
        holder = ["--oo", "holder=" + HOLDERS["vectors" if vector else "features"][dtype.str[1:]]]
    return Source("ark:" + path, data, holder)


def target(case):
    rng = case.rng
    text = rng.random() < 0.3
    holds = Holds(**dict(TABLE, sound=() if text else ("i2",)))
    method = rng.randint(1, 7) if not text and rng.random() < 0.1 else None
    options = ["--co", "compress=%d" % method] if method else []
    t = ",t" if text else ""
    path, packed, scp = case.path("out", "ark"), "", None
    form = rng.choice(("path", "ark", "ark", "scp", "scp", "stdout", "command", "packed"))
    argument, stdout = "ark%s:%s" % (t, path), False
    if form == "path":
        argument = path
        options += ["--co", "text=true"] if text else []
    elif form == "scp":
        scp = case.path("out", "scp")
        argument = "ark%s,scp:%s,%s" % (t, path, scp)
    elif form == "stdout":
        argument, stdout = "ark%s:-" % t, True
    elif form == "command":
        argument = "ark%s:| cat > '%s'" % (t, path)
    elif form == "packed":
        packed = rng.choice((".gz", ".bz2"))
        argument += packed

    def read(printed, expected):
        raw = printed if stdout else load(path, packed)
        found = decode(raw, expected)
        if scp:
            oracle.check_script(load(scp), path, raw, found)
        if not text and not packed and not stdout and rng.random() < 0.25:
            oracle.by_other(path, found)
        return found

    def seen(data):
        return rounded(data, method) if method else data

    # Text has no types: it is read as f32.
    result = Target(argument, holds, read, options, stdout, seen, sure=not text and not method,
                    rounded=seen if method else single if text else None)
    result.bounds = {4: (-32768, 32767), 6: (0, 255), 7: (0, 1)}.get(method)
    result.finite, result.command = bool(method), form == "command"
    return result


def single(data):
    """Numbers as those read them who take text for f32."""
    return [u if u.features is None else u.with_(features=cast(u.features, "f4")[0]) for u in data]


def squeeze(path, data, method):
    """Matrices as kaldi_native_io compresses them, decoded as the description says."""
    with kni.CompressedMatrixWriter("ark:" + path) as out:
        for i, u in enumerate(data):
            out.write("k%d" % i, np.ascontiguousarray(u.features), kni.CompressionMethod(method))
    return decode(load(path), data)


def rounded(data, method):
    """What compression leaves of matrices; nothing else is compressed."""
    full = [u for u in data if u.features is not None and u.features.ndim == 2 and u.features.size]
    left = iter(squeeze("rounded", full, method))
    return [u.with_(features=next(left).features) if u in full else u for u in data]
