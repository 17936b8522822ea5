"""PFiles against a reader and a writer of a few lines of NumPy."""
import numpy as np

import data
from harness import same, same_sets


def read(path):
    """Header lines, sentence numbers, frame numbers, features, labels and the sentence table."""
    with open(path, "rb") as f:
        raw = f.read()
    text = raw[:32768].split(b"\0")[0].decode("ascii")
    assert text.startswith("-pfile_header version 0 size 32768\n") and text.endswith("-end\n"), text
    head = {line.split()[0]: line.split()[1:] for line in text.splitlines()}
    features, labels = int(head["-num_features"][0]), int(head["-num_labels"][0])
    rows, sentences = int(head["-num_frames"][0]), int(head["-num_sentences"][0])
    columns = 2 + features + labels
    assert head["-format"] == ["dd" + "f" * features + "d" * labels], head["-format"]
    assert head["-first_feature_column"] == ["2"] and head["-first_label_column"] == [str(2 + features)]
    assert " ".join(head["-data"]) == "size %d offset 0 ndim 2 nrow %d ncol %d" % (rows * columns, rows, columns)
    assert " ".join(head["-sent_table_data"]) == "size %d offset %d ndim 1" % (sentences + 1, rows * columns)
    words = np.frombuffer(raw[32768:], ">i4")
    assert len(words) == rows * columns + sentences + 1, "%d words" % len(words)
    cells = words[:rows * columns].reshape(rows, columns)
    table = words[rows * columns:]
    assert table[0] == 0 and table[-1] == rows
    return cells[:, 0], cells[:, 1], np.ascontiguousarray(cells[:, 2:2 + features]).view(">f4"), \
        cells[:, 2 + features:], table


def write(path, items, targets):
    """Big endian, with a table; `targets` are lists of label columns."""
    features, labels = items[0][1].shape[1], targets[0].shape[1]
    rows, columns = sum(len(m) for _, m in items), 2 + features + labels
    head = ("-pfile_header version 0 size 32768\n-num_sentences %d\n-num_frames %d\n-first_feature_column 2\n"
            "-num_features %d\n-first_label_column %d\n-num_labels %d\n-format dd%s%s\n"
            "-data size %d offset 0 ndim 2 nrow %d ncol %d\n-sent_table_data size %d offset %d ndim 1\n-end\n"
            % (len(items), rows, features, 2 + features, labels, "f" * features, "d" * labels,
               rows * columns, rows, columns, len(items) + 1, rows * columns))
    with open(path, "wb") as out:
        out.write(head.encode().ljust(32768, b"\0"))
        for i, ((_, m), target) in enumerate(zip(items, targets)):
            ids = np.stack([np.full(len(m), i), np.arange(len(m))], 1).astype(">i4").view("u1")
            cells = [ids, m.astype(">f4").view("u1"), target.astype(">i4").view("u1")]
            out.write(np.concatenate([c.reshape(len(m), -1) for c in cells], 1).tobytes())
        out.write(np.cumsum([0] + [len(m) for _, m in items]).astype(">i4").tobytes())
    with open(path + ".utt2num_frames", "w", encoding="utf-8") as out:
        out.writelines("%s %d\n" % (key, len(m)) for key, m in items)


def sentences(path):
    """Features and labels of each sentence, and the names of the side file."""
    sent, frame, features, labels, table = read(path)
    with open(path + ".utt2num_frames", encoding="utf-8") as lines:
        names = [line.split() for line in lines]
    assert [int(n) for _, n in names] == np.diff(table).tolist(), "side file"
    for i, (key, _) in enumerate(names):
        rows = slice(table[i], table[i + 1])
        assert (sent[rows] == i).all() and (frame[rows] == np.arange(table[i + 1] - table[i])).all(), "row numbers"
        yield key, features[rows], labels[rows]


def checks(t):
    items, targets = data.matrices(), [v[:, None] for _, v in data.labels()]
    nothing = [np.zeros((len(m), 0), "i4") for _, m in items]
    bare = [(key, m[:, :0]) for key, m in items]
    both = t.write_jsonl("both.jsonl", data.labelled(items, data.labels()))
    only = t.write_jsonl("only.jsonl", data.labels_only(data.labels()))
    ark = t.path("f.ark")
    t.convert(t.write_jsonl("features.jsonl", data.features_only(items)), ark)
    t.convert(only, t.path("f.ali"))
    out = t.path("o.pfile")

    for name, args, shown, labels in [
        ("features and labels", [both], items, targets),
        ("archive and alignment", [ark, "--labels", t.path("f.ali")], items, targets),
        ("features", [ark], items, nothing),
        ("labels", [only], bare, targets),
    ]:
        with t.check("pfile: %s written, read by NumPy" % name):
            t.convert(*args, out)
            same_sets(sentences(out), [(key, m, target) for (key, m), target in zip(shown, labels)])
    with t.check("pfile: written, the same bytes as NumPy's"):
        t.convert(both, out)
        write(t.path("n.pfile"), items, targets)
        for ending in ("", ".utt2num_frames"):
            with open(out + ending, "rb") as a, open(t.path("n.pfile") + ending, "rb") as b:
                assert a.read() == b.read(), ending
    for name, shown, labels in [("one label", items, targets), ("no labels", items, nothing),
                                ("three labels", items, [np.repeat(v, 3, 1) for v in targets]),
                                ("labels only", bare, targets)]:
        with t.check("pfile: by NumPy, %s, read" % name):
            write(t.path("n.pfile"), shown, labels)
            found = t.jsonl(t.path("n.pfile"))
            assert [u[0] for u in found] == [key for key, _ in shown]
            for (key, m), target, (_, features, label, _) in zip(shown, labels, found):
                same(features, m if m.shape[1] else None, key)
                target = target[:, 0] if target.shape[1] == 1 else target
                same(label, target if target.shape[-1] else None, key)
