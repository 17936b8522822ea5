"""Runs the program and counts checks."""
import contextlib
import json
import os
import subprocess
import tempfile
import traceback

import numpy as np


class Harness:
    def __init__(self, program):
        self.program = os.path.abspath(program)
        self.folder = tempfile.mkdtemp(prefix="interop-")
        self.passed = self.failed = 0

    def path(self, name):
        return os.path.join(self.folder, name)

    @contextlib.contextmanager
    def check(self, name):
        """One line of the report."""
        try:
            yield
        except Exception as error:  # a check fails for any reason, the others go on
            self.failed += 1
            print("FAILED  %s" % name)
            lines = traceback.format_exception_only(type(error), error)
            print("        " + "".join(lines).strip().replace("\n", "\n        "))
            where = traceback.extract_tb(error.__traceback__)[-1]
            print("        %s:%d" % (os.path.basename(where.filename), where.lineno))
        else:
            self.passed += 1
            print("ok      %s" % name)

    def run(self, *args, stdin=None):
        """What the program prints."""
        done = subprocess.run([self.program, *args], input=stdin, stdout=subprocess.PIPE,
                              stderr=subprocess.PIPE, cwd=self.folder)
        if done.returncode:
            command = " ".join(args)
            raise RuntimeError("spr-convert %s: status %d: %s"
                               % (command, done.returncode, done.stderr.decode(errors="replace").strip()))
        return done.stdout

    def convert(self, *args):
        self.run(*args, "--overwrite", "--quiet")

    def jsonl(self, source, *args):
        """The data set in canonical form: key, features, labels, meta of each utterance."""
        text = self.run(source, "jsonl:-", "--quiet", *args).decode("utf-8")
        return [parsed(json.loads(line, parse_int=integer)) for line in text.splitlines()]

    def write_jsonl(self, name, utterances):
        """Utterances as `jsonl` gives them, in the canonical form."""
        with open(self.path(name), "w", encoding="utf-8") as out:
            for key, features, labels, meta in utterances:
                entry = {"key": key, "features": None, "labels": None, "meta": meta}
                if features is not None:
                    entry["features"] = {"dtype": features.dtype.kind + str(8 * features.dtype.itemsize),
                                         "shape": list(features.shape), "data": plain(features)}
                if labels is not None:
                    entry["labels"] = labels.tolist()
                out.write(json.dumps(entry, ensure_ascii=False, allow_nan=False) + "\n")
        return self.path(name)


def integer(digits):
    """Python's json module takes -0 for the integer, which has no sign."""
    return -0.0 if digits == "-0" else int(digits)


def plain(array):
    """Numbers for the json module: f64 digits are enough for f32, non-finite ones are words."""
    if array.ndim > 1:
        return [plain(row) for row in array]
    return [v if np.isfinite(v) else str(v) for v in array.tolist()]


def array(data, dtype, shape):
    def leaves(item):
        if isinstance(item, list):
            for part in item:
                yield from leaves(part)
        else:
            yield item
    if dtype[0] == "f":
        numbers = [float(v) for v in leaves(data)]
    else:
        numbers = list(leaves(data))
    return np.array(numbers, dtype[0] + str(int(dtype[1:]) // 8)).reshape(shape)


def parsed(entry):
    features, labels = entry["features"], entry["labels"]
    if features is not None:
        features = array(features["data"], features["dtype"], features["shape"])
    if labels is not None:
        dtype = entry.get("label_dtype", "i32")
        labels = np.array(labels, dtype[0] + str(int(dtype[1:]) // 8))
    return entry["key"], features, labels, entry["meta"]


def same(ours, theirs, name="", bits=True):
    """The same type, shape and bits; any NaN equals any NaN."""
    if ours is None or theirs is None:
        assert ours is theirs, "%s: %r, expected %r" % (name, ours, theirs)
        return
    ours, theirs = np.asarray(ours), np.asarray(theirs)
    assert ours.shape == theirs.shape, "%s: shape %s, expected %s" % (name, ours.shape, theirs.shape)
    assert ours.dtype.newbyteorder("=") == theirs.dtype.newbyteorder("="), \
        "%s: %s, expected %s" % (name, ours.dtype, theirs.dtype)
    np.testing.assert_array_equal(ours, theirs, name)
    if bits and ours.dtype.kind == "f":
        number = ~np.isnan(ours)
        np.testing.assert_array_equal(np.signbit(ours[number]), np.signbit(theirs[number]), name)


def same_sets(ours, theirs):
    """The same keys in the same order, and the same arrays."""
    ours, theirs = list(ours), list(theirs)
    assert [u[0] for u in ours] == [u[0] for u in theirs], \
        "keys %s, expected %s" % ([u[0] for u in ours], [u[0] for u in theirs])
    for (key, *mine), (_, *other) in zip(ours, theirs):
        for a, b in zip(mine, other):
            if isinstance(b, dict):
                assert a == b, "%s: %r, expected %r" % (key, a, b)
            else:
                same(a, b, key)
