"""Formats with a file an utterance: SPRAAK, HTK, NumPy, sound."""
import gzip
import io
import os
import struct
from decimal import Decimal

import numpy as np

from . import riff
from .draw import data_set
from .formats import FEATURES, Holds, Source, Target, load, store
from .loss import NAMES, code
from .model import Utterance

TYPES = {name: NAMES[name].upper() for name in FEATURES}
KEY_TYPES = {"i1": "BYTE", "i2": "SHORT", "i4": "INT", "f4": "FLOAT", "f8": "DOUBLE"}
SOUND = {"wav": ("i2", "u1", "i4", "f4", "f8"), "sphere": ("i2", "i1", "i4"), "au": ("i2", "i1", "i4", "f4", "f8")}
EXTENSIONS = {"spr": "spr", "key": "key", "htk": "htk", "npy": "npy", "wav": "wav", "sphere": "sph", "au": "au"}


def holds(name):
    facts = dict(keys="names", one=True)
    if name == "spr":
        facts.update(features=FEATURES, sound=FEATURES, empty="kept", shift=True)
    elif name == "key":
        both = ("i1", "i2", "i4", "f4", "f8")
        facts.update(features=both, sound=both, empty="kept", shift=True)
    elif name == "htk":
        facts.update(features=("f4",), max_columns=8191, shift=True, sound=("i2",))
    elif name == "npy":
        facts.update(features=FEATURES[:2] + ("f2",) + FEATURES[2:] + ("b1",), vectors=True, scalars=True, empty="kept")
    else:
        facts.update(sound=SOUND[name], empty="kept")
    return facts


# Writing. Each takes one utterance.

def numbers(array):
    """A vector a line."""
    return "".join(" ".join(repr(v) for v in row) + "\n" for row in array.tolist()).encode()


def spr(rng, u):
    array = u.features if u.sound is None else u.sound[1]
    order = rng.choice(("BIN01", "BIN10", "ASCII"))
    head = [("DATA", "TRACK" if u.sound is None else "SAMPLE"), ("LAYOUT", "MATRIX"), ("TYPE", TYPES[code(array)]),
            ("FORMAT", order)]
    if u.sound is None:
        # Text of no rows, and -1, say nothing of the length.
        head += [("DIM1", str(len(array) if len(array) == 0 or rng.random() < 0.8 else -1)), ("DIM2", str(array.shape[1]))]
    else:
        head += [("NCHAN", str(array.shape[1])), ("CHANLEN", str(len(array))), ("SAMPLEFREQ", str(u.sound[0]))]
    if u.shift is not None:
        head.append(("FSHIFT", str(u.shift)))
    if array.dtype.kind == "f" and order == "ASCII" and not np.isfinite(array).all():
        head[3] = ("FORMAT", "BIN01")
        order = "BIN01"
    body = numbers(array) if order == "ASCII" else array.astype(array.dtype.newbyteorder("<" if order == "BIN01" else ">")).tobytes()
    if rng.random() < 0.15:
        head.append(("COMPRESS", "gzip"))
        body = gzip.compress(body)
    blank = rng.choice(("\t", " ", "\t\t"))
    text = ".spr\n" + "".join(name + blank + value + "\n" for name, value in head)
    return text.encode() + (b" " * 40 + b"\n" if rng.random() < 0.2 else b"") + b"#\n" + body


def key(rng, u):
    array = u.features if u.sound is None else u.sound[1]
    text = rng.random() < 0.2 and (array.dtype.kind != "f" or np.isfinite(array).all())
    head = [("DATATYPE", "TRACK" if u.sound is None else "SAMPLE"),
            ("DATAFORMAT", ("A-" if text else "") + KEY_TYPES[code(array)])]
    if u.sound is None:
        head += [("NFR", str(len(array))), ("NPARAM", str(array.shape[1]))]
    else:
        head += [("NCHAN", str(array.shape[1])), ("CHANLEN", str(len(array))), ("SAMPLEFREQ", str(u.sound[0]))]
    if u.shift is not None:
        head.append(("FSHIFT", str(u.shift)))
    body = numbers(array) if text else array.astype(array.dtype.newbyteorder(">")).tobytes()
    return (".key\n" + "".join("%s\t%s\n" % pair for pair in head) + "#\n").encode() + body


def htk(rng, u):
    rows, columns = u.features.shape
    period = 0 if u.shift is None else int(u.shift * 10 ** 7)
    return struct.pack(">iihH", rows, period, 4 * columns, 9) + u.features.astype(">f4").tobytes()


def npy(rng, u):
    array = u.features
    if rng.random() < 0.2 and array.dtype.itemsize > 1:
        array = array.astype(array.dtype.newbyteorder(">"))
    if rng.random() < 0.2 and array.ndim == 2:
        array = np.asfortranarray(array)
    out = io.BytesIO()
    np.lib.format.write_array(out, array, rng.choice(((1, 0), (2, 0), (3, 0))), allow_pickle=False)
    return out.getvalue()


def wav(rng, u):
    chunk = b"LIST\4\0\0\0abcd" if rng.random() < 0.2 else b""
    big = not chunk and rng.random() < 0.2
    return riff.encode(*u.sound, big, chunk)


def sphere(rng, u):
    rate, samples = u.sound
    size = samples.dtype.itemsize
    big = rng.random() < 0.5
    order = {1: "1", 2: "10" if big else "01", 4: "3210" if big else "0123"}[size]
    fields = [("channel_count -i %d", samples.shape[1]), ("sample_count -i %d", len(samples)), ("sample_rate -i %d", rate),
              ("sample_n_bytes -i %d", size), ("sample_byte_format -s%d " % len(order) + "%s", order),
              ("sample_coding -s3 %s", "pcm")]
    head = "NIST_1A\n   1024\n" + "".join(form % value + "\n" for form, value in fields) + "end_head\n"
    return head.encode().ljust(1024, b" ") + samples.astype(samples.dtype.newbyteorder(">" if big else "<")).tobytes()


AU_CODES = {"i1": 2, "i2": 3, "i4": 5, "f4": 6, "f8": 7}


def au(rng, u):
    rate, samples = u.sound
    data = samples.astype(samples.dtype.newbyteorder(">")).tobytes()
    size = len(data) if rng.random() < 0.8 else 0xFFFFFFFF
    return struct.pack(">4sIIIII", b".snd", 28, size, AU_CODES[code(samples)], rate, samples.shape[1]) + b"\0\0\0\0" + data


# Reading. Each gives features, sound and frame shift.

def header(raw, magic):
    head, body = raw.split(b"\n#\n", 1)
    lines = head.decode().split("\n")
    assert lines[0] == magic, lines[0]
    pairs = dict(line.split("\t", 1) for line in lines[1:])
    assert len(pairs) == len(lines) - 1, lines
    return pairs, body


def filled(body, order, dtype, shape):
    if order is None:
        values = np.array([w.decode() for w in body.split()], dtype) if dtype[0] == "f" else np.array([int(w) for w in body.split()], dtype)
    else:
        values = np.frombuffer(body, np.dtype(dtype).newbyteorder(order))
    return values.reshape(shape)


def shift_of(pairs):
    return Decimal(pairs["FSHIFT"]) if "FSHIFT" in pairs else None


def read_spr(raw):
    pairs, body = header(raw, ".spr")
    dtype = {name: kind for kind, name in TYPES.items()}[pairs["TYPE"]]
    assert pairs["LAYOUT"] == "MATRIX", pairs
    if "COMPRESS" in pairs:
        assert pairs["COMPRESS"] == "gzip", pairs
        body = gzip.decompress(body)
    order = {"BIN01": "<", "BIN10": ">", "ASCII": None}[pairs["FORMAT"]]
    if pairs["DATA"] == "SAMPLE":
        shape = int(pairs["CHANLEN"]), int(pairs["NCHAN"])
        return None, (int(pairs["SAMPLEFREQ"]), filled(body, order, dtype, shape)), shift_of(pairs)
    assert pairs["DATA"] == "TRACK", pairs
    return filled(body, order, dtype, (int(pairs["DIM1"]), int(pairs["DIM2"]))), None, shift_of(pairs)


def read_key(raw):
    pairs, body = header(raw, ".key")
    text = pairs["DATAFORMAT"].startswith("A-")
    dtype = {name: kind for kind, name in KEY_TYPES.items()}[pairs["DATAFORMAT"][2:] if text else pairs["DATAFORMAT"]]
    order = None if text else ">"
    if pairs["DATATYPE"] == "SAMPLE":
        shape = int(pairs["CHANLEN"]), int(pairs["NCHAN"])
        return None, (int(pairs["SAMPLEFREQ"]), filled(body, order, dtype, shape)), shift_of(pairs)
    assert pairs["DATATYPE"] == "TRACK", pairs
    return filled(body, order, dtype, (int(pairs["NFR"]), int(pairs["NPARAM"]))), None, shift_of(pairs)


def read_htk(raw):
    rows, period, size, kind = struct.unpack(">iihH", raw[:12])
    if kind == 0:
        assert size == 2 and 10 ** 7 % period == 0, (size, period)
        return None, (10 ** 7 // period, np.frombuffer(raw[12:], ">i2").reshape(rows, 1)), None
    assert kind == 9, kind
    shift = Decimal(period) / 10 ** 7 if period else None
    return np.frombuffer(raw[12:], ">f4").reshape(rows, size // 4), None, shift


def read_npy(raw):
    file = io.BytesIO(raw)
    array = np.lib.format.read_array(file, allow_pickle=False)
    assert not file.read(1), "bytes behind the array"
    return array, None, None


def read_wav(raw):
    rate, samples, _ = riff.decode(raw)
    return None, (rate, samples), None


def read_sphere(raw):
    assert raw[:8] == b"NIST_1A\n", raw[:8]
    size = int(raw[8:16])
    fields = {}
    for line in raw[16:size].split(b"end_head")[0].decode().splitlines():
        name, _, value = line.split(" ", 2)
        fields[name] = value
    width = int(fields["sample_n_bytes"])
    order = {"01": "<", "0123": "<", "10": ">", "3210": ">", "1": "<"}[fields["sample_byte_format"]]
    assert fields["sample_coding"] == "pcm", fields
    samples = np.frombuffer(raw[size:], "%si%d" % (order, width)).reshape(-1, int(fields["channel_count"]))
    assert len(samples) == int(fields["sample_count"]), fields
    if "sample_checksum" in fields and width == 2:
        assert int(samples.astype("i8").sum()) % 65536 == int(fields["sample_checksum"]), fields
    return None, (int(fields["sample_rate"]), samples), None


def read_au(raw):
    magic, at, size, coding, rate, channels = struct.unpack_from(">4sIIIII", raw)
    assert magic == b".snd" and size == len(raw) - at, (magic, at, size, len(raw))
    dtype = {number: name for name, number in AU_CODES.items()}[coding]
    return None, (rate, np.frombuffer(raw[at:], ">" + dtype).reshape(-1, channels)), None


WRITE = {"spr": spr, "key": key, "htk": htk, "npy": npy, "wav": wav, "sphere": sphere, "au": au}
READ = {"spr": read_spr, "key": read_key, "htk": read_htk, "npy": read_npy, "wav": read_wav, "sphere": read_sphere, "au": read_au}


# Cases.

def source(name):
    def make(case, kind):
        rng = case.rng
        folder = rng.random() < 0.7
        data = data_set(rng, kind, Holds(**dict(holds(name), one=not folder)), 1 if not folder else max(1, case.count or 3))
        if name == "htk":
            # Times are whole units of 100 ns.
            for u in data:
                u.shift = u.shift and Decimal(int(u.shift * 10 ** 7)) / 10 ** 7
        extension = EXTENSIONS[name]
        if not folder:
            path = case.path("in", extension)
            u = data[0].with_(key=os.path.basename(path)[:-len(extension) - 1].encode())
            return Source(rng.choice((path, name + ":" + path)), [u], []) if store(path, WRITE[name](rng, u)) else None
        path = case.path("in", "d")
        os.mkdir(path)
        # Files are read in the order of their names.
        data.sort(key=lambda u: u.key + b"." + extension.encode())
        for u in data:
            store(os.path.join(path, os.fsdecode(u.key) + "." + extension), WRITE[name](rng, u))
        return Source(name + ":" + path, data)
    return make


def target(name):
    def make(case):
        rng, extension = case.rng, EXTENSIONS[name]
        folder, given, facts = rng.random() < 0.75, "", holds(name)
        if name == "spr":
            given = rng.choice(("", "", ",byteorder=big", ",text=true", ",compress=gzip"))
        elif name == "key":
            given = rng.choice(("", "", ",text=true"))
        path = case.path("out", "d" if folder else extension)
        argument = "%s:%s/%s" % (name, path, given) if folder else name + ":" + path + given
        if rng.random() < 0.3 and not folder:
            argument = path + given

        def read(printed, expected):
            files = {}
            if folder:
                for root, _, names in os.walk(os.fsencode(path)):
                    for file in names:
                        whole = os.path.join(root, file)
                        at = os.path.relpath(whole, os.fsencode(path))
                        assert at.endswith(b"." + extension.encode()), at
                        files[at[:-len(extension) - 1]] = load(os.fsdecode(whole))
            else:
                files[expected[0].key] = load(path)
            found = []
            # What is there, in the order that is expected: folders have none.
            for u in expected:
                features, sound, shift = READ[name](files.pop(u.key))
                found.append(Utterance(u.key, features, sound=sound, shift=shift))
            assert not files, "%r too many" % sorted(files)
            return found
        made = Target(argument, Holds(**dict(facts, one=not folder)), read, sure=True)
        made.folder, made.key = folder, os.path.basename(path)[:-len(extension) - 1].encode()
        return made
    return make
