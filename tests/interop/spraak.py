"""SPRAAK tracks against a reader and a writer of a few lines."""
import os

import numpy as np

import data
from harness import same_sets

KEY_TYPES = {"BYTE": "i1", "SHORT": "i2", "INT": "i4", "FLOAT": "f4", "DOUBLE": "f8"}


def read(path):
    """The header as pairs and the matrix."""
    with open(path, "rb") as f:
        raw = f.read()
    magic, rest = raw[:5], raw[5:]
    assert magic in (b".spr\n", b".key\n"), magic
    pairs = {}
    while True:
        line, rest = rest.split(b"\n", 1)
        if line == b"#":
            break
        key, value = line.decode("utf-8").split("\t", 1)
        assert key not in pairs, key
        pairs[key] = value
    if magic == b".spr\n":
        rows, columns, kind = int(pairs["DIM1"]), int(pairs["DIM2"]), pairs["TYPE"]
        dtype = np.dtype(kind[0].lower() + str(int(kind[1:]) // 8))
        order = {"BIN01": "<", "BIN10": ">", "ASCII": None}[pairs["FORMAT"]]
    else:
        rows, columns, kind = int(pairs["NFR"]), int(pairs["NPARAM"]), pairs["DATAFORMAT"]
        order = None if kind.startswith("A-") else ">"
        dtype = np.dtype(KEY_TYPES[kind[2:] if order is None else kind])
    if order is None:
        values = np.array([dtype.type(word) for word in rest.split()], dtype)
    else:
        values = np.frombuffer(rest, dtype.newbyteorder(order)).astype(dtype)
    return pairs, values.reshape(rows, columns)


def write_spr(path, m, order="<", extra=""):
    kind = {"f": "F", "i": "I", "u": "U"}[m.dtype.kind] + str(8 * m.dtype.itemsize)
    header = ".spr\nDATA\tTRACK\nLAYOUT\tMATRIX\nTYPE\t%s\nFORMAT\t%s\nDIM1\t%d\nDIM2\t%d\n%s#\n" % (
        kind, {"<": "BIN01", ">": "BIN10"}[order], m.shape[0], m.shape[1], extra)
    with open(path, "wb") as f:
        f.write(header.encode() + m.astype(m.dtype.newbyteorder(order)).tobytes())


def write_key(path, m):
    kind = {code: name for name, code in KEY_TYPES.items()}[m.dtype.str[1:]]
    header = ".key\nDATATYPE\tTRACK\nDATAFORMAT\t%s\nNFR\t%d\nNPARAM\t%d\n#\n" % (kind, m.shape[0], m.shape[1])
    with open(path, "wb") as f:
        f.write(header.encode() + m.astype(m.dtype.newbyteorder(">")).tobytes())


def folder(path, ending):
    """The tracks of a folder, in the order of their names."""
    for name in sorted(os.listdir(path), key=lambda name: name.encode()):
        assert name.endswith(ending), name
        yield name[:-len(ending)], read(os.path.join(path, name))[1]


def ordered(items):
    return sorted(items, key=lambda item: item[0].encode())


def typed():
    """A matrix of every type, with the values at its ends."""
    for code in ("f4", "f8", "i1", "i2", "i4", "i8", "u1", "u2", "u4", "u8"):
        info = np.finfo(code) if code[0] == "f" else np.iinfo(code)
        yield code, np.array([[info.min, info.max], [0, 7]], code)


def checks(t):
    for dtype, items in [("f32", data.matrices("f4")), ("f64", data.matrices("f8"))]:
        source = t.write_jsonl("tracks.jsonl", data.features_only(items))
        for ending, options in [("spr", ""), ("spr", ",byteorder=big"), ("spr", ",text=true"),
                                ("key", ""), ("key", ",text=true")]:
            out = t.path("%s-%s%s" % (ending, dtype, options.replace(",", "-").replace("=", "-")))
            with t.check("spraak: folder of %s%s, %s, read" % (ending, options, dtype)):
                t.convert(source, "%s:%s/%s" % (ending, out, options))
                same_sets(folder(out, "." + ending), ordered(items))
            with t.check("spraak: folder of %s%s, %s, read back" % (ending, options, dtype)):
                same_sets(t.jsonl("%s:%s" % (ending, out)), data.features_only(ordered(items)))
    spr, key, out = t.path("a.spr"), t.path("a.key"), t.path("b.spr")
    for code, m in typed():
        for order, name in (("<", "BIN01"), (">", "BIN10")):
            with t.check("spraak: %s in %s, read" % (code, name)):
                write_spr(spr, m, order)
                same_sets(t.jsonl(spr), [("a", m, None, {})])
        with t.check("spraak: %s from spr to spr, the same matrix" % code):
            t.convert(spr, out, "--allow-loss", "keys")
            same_sets([("b", read(out)[1])], [("b", m)])
        if code in KEY_TYPES.values():
            with t.check("spraak: %s in a key header, read, and to a key header" % code):
                write_key(key, m)
                same_sets(t.jsonl(key), [("a", m, None, {})])
                t.convert(spr, key, "--allow-loss", "keys")
                same_sets([("a", read(key)[1])], [("a", m)])
    with t.check("spraak: header lines survive spr to key to spr"):
        m = data.matrices()[1][1]
        write_spr(spr, m, extra="FSHIFT\t0.0100\nFOFFSET\t0.0075\nTRACKTYPE\tSPECTRUM\nutterance_id\tann 1\n")
        t.convert(spr, key, "--allow-loss", "keys")
        t.convert(key, out, "--allow-loss", "keys")
        pairs, back = read(out)
        same_sets([("b", back)], [("b", m)])
        kept = {name: pairs.get(name) for name in ("FSHIFT", "FOFFSET", "TRACKTYPE", "utterance_id")}
        assert kept == {"FSHIFT": "0.0100", "FOFFSET": "0.0075", "TRACKTYPE": "SPECTRUM", "utterance_id": "ann 1"}, kept
