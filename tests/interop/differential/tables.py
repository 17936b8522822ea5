"""PFiles and pickles, from their descriptions; NumPy's own pickles."""
import io
import os
import pickle

import numpy as np

from .draw import data_set
from .formats import FEATURES, LABELS, Holds, Source, Target, ending, load, numbered, store
from .loss import stacked
from .model import Utterance

PFILE = dict(features=("f4",), labels=("i4",), same_dim=True, same_dtype=True, same_columns=True, max_columns=32400)
PICKLE = dict(features=FEATURES + ("f2", "b1"), vectors=True, labels=LABELS[:1] + ("i8", "i2", "i1", "u1", "u2", "u4", "u8"),
              labels_alone=False)


def side(path, data):
    with open(path + ".utt2num_frames", "wb") as out:
        out.writelines(b"%s %d\n" % (u.key, u.frames()) for u in data)


def read_side(path):
    with open(path + ".utt2num_frames", "rb") as lines:
        return [(key, int(n)) for key, n in (line.split() for line in lines)]


# PFiles.

def matrix_of_labels(labels):
    return labels.reshape(len(labels), -1)


def encode_pfile(data, order, table, runs):
    first = data[0]
    width = 0 if first.features is None else first.features.shape[1]
    wide = 0 if first.labels is None else matrix_of_labels(first.labels).shape[1]
    rows, columns = sum(u.frames() for u in data), 2 + width + wide
    form = "dd" + "f" * width + "d" * wide
    if runs:
        form = "2d%s%s" % ("%df" % width if width else "", "%dd" % wide if wide else "")
    head = ["-pfile_header version 0 size 32768", "-num_sentences %d" % len(data), "-num_frames %d" % rows,
            "-first_feature_column 2", "-num_features %d" % width, "-first_label_column %d" % (2 + width),
            "-num_labels %d" % wide, "-format " + form,
            "-data size %d offset 0 ndim 2 nrow %d ncol %d" % (rows * columns, rows, columns)]
    if table:
        head.append("-sent_table_data size %d offset %d ndim 1" % (len(data) + 1, rows * columns))
    raw = "".join(line + "\n" for line in head + ["-end"]).encode().ljust(32768, b"\0")
    for i, u in enumerate(data):
        n = u.frames()
        cells = [np.stack([np.full(n, i), np.arange(n)], 1).astype(order + "i4").view("u4")]
        if width:
            cells.append(u.features.astype(order + "f4").view("u4"))
        if wide:
            cells.append(matrix_of_labels(u.labels).astype(order + "i4").view("u4"))
        raw += np.concatenate(cells, 1).tobytes()
    if table:
        raw += np.cumsum([0] + [u.frames() for u in data]).astype(order + "i4").tobytes()
    return raw


def decode_pfile(raw):
    """Features and labels of each sentence."""
    text = raw[:32768].rstrip(b"\0").decode("ascii")
    assert text.startswith("-pfile_header version 0 size 32768\n") and text.endswith("\n-end\n"), text
    head = {line.split()[0]: line.split()[1:] for line in text.splitlines()}
    width, wide = int(head["-num_features"][0]), int(head["-num_labels"][0])
    rows, sentences, columns = int(head["-num_frames"][0]), int(head["-num_sentences"][0]), 2 + width + wide
    assert head["-format"] == ["dd" + "f" * width + "d" * wide], head["-format"]
    assert head["-first_feature_column"] == ["2"] and head["-first_label_column"] == [str(2 + width)]
    assert " ".join(head["-data"]) == "size %d offset 0 ndim 2 nrow %d ncol %d" % (rows * columns, rows, columns)
    assert " ".join(head["-sent_table_data"]) == "size %d offset %d ndim 1" % (sentences + 1, rows * columns)
    words = np.frombuffer(raw[32768:], ">i4")
    assert len(words) == rows * columns + sentences + 1, "%d words" % len(words)
    cells, table = words[:rows * columns].reshape(rows, columns), words[rows * columns:]
    assert table[0] == 0 and table[-1] == rows, table
    for i in range(sentences):
        part = cells[table[i]:table[i + 1]]
        assert (part[:, 0] == i).all() and (part[:, 1] == np.arange(len(part))).all(), "numbers of rows"
        features = np.ascontiguousarray(part[:, 2:2 + width]).view(">f4") if width else None
        labels = part[:, 2 + width:] if wide else None
        yield features, labels[:, 0] if wide == 1 else labels


def pfile_source(case, kind):
    rng = case.rng
    data = data_set(rng, kind, Holds(**PFILE), case.count)
    if not data:
        data = data_set(rng, kind, Holds(**PFILE), 1)
    raw = encode_pfile(data, rng.choice("><") if sum(u.frames() for u in data) > 1 else ">", rng.random() < 0.8,
                       rng.random() < 0.3)
    names = rng.random() < 0.8
    form = rng.choice(("path", "path", "named", "stdin"))
    if form == "stdin":
        return Source("pfile:-", numbered(data), stdin=raw, generated=True)
    path = store(case.path("in", "pfile"), raw, ending(rng))
    if names:
        side(path, data)
    data = data if names else numbered(data)
    return Source(path if form == "path" else "pfile:" + path, data, generated=not names)


def pfile_target(case):
    rng, path = case.rng, case.path("out", "pfile")
    form = rng.choice(("path", "path", "path", "stdout", "none"))
    packed = ending(rng) if form != "stdout" else ""
    argument = {"path": path + packed, "stdout": "pfile:-", "none": path + packed + ",keys=none"}[form]
    holds = Holds(**dict(PFILE, keys="side" if form == "path" else "none"))

    def read(printed, expected):
        raw = printed if form == "stdout" else load(path, packed)
        found = list(decode_pfile(raw))
        names = [u.key for u in numbered(expected)]
        if form == "path":
            said = read_side(path + packed)
            names = [key for key, _ in said]
            frames = [len(f if f is not None else l) for f, l in found]
            assert [n for _, n in said] == frames, "the side file says %r" % said
        else:
            assert not os.path.exists(path + packed + ".utt2num_frames"), "a side file"
        assert len(names) == len(found), "%d sentences" % len(found)
        return [Utterance(key, features, labels) for key, (features, labels) in zip(names, found)]
    return Target(argument, holds, read, stdout=form == "stdout", granted={"keys"} if form == "none" else (),
                  seen=numbered if form != "path" else None)


# Pickles.

def spelled(rng, array):
    """An array as NumPy may have it: of another byte order, or by columns."""
    if array is None:
        return None
    if rng.random() < 0.2 and array.dtype.itemsize > 1:
        array = array.astype(array.dtype.newbyteorder(">"))
    if rng.random() < 0.2 and array.ndim == 2:
        array = np.asfortranarray(array)
    return array


def pickle_source(case, kind):
    rng = case.rng
    layout = rng.choice(("pdnn", "pdnn", "dict", "list"))
    facts = dict(PICKLE)
    if layout == "pdnn":
        facts.update(same_dim=True, same_dtype=True, same_columns=True)
    data = data_set(rng, kind, Holds(**facts), case.count)
    if not data:
        data = data_set(rng, kind, Holds(**facts), 1)

    def one(u):
        features, labels = spelled(rng, u.features), spelled(rng, u.labels)
        return features if labels is None else (features, labels)
    options, names = [], True
    if layout == "dict":
        try:
            value = {u.key.decode(): one(u) for u in data}
        except UnicodeDecodeError:
            value = {u.key: one(u) for u in data}
        options = [] if kind == "labelled" else ["--oo", "layout=dict"]
    elif layout == "list":
        value, options = [one(u) for u in data], ["--oo", "layout=list"]
        names = rng.random() < 0.8
    else:
        joined = Utterance(b"", *(None if getattr(data[0], name) is None else np.concatenate([getattr(u, name) for u in data])
                                  for name in ("features", "labels")))
        value = one(joined)
        names = rng.random() < 0.8
    raw = pickle.dumps(value, rng.randint(0, pickle.HIGHEST_PROTOCOL))
    path = store(case.path("in", "pkl"), raw, ending(rng))
    if layout != "dict" and names:
        side(path, data)
    if layout == "pdnn" and not names:
        data = stacked(data)
    if layout == "list" and not names:
        data = numbered(data)
    return Source(path, data, options, generated=not names)


def pickle_target(case):
    rng, path = case.rng, case.path("out", "pkl")
    layout, protocol = rng.choice(("pdnn", "pdnn", "dict", "list")), rng.randint(0, 5)
    form = rng.choice(("path", "path", "path", "stdout", "none"))
    packed = ending(rng) if form != "stdout" else ""
    options = []
    beside = form == "path" and layout != "dict"
    facts = dict(PICKLE, keys="any" if layout == "dict" else "side" if beside else "none", unique=layout == "dict",
                 boundaries=beside or layout != "pdnn",
                 empty="kept" if layout != "pdnn" else "shapeless" if beside else "no")
    if layout == "pdnn":
        facts.update(same_dim=True, same_dtype=True, same_columns=True)
    given = ",layout=%s,protocol=%d" % (layout, protocol)
    if form == "none":
        given += ",keys=none"
    argument = "pickle:-" + given if form == "stdout" else path + packed + given

    def parts(value):
        return value if isinstance(value, (tuple, list)) else (value, None)

    def read(printed, expected):
        raw = io.BytesIO(printed if form == "stdout" else load(path, packed))
        value = pickle.load(raw)
        assert not raw.read(1), "bytes behind the pickle"
        if layout == "dict":
            return [Utterance(key if isinstance(key, bytes) else key.encode(), *parts(one)) for key, one in value.items()]
        names, lengths = [u.key for u in expected], [u.frames() for u in expected]
        if beside:
            names, lengths = zip(*read_side(path + packed)) if expected else ((), ())
        if layout == "list":
            assert len(value) == len(names), "%d entries" % len(value)
            return [Utterance(key, *parts(one)) for key, one in zip(names, value)]
        features, labels = parts(value)
        found, at = [], 0
        for key, n in zip(names, lengths):
            cut = [None if a is None else a[at:at + n] for a in (features, labels)]
            if n == 0 and cut[0].ndim == 2:
                cut[0] = cut[0].reshape(0, 0)
            found.append(Utterance(key, *cut))
            at += n
        assert at == len(features), "%d rows, %d named" % (len(features), at)
        return found

    def seen(data):
        data = data if beside or layout == "dict" else numbered(data)
        # One label a frame is a list, whatever it was.
        return [u.with_(labels=u.labels[:, 0]) if u.labels is not None and u.labels.ndim == 2 and u.labels.shape[1] == 1
                else u for u in data]
    sure = beside or layout != "pdnn"
    # A list of few arrays may be a pair, a dict of some names something else.
    return Target(argument, Holds(**facts), read, options, form == "stdout", seen,
                  {"keys", "boundaries"} if form == "none" else (), sure=sure and layout == "pdnn")
