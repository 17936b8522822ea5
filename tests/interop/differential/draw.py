"""Random values, names and data sets."""
import string
from decimal import Decimal

import numpy as np

from .model import Utterance

FLOATS = ("f4", "f8", "f2")
INTEGERS = ("i1", "u1", "i2", "u2", "i4", "u4", "i8", "u8")


def floats(rng, dtype, shape, flavour):
    info = np.finfo(dtype)
    n = int(np.prod(shape, dtype=int))
    with np.errstate(over="ignore"):
        if flavour == "bits":
            values = np.frombuffer(rng.randbytes(n * info.dtype.itemsize), dtype).copy()
        elif flavour == "whole":
            values = np.array([rng.randint(-300, 300) for _ in range(n)], dtype)
        elif flavour == "halves":
            values = np.array([rng.randint(-999, 999) / 8 for _ in range(n)], dtype)
        else:
            scale = 10.0 ** rng.randint(-4, 4)
            values = (scale * np.random.RandomState(rng.getrandbits(32)).standard_normal(n)).astype(dtype)
        if flavour == "odd" and n:
            odd = [np.nan, np.inf, -np.inf, -0.0, 0.0, info.max, info.min, info.tiny, info.smallest_subnormal,
                   -info.smallest_subnormal, 16777217.0, 0.1, 65504.0, 65520.0, 2.0 ** 31, -2.0 ** 63]
            for _ in range(rng.randint(1, 6)):
                values[rng.randrange(n)] = np.array(rng.choice(odd)).astype(dtype)
    return values.reshape(shape)


def integers(rng, dtype, shape, flavour):
    info = np.iinfo(dtype)
    low, high = int(info.min), int(info.max)
    if flavour == "small":
        low, high = max(low, 0), min(high, 40)
    n = int(np.prod(shape, dtype=int))
    values = [rng.choice((low, high, 0, 1, low + 1, high - 1)) if flavour == "ends" else rng.randint(low, high)
              for _ in range(n)]
    return np.array(values, dtype).reshape(shape)


def values(rng, dtype, shape, finite=False):
    """An array of one type; `finite` leaves NaN and infinities out."""
    if dtype == "b1":
        return np.array([rng.random() < 0.5 for _ in range(int(np.prod(shape, dtype=int)))], "?").reshape(shape)
    if dtype[0] == "f":
        flavours = ("usual", "usual", "whole", "halves") if finite else ("usual", "whole", "halves", "odd", "bits")
        return floats(rng, dtype, shape, rng.choice(flavours))
    return integers(rng, dtype, shape, rng.choice(("small", "full", "ends")))


LETTERS = string.ascii_letters + string.digits + "-_."


def word(rng, odd=True):
    """A name that Kaldi and file systems take."""
    if odd and rng.random() < 0.2:
        return rng.choice(("é", "日本", "a'b", "a\"b", "a,b", "a=b", "a:b", "x[1]", "#", "a#2", "-", "a|b", "a$b", "%s",
                           "a*", "a?", "~", "@1", "a;b", "\\n", "(a)", "a&b", "{part}", "\U0001f600")).encode()
    return "".join(rng.choice(LETTERS) for _ in range(rng.randint(1, 12))).encode()


def keys(rng, n, files=False, anything=False):
    """Different names; those of files start and end as ordinary ones do."""
    found = []
    while len(found) < n:
        key = word(rng)
        if anything and rng.random() < 0.2:
            key = rng.choice((b"", b"a b", b" ", b"\n", b"a\tb", b"\xff\xfe", b"a\x00b", b"\x7f", b"\xc3", b'"', b"a/b"))
        if files:
            key = b"k" + key.replace(b".", b"_") + b"k"
        if key not in found:
            found.append(key)
    if rng.random() < 0.5:
        found.sort()
    return found


def rows(rng):
    return rng.choice((1, 1, 2, 3, 5, 8, 9, rng.randint(1, 40)))


def columns(rng):
    return rng.choice((1, 1, 2, 3, 5, 13, rng.randint(1, 20)))


def count(rng):
    return rng.choice((1, 1, 2, 3, 4, rng.randint(2, 9)))


def shift(rng):
    return Decimal(rng.choice(("0.01", "0.010", "0.0125", "0.008", "1")))


def data_set(rng, kind, source, n=None, finite=False):
    """A data set of one kind that a file of `source`, a description of what it holds, holds."""
    n = (1 if source.one else count(rng)) if n is None else n
    names = keys(rng, n, source.keys == "names", source.keys == "any")
    made = globals()[kind](rng, source, n, finite)
    if source.shift and kind in ("features", "labelled", "labels") and rng.random() < 0.4:
        said = shift(rng)
        for utterance in made:
            utterance.shift = said
    for key, utterance in zip(names, made):
        utterance.key = key
    return made


def shapes(rng, source, n):
    """The shapes of n matrices."""
    columns_ = columns(rng)
    vary = not source.same_dim and rng.random() < 0.2
    for _ in range(n):
        rows_ = 0 if source.empty != "no" and rng.random() < 0.05 else rows(rng)
        if rows_ == 0 and source.empty == "shapeless":
            yield 0, 0
        else:
            yield rows_, columns(rng) if vary else columns_


def types(rng, allowed, n, same):
    first = rng.choice(allowed)
    vary = not same and rng.random() < 0.15
    return [rng.choice(allowed) if vary else first for _ in range(n)]


def features(rng, source, n, finite):
    dtypes = types(rng, source.features, n, source.same_dtype)
    return [Utterance(None, values(rng, dtype, shape, finite))
            for dtype, shape in zip(dtypes, shapes(rng, source, n))]


def vectors(rng, source, n, finite):
    dtypes = types(rng, source.features, n, source.same_dtype)
    return [Utterance(None, values(rng, dtype, (0 if source.empty != "no" and rng.random() < 0.05 else rows(rng),), finite))
            for dtype in dtypes]


def scalars(rng, source, n, finite):
    dtypes = types(rng, source.features, n, source.same_dtype)
    return [Utterance(None, np.array(values(rng, dtype, (1,), finite)[0])) for dtype in dtypes]


def labels_of(rng, source, dtype, length, width):
    flavour = "small" if source.plain_labels else rng.choice(("small", "small", "full", "ends"))
    shape = (length,) if width == 1 else (length, width)
    return integers(rng, dtype, shape, flavour)


def label_width(rng, source):
    return 1 if source.label_columns == 1 or rng.random() < 0.75 else rng.randint(2, 3)


def labels(rng, source, n, finite):
    dtype, width = rng.choice(source.labels), label_width(rng, source)
    return [Utterance(None, labels=labels_of(rng, source, dtype, rows(rng), width)) for _ in range(n)]


def labelled(rng, source, n, finite):
    made = features(rng, source, n, finite)
    dtype, width = rng.choice(source.labels), label_width(rng, source)
    for utterance in made:
        length = utterance.frames()
        # An empty list of rows can't show how many columns it would have.
        utterance.labels = labels_of(rng, source, dtype, length, width if length else 1)
    if any(len(u.labels) == 0 for u in made):
        for utterance in made:
            utterance.labels = labels_of(rng, source, dtype, utterance.frames(), 1)
    return made


def sound(rng, source, n, finite):
    rate, channels = rng.choice((8000, 16000, 44100, 11025)), rng.choice((1, 1, 2, 3))
    made = []
    for dtype in types(rng, source.sound, n, True):
        shape = (rng.randint(1, 60), channels)
        if dtype[0] == "f":
            level = rng.choice((0.5, 1.0, 2.0))
            samples = np.array([rng.uniform(-level, level) for _ in range(shape[0] * channels)], dtype).reshape(shape)
            if rng.random() < 0.5:
                samples = (np.round(samples * 32768) / 32768).astype(dtype)
        else:
            samples = values(rng, dtype, shape)
        made.append(Utterance(None, sound=(rate, samples)))
    return made


def text(rng, source, n, finite):
    made = []
    for _ in range(n):
        words = [rng.choice((b"one", b"two", "drei\u00df".encode(), b"o'clock", b"a-b", b"x.")) for _ in range(rng.randint(1, 5))]
        made.append(Utterance(None, text=b" ".join(words)))
    return made


def segments(rng, source, n, finite):
    """Stretches of whole frames of 0.01 s, one after the other from the first on."""
    made = []
    for _ in range(n):
        at, found = 0, []
        for _ in range(rng.randint(1, 5)):
            end = at + rng.randint(1, 30)
            found.append((Decimal(at) / 100, Decimal(end) / 100, str(rng.randint(0, 50)).encode()))
            at = end
        made.append(Utterance(None, segments=found, shift=Decimal("0.01")))
    return made


def objects(rng, source, n, finite):
    kind = rng.choice(source.objects)
    return [Utterance(None, object=(kind, value(rng, kind))) for _ in range(n)]


def f32(rng):
    return float(np.float32(rng.choice((0.5, 0.1, rng.uniform(-9, 9), 1e-9, 3.0, -0.0, 1e30))))


def i32(rng):
    return rng.choice((0, 1, -1, 7, rng.randint(-9999, 9999), 2 ** 31 - 1, -2 ** 31))


def value(rng, kind):
    length = rng.choice((0, 1, 2, rng.randint(1, 9)))
    if kind == "int32":
        return i32(rng)
    if kind == "bool":
        return rng.random() < 0.5
    if kind == "token":
        return word(rng, False)
    if kind == "token-vector":
        return [word(rng, False) for _ in range(length)]
    if kind == "int32-vector-vector":
        return [[i32(rng) for _ in range(rng.randint(0, 4))] for _ in range(length)]
    if kind == "int32-pair-vector":
        return [[i32(rng), i32(rng)] for _ in range(length)]
    if kind == "float-pair-vector":
        return [[f32(rng), f32(rng)] for _ in range(length)]
    if kind == "basic-float-vector":
        return [f32(rng) for _ in range(length)]
    assert kind == "posterior", kind
    return [[[rng.randint(0, 5000), f32(rng)] for _ in range(rng.randint(0, 3))] for _ in range(length)]
