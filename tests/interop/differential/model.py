"""What an utterance is here: the model of the tests, made anew from the formats' descriptions."""
import math

import numpy as np


class Utterance:
    """Names are bytes; features an array of 2, 1 or 0 dimensions; sound `(rate, samples)`; an object
    `(kind, value)`; segments `(start, end, label)`; times and the frame shift are decimals."""

    FIELDS = ("features", "labels", "sound", "object", "text", "segments")

    def __init__(self, key, features=None, labels=None, sound=None, object=None, text=None, segments=None,
                 shift=None):
        self.key, self.features, self.labels, self.sound = key, features, labels, sound
        self.object, self.text, self.segments, self.shift = object, text, segments, shift

    def with_(self, **changes):
        values = {name: getattr(self, name) for name in ("key", "shift") + self.FIELDS}
        values.update(changes)
        return Utterance(**values)

    def kinds(self):
        return [name for name in self.FIELDS if getattr(self, name) is not None]

    def frames(self):
        for array in (self.features, self.labels):
            if array is not None:
                return array.shape[0] if array.ndim else 1
        return len(self.object[1]) if self.object and self.object[0] in ("posterior", "int32-vector-vector") else 0

    def __repr__(self):
        return "Utterance(%r, %s)" % (self.key, ", ".join(
            "%s=%r" % (name, getattr(self, name)) for name in self.FIELDS + ("shift",)
            if getattr(self, name) is not None))


def bits(array):
    """The values of an array as integers in which only NaNs are alike."""
    array = np.ascontiguousarray(array)
    if array.dtype.kind != "f":
        return array
    raw = array.view("u%d" % array.dtype.itemsize).copy()
    raw[np.isnan(array)] = np.iinfo(raw.dtype).max
    return raw


def unequal(want, got):
    """How two arrays differ in type, shape or a bit, or None."""
    if (want is None) != (got is None):
        return "%r instead of %r" % (got, want)
    if want is None:
        return None
    if want.dtype.newbyteorder("=") != got.dtype.newbyteorder("="):
        return "type %s instead of %s" % (got.dtype, want.dtype)
    if want.shape != got.shape:
        return "shape %s instead of %s" % (got.shape, want.shape)
    want, got = (a.astype(a.dtype.newbyteorder("=")) for a in (want, got))
    wrong = np.argwhere(np.atleast_1d(bits(want) != bits(got)))
    if len(wrong):
        at = tuple(wrong[0]) if want.ndim else ()
        return "%r instead of %r at %s, and %d values in all" % (got[at], want[at], at, len(wrong))
    return None


def difference(want, got):
    """The first difference of two data sets, or None."""
    if [u.key for u in want] != [u.key for u in got]:
        return "keys %r instead of %r" % ([u.key for u in got], [u.key for u in want])
    for a, b in zip(want, got):
        for name in ("features", "labels"):
            found = unequal(getattr(a, name), getattr(b, name))
            if found:
                return "%r: %s: %s" % (a.key, name, found)
        if (a.sound is None) != (b.sound is None):
            return "%r: sound %r instead of %r" % (a.key, b.sound, a.sound)
        if a.sound is not None:
            found = unequal(a.sound[1], b.sound[1])
            if a.sound[0] != b.sound[0] or found:
                return "%r: sound at %r: %s (%r)" % (a.key, b.sound[0], found, a.sound[0])
        if not same_value(a.object, b.object):
            return "%r: object %r instead of %r" % (a.key, b.object, a.object)
        for name in ("text", "segments", "shift"):
            if getattr(a, name) != getattr(b, name):
                return "%r: %s %r instead of %r" % (a.key, name, getattr(b, name), getattr(a, name))
    return None


def same_value(a, b):
    """Whether two values of lists and numbers are the same, NaN like NaN."""
    if isinstance(a, (list, tuple)) and isinstance(b, (list, tuple)):
        return len(a) == len(b) and all(map(same_value, a, b))
    if isinstance(a, float) and isinstance(b, float):
        return math.isnan(a) and math.isnan(b) or (a == b and math.copysign(1, a) == math.copysign(1, b))
    return type(a) is type(b) and a == b


def equal_numbers(a, b):
    """Whether all values are equal as numbers, NaN to NaN, whatever their types."""
    def same(x, y):
        return x == y or (x != x and y != y)
    return all(same(x, y) for x, y in zip(np.ravel(a).tolist(), np.ravel(b).tolist()))


def alike(a, b):
    """What the program's `diff` asks of two utterances of one name."""
    if a.kinds() != b.kinds():
        return False
    for x, y, labels in ((a.features, b.features, False), (a.labels, b.labels, True)):
        if x is None:
            continue
        if labels:
            x, y = (v[:, 0] if v.ndim == 2 and v.shape[1] == 1 else v for v in (x, y))
        empty = x.ndim == y.ndim == 2 and x.size == y.size == 0
        if not empty and x.shape != y.shape or not equal_numbers(x, y):
            return False
    if a.sound is not None:
        if a.sound[0] != b.sound[0] or a.sound[1].shape != b.sound[1].shape:
            return False
        if not equal_numbers(a.sound[1], b.sound[1]):
            return False
    return same_value(a.object, b.object) and a.text == b.text and a.segments == b.segments


class Mismatch(Exception):
    pass


def expect(holds, message, *values):
    if not holds:
        raise Mismatch(message % values if values else message)
