"""The canonical text form, and SPRAAK's lists."""
import json
from decimal import Decimal

import numpy as np

from .draw import data_set
from .formats import FEATURES, Holds, Source, Target, ending, load, store
from .kaldi import OBJECTS
from .loss import NAMES, code
from .model import Utterance

JSONL = dict(features=FEATURES + ("f2", "b1"), vectors=True, scalars=True,
             labels=("i4", "i8", "i1", "u1", "i2", "u2", "u4", "u8"), objects=OBJECTS, sound=FEATURES, text=True,
             segments=True, shift=True, empty="kept", keys="any", columnless=True)
CODES = {name: kind for kind, name in NAMES.items()}


def name(raw):
    try:
        return raw.decode()
    except UnicodeDecodeError:
        return {"bytes": raw.hex()}


def raw_name(value):
    return value.encode() if isinstance(value, str) else bytes.fromhex(value["bytes"])


def plain(array):
    """Lists of numbers; those that JSON does not have are words."""
    if isinstance(array, np.ndarray) and array.ndim:
        return [plain(part) for part in array]
    value = array.item() if isinstance(array, (np.ndarray, np.generic)) else array
    if isinstance(value, bool):
        return int(value)
    return value if not isinstance(value, float) or np.isfinite(value) else str(value)


def filled(array):
    """An array from its fields."""
    dtype = CODES[array["dtype"]]
    flat, shape = [], array["shape"]

    def walk(part, depth):
        if depth == len(shape):
            flat.append(part)
            return
        assert len(part) == shape[depth], "%d items, shape %r" % (len(part), shape)
        for item in part:
            walk(item, depth + 1)
    walk(array["data"], 0)
    if dtype[0] == "f":
        flat = [float(v) for v in flat]
    return np.array(flat, dtype).reshape(shape)


def value_out(kind, value):
    if kind == "token":
        return name(value)
    return [name(v) for v in value] if kind == "token-vector" else value


def value_in(kind, value):
    if kind == "token":
        return raw_name(value)
    if kind == "token-vector":
        return [raw_name(v) for v in value]
    def narrow(x):
        return float(np.float32(x))
    real = {"float-pair-vector": lambda v: [[narrow(a), narrow(b)] for a, b in v],
            "basic-float-vector": lambda v: [narrow(a) for a in v],
            "posterior": lambda v: [[[i, narrow(w)] for i, w in part] for part in v]}
    return real[kind](value) if kind in real else value


def encode(u, rng):
    entry = {"key": name(u.key)}
    if u.features is not None:
        entry["features"] = {"dtype": NAMES[code(u.features)], "shape": list(u.features.shape), "data": plain(u.features)}
    if u.labels is not None:
        entry["labels"] = plain(u.labels)
        if code(u.labels) != "i4":
            entry["label_dtype"] = NAMES[code(u.labels)]
    if u.object is not None:
        entry["kind"], entry["value"] = u.object[0], value_out(*u.object)
    if u.sound is not None:
        rate, samples = u.sound
        entry["audio"] = {"rate": rate, "dtype": NAMES[code(samples)], "shape": list(samples.shape), "data": plain(samples)}
    if u.text is not None:
        entry["text"] = name(u.text)
    if u.segments is not None:
        entry["segments"] = [{"start": float(s), "end": float(e), "label": name(label)} for s, e, label in u.segments]
    entry["meta"] = {} if u.shift is None else {"frame_shift": float(u.shift)}
    if rng.random() < 0.2:
        fields = list(entry.items())
        rng.shuffle(fields)
        entry = dict(fields)
    return json.dumps(entry, ensure_ascii=rng.random() < 0.3, allow_nan=False).encode() + b"\n"


def decode(line):
    entry = json.loads(line.decode("utf-8"), parse_int=lambda d: -0.0 if d == "-0" else int(d))
    exact = json.loads(line.decode("utf-8"), parse_float=Decimal, parse_int=Decimal)
    u = Utterance(raw_name(entry.pop("key")))
    features, labels, audio = entry.pop("features"), entry.pop("labels"), entry.pop("audio", None)
    if features is not None:
        u.features = filled(features)
    dtype, wide = CODES[entry.pop("label_dtype", "i32")], entry.pop("label_columns", None)
    if labels is not None:
        u.labels = np.array(labels, dtype).reshape((len(labels), wide) if wide is not None else np.shape(labels))
    if "kind" in entry:
        kind = entry.pop("kind")
        u.object = kind, value_in(kind, entry.pop("value"))
    if audio is not None:
        u.sound = audio["rate"], filled(audio)
    if "text" in entry:
        u.text = raw_name(entry.pop("text"))
    if "segments" in entry:
        u.segments = [(s["start"], s["end"], raw_name(s["label"])) for s in exact["segments"]]
        entry.pop("segments")
    meta = entry.pop("meta")
    assert not entry, "fields %r" % sorted(entry)
    u.shift = exact["meta"].get("frame_shift")
    # Other header lines are what the format that was read says of itself.
    assert set(meta) <= {"frame_shift", "tags"}, meta
    return u


def source(case, kind):
    rng = case.rng
    data = data_set(rng, kind, Holds(**JSONL), case.count)
    if kind == "labelled" and len(data) > 1 and rng.random() < 0.08:
        rng.choice(data).labels = None
    if kind == "features" and data and rng.random() < 0.02:
        data[0].features = data[0].features[:, :0]
    raw = b"".join(encode(u, rng) for u in data)
    if rng.random() < 0.1 and raw:
        raw = raw[:-1]
    form = rng.choice(("path", "named", "stdin"))
    if form == "stdin":
        return Source("jsonl:-", data, stdin=raw)
    path = store(case.path("in", "jsonl"), raw, ending(rng))
    return Source(path if form == "path" and data else "jsonl:" + path, data)


def target(case):
    rng, path = case.rng, case.path("out", "jsonl")
    stdout = rng.random() < 0.3
    packed = "" if stdout else ending(rng)

    def read(printed, expected):
        raw = printed if stdout else load(path, packed)
        assert not raw or raw.endswith(b"\n"), "the last line has no end"
        return [decode(line) for line in raw.split(b"\n")[:-1]]
    return Target("jsonl:-" if stdout else path + packed, Holds(**JSONL), read, stdout=stdout)


# SPRAAK's lists.

LIST = dict(keys="words", shift=True, empty="kept")


def corpus_target(case):
    path = case.path("out", "cor")

    def read(printed, expected):
        head, body = load(path).split(b"\n#\n", 1)
        pairs = dict(line.split("\t", 1) for line in head.decode().split("\n")[1:])
        assert pairs["DATA"] == "CORPUS" and int(pairs["DIM1"]) == len(expected), pairs
        found = []
        for line in body.split(b"\n")[:-1]:
            key, said, first, frames = line.split()
            assert (first, frames) == (b"0", b"-1"), line
            found.append(Utterance(key, text=b"" if said == b"#" else said.replace(b"_", b" ")))
        return found
    made = Target(path, Holds(**dict(LIST, text=True)), read)
    made.listed = True
    return made


def segments_target(case):
    path = case.path("out", "seg")

    def read(printed, expected):
        head, body = load(path).split(b"\n#\n", 1)
        pairs = dict(line.split("\t", 1) for line in head.decode().split("\n")[1:])
        assert pairs["DATA"] == "SEG" and int(pairs["DIM2"]) == len(expected), pairs
        shift = Decimal(pairs["FSHIFT"]) if "FSHIFT" in pairs else Decimal("0.01")
        found, lines = [], body.split(b"\n")[:-1]
        assert int(pairs["DIM1"]) == len(lines), pairs
        for line in lines:
            key, label, first, second = line.split()
            if key != b"-":
                found.append(Utterance(key, segments=[], shift=shift_or_none(pairs)))
            if pairs["TIMEBASE"] == "DISCRETE":
                start, end = int(first) * shift, (int(first) + int(second)) * shift
            else:
                start, end = Decimal(first.decode()), Decimal(second.decode())
            found[-1].segments.append((start, end, label))
        return found
    made = Target(path, Holds(**dict(LIST, segments=True)), read)
    made.listed = True
    return made


def shift_or_none(pairs):
    return Decimal(pairs["FSHIFT"]) if "FSHIFT" in pairs else None


def corpus_source(case, kind):
    data = data_set(case.rng, "text", Holds(text=True), max(1, case.count or 2))
    data = [u.with_(key=b"k" + u.key, text=u.text) for u in data]
    body = b"".join(b"%s %s 0 -1\n" % (u.key, u.text.replace(b" ", b"_")) for u in data)
    head = ".spr\nDATA\tCORPUS\nLAYOUT\tLIST\nTYPE\tSTRING\nFORMAT\tASCII\nDIM1\t%d\n#\n" % len(data)
    return Source(store(case.path("in", "cor"), head.encode() + body), data)


def segments_source(case, kind):
    data = data_set(case.rng, "segments", Holds(segments=True), max(1, case.count or 2))
    data = [u.with_(key=b"k" + u.key) for u in data]
    lines = [b"%s %s %d %d\n" % (u.key if i == 0 else b"-", label, start * 100, (end - start) * 100)
             for u in data for i, (start, end, label) in enumerate(u.segments)]
    head = ".spr\nDATA\tSEG\nLAYOUT\tLIST\nTYPE\tSTRING\nFORMAT\tASCII\nDIM1\t%d\nDIM2\t%d\nTIMEBASE\tDISCRETE\nFSHIFT\t0.01\n#\n"
    return Source(store(case.path("in", "seg"), (head % (len(lines), len(data))).encode() + b"".join(lines)), data)
