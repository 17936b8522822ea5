"""What a target makes of a data set: what changes, what is lost, what is refused.

Written from the contract, not from the program: a second opinion on every value.
"""
import math
from decimal import Decimal
from fractions import Fraction

import numpy as np

from .model import Utterance

ORDER = ("f4", "f8", "i1", "u1", "i2", "u2", "i4", "u4", "i8", "u8", "f2", "b1")
DIGITS = {"f4": 24, "f8": 53, "f2": 11, "b1": 1, "i1": 7, "u1": 8, "i2": 15, "u2": 16, "i4": 31, "u4": 32,
          "i8": 63, "u8": 64}
NAMES = {code: ("bool" if code == "b1" else code[0] + str(8 * int(code[1]))) for code in ORDER}


def code(array):
    return "b1" if array.dtype.kind == "b" else array.dtype.str[1:]


def fits(source, target):
    """Whether every value of one type has an equal one in another."""
    if source == target:
        return True
    if source[0] == "f":
        return target[0] == "f" and DIGITS[source] < DIGITS[target]
    signed = source[0] == "i"
    return DIGITS[source] <= DIGITS[target] and (not signed or target[0] in "if")


def target_type(source, held):
    """The type to which a target changes values; None if it holds them as they are."""
    if source in held:
        return None
    signed = {"i": True, "f": True, "u": False, "b": False}
    exact = [t for t in held if fits(source, t)]
    if exact:
        return min(exact, key=lambda t: ((t[0] == "f") != (source[0] == "f"), signed[t[0]] != signed[source[0]]))
    best = max((source[0] == "f" and t[0] == "f", DIGITS[t]) for t in held)
    return [t for t in held if (source[0] == "f" and t[0] == "f", DIGITS[t]) == best][-1]


class Cast:
    """What a change of type did."""

    def __init__(self, values=0):
        self.values, self.changed, self.clipped, self.error = values, 0, 0, 0.0


def nearest(x, target):
    """The value of a type that is nearest to a Python number."""
    if target == "b1":
        return x > 0.5 if isinstance(x, float) else x > 0
    if target[0] == "f":
        with np.errstate(over="ignore", invalid="ignore"):
            if isinstance(x, int) and abs(x) < 2 ** 63:
                return np.array(x, "i8").astype(target) if target != "f2" else np.array(float(x)).astype("f2")
            if isinstance(x, int):
                return np.array(x, "u8").astype(target) if 0 <= x < 2 ** 64 else np.array(float(x)).astype(target)
            return np.array(x, "f8").astype(target)
    info = np.iinfo(target)
    if isinstance(x, float):
        if math.isnan(x):
            return 0
        x = round(x) if math.isfinite(x) else (info.max if x > 0 else info.min)
    return min(max(x, int(info.min)), int(info.max))


def cast(array, target):
    """Each value changed to its nearest of another type, and what that did."""
    source, stats = code(array), Cast(array.size)
    if source == target:
        return array, stats
    if source == "b1":
        array = array.astype("u1")
    was = np.ravel(array).tolist()
    made = np.array([nearest(x, target) for x in was], target)
    for x, y in zip(was, made.tolist()):
        if target == "b1":
            y = int(y)
        if x == y or x != x and y != y:
            continue
        stats.changed += 1
        if isinstance(x, int) and isinstance(y, int):
            clipped = True
        elif isinstance(y, float):
            clipped = not math.isfinite(y)
        else:
            clipped = not math.isfinite(x) or abs(Fraction(x) - y) > Fraction(1, 2)
        if clipped:
            stats.clipped += 1
        else:
            stats.error = max(stats.error, float(abs(Fraction(x) - Fraction(y))))
    return made.reshape(array.shape), stats


def loudness(samples):
    """Samples as parts of the full range."""
    kind, bits = samples.dtype.kind, 8 * samples.dtype.itemsize
    for x in np.ravel(samples).tolist():
        if kind == "f":
            yield Fraction(x)
        else:
            yield Fraction(x - (2 ** (bits - 1) if kind == "u" else 0), 2 ** (bits - 1))


def cast_sound(samples, target):
    """Samples of another type that are as loud, and what that did; finite ones only."""
    source = code(samples)
    if source == target or source[0] == "f" and target[0] == "f":
        return cast(samples, target)
    stats, made = Cast(samples.size), []
    bits = 8 * int(target[1])
    for level in loudness(samples):
        if target[0] == "f":
            y = nearest(float(level), target)
            got, most = Fraction(float(y)), Fraction(float(np.finfo(target).eps))
        else:
            full, middle = 2 ** (bits - 1), (2 ** (bits - 1) if target[0] == "u" else 0)
            scaled = level * full
            # Of integers half is rounded up, of floats away from 0.
            up = source[0] != "f" or scaled >= 0
            whole = math.floor(scaled + Fraction(1, 2)) if up else math.ceil(scaled - Fraction(1, 2))
            y = min(max(whole, -full), full - 1) + middle
            got, most = Fraction(y - middle, full), Fraction(1, 2 * full)
        made.append(y)
        if got != level:
            stats.changed += 1
            if abs(got - level) <= most:
                stats.error = max(stats.error, float(abs(got - level)))
            else:
                stats.clipped += 1
    return np.array(made, target).reshape(samples.shape), stats


class Losses:
    """Kinds of loss with utterances, values, of how many, and the largest error."""

    def __init__(self):
        self.lines, self.hard = {}, None

    def add(self, kind, key, stats=None):
        line = self.lines.setdefault(kind, {"utterances": set(), "values": 0, "of": 0, "max_abs_err": 0.0})
        line["utterances"].add(key)
        return line

    def add_cast(self, key, stats):
        for kind, n in (("precision", stats.changed - stats.clipped), ("range", stats.clipped)):
            if n:
                line = self.add(kind, key)
                line["values"] += n
                line["of"] += stats.values
                if kind == "precision":
                    line["max_abs_err"] = max(line["max_abs_err"], stats.error)

    def refuse(self, why):
        self.hard = self.hard or why

    def kinds(self):
        return set(self.lines)


def fit(data, target, asked=None, labels_out=False, generated=False):
    """What the target holds of a data set, and the losses; `asked` is the type that the user wants,
    `generated` whether names are made up anyhow."""
    losses, made, first = Losses(), [], {}
    if target.one and len(data) > 1:
        losses.refuse("several utterances")
    if target.unique and len({u.key for u in data}) < len(data):
        losses.refuse("a key twice")
    for utterance in data:
        utterance = utterance.with_()
        if labels_out and utterance.features is not None and not (target.labels and target.labels_beside):
            utterance.labels = None
        fit_one(utterance, target, asked, losses, first, generated)
        made.append(utterance)
    return made, losses


def fit_one(u, target, asked, losses, first, generated):
    if target.keys in ("words", "side") and not is_word(u.key):
        losses.refuse("not a word")
    if target.keys == "names" and not target.one and not is_file(u.key):
        losses.refuse("not the name of a file")
    if target.keys == "none":
        if not generated:
            losses.add("keys", u.key)
        if not target.boundaries and first.get("utterances") == 1:
            losses.add("boundaries", u.key)
    translate(u, target)
    fit_labels(u, target, losses, first)
    fit_features(u, target, asked, losses, first)
    if u.shift is not None and not target.shift:
        losses.add("metadata", u.key)
        u.shift = None
    if u.object is not None and u.object[0] not in target.objects:
        losses.refuse("an object")
    if u.text is not None and not target.text or u.segments is not None and not target.segments:
        losses.refuse("text or segments alone")
    if u.sound is not None:
        if not target.sound:
            losses.refuse("sound alone")
        else:
            fit_sound(u, target, asked, losses)
    if not u.kinds():
        losses.refuse("nothing left")
    array = u.features if u.features is not None else u.labels
    if array is not None and u.frames() == 0 and target.empty == "no":
        losses.refuse("no frames")
    first["utterances"] = first.get("utterances", 0) + 1


def translate(u, target):
    """One thing in two forms: text and words, segments and frame labels."""
    if u.segments is not None and not target.segments and target.labels and target.labels_alone:
        runs = [(int(label), int((end - start) * 100)) for start, end, label in u.segments]
        u.labels = np.array([label for label, n in runs for _ in range(n)], "i4")
        u.segments = None
    if u.labels is not None and u.features is None and target.segments and not target.labels and u.labels.ndim == 1:
        u.segments, u.shift = runs_of(u.labels, u.shift or Decimal("0.01")), u.shift or Decimal("0.01")
        u.labels = None
    if u.text is not None and not target.text and "token-vector" in target.objects:
        u.object, u.text = ("token-vector", u.text.split(b" ")), None
    if u.object is not None and target.text and u.object[0] not in target.objects:
        if u.object[0] == "token":
            u.object, u.text = None, u.object[1]
        elif u.object[0] == "token-vector":
            u.object, u.text = None, b" ".join(u.object[1])


def is_file(key):
    return all(part.strip(b".") for part in key.split(b"/")) and b"\0" not in key


def runs_of(labels, shift):
    """Segments of equal labels."""
    found = []
    for i, label in enumerate(labels.tolist()):
        if found and found[-1][2] == str(label).encode():
            found[-1] = (found[-1][0], (i + 1) * shift, found[-1][2])
        else:
            found.append((i * shift, (i + 1) * shift, str(label).encode()))
    return found


def is_word(key):
    return len(key) > 0 and all(0x20 < b < 0x7f or 0x80 <= b < 0xff for b in key)


def fit_labels(u, target, losses, first):
    if u.labels is not None:
        width = 1 if u.labels.ndim == 1 else u.labels.shape[1]
        beside = target.labels_beside if u.features is not None else target.labels_alone
        if not target.labels or width > target.label_columns or not beside:
            losses.add("labels", u.key)
            u.labels = None
        else:
            own = code(u.labels)
            to = target_type(own, target.labels) or own
            said = first.setdefault("label type", to) if target.same_columns else to
            if to != said and not fits(own, said):
                losses.refuse("labels of another type")
            elif own != said:
                u.labels, stats = cast(u.labels, said)
                losses.add_cast(u.key, stats)
            if target.same_columns and first.setdefault("width", width) != width:
                losses.refuse("another number of labels")
    if target.features and target.same_dim and first.setdefault("labelled", u.labels is not None) != (u.labels is not None):
        losses.refuse("labels of some only")


def fit_features(u, target, asked, losses, first):
    if u.features is None:
        return
    if not target.features:
        losses.refuse("features")
        return
    if u.features.ndim == 0 and not target.scalars or u.features.ndim == 1 and not target.vectors:
        losses.add("rank", u.key)
        u.features = u.features.reshape(-1, 1)
    for to in (asked, "held"):
        if to == "held":
            have = code(u.features)
            if target.same_dtype and "dtype" in first and first["dtype"] != have:
                if not fits(have, first["dtype"]) and first["dtype"][0] != "f":
                    losses.refuse("another type")
                    return
                to = first["dtype"]
            else:
                to = target_type(have, target.features)
        if to:
            u.features, stats = cast(u.features, to)
            losses.add_cast(u.key, stats)
    first.setdefault("dtype", code(u.features))
    if u.features.ndim != 2:
        if target.same_dim and u.features.size and first.setdefault("dim", 1) != 1:
            losses.refuse("another number of columns")
        return
    rows, columns = u.features.shape
    if rows == 0 and columns and target.empty == "shapeless":
        losses.add("metadata", u.key)
        u.features = u.features.reshape(0, 0)
        return
    if rows and not columns and not target.columnless:
        losses.refuse("no columns")
    if columns > target.max_columns:
        losses.refuse("columns")
    if rows and target.same_dim and first.setdefault("dim", columns) != columns:
        losses.refuse("another number of columns")


def fit_sound(u, target, asked, losses):
    rate, samples = u.sound
    want = asked or code(samples)
    for to in (want, target_type(want, target.sound)):
        if to:
            samples, stats = cast_sound(samples, to)
            losses.add_cast(u.key, stats)
    u.sound = rate, samples


def rounding(before, after, bounds=None):
    """What an encoder, which may have bounds, changed of features."""
    low, high = bounds or (-math.inf, math.inf)
    losses = Losses()
    for a, b in zip(before, after):
        if a.features is None:
            continue
        stats = Cast(a.features.size)
        for x, y in zip(np.ravel(a.features).tolist(), np.ravel(b.features).tolist()):
            if x == y or x != x and y != y:
                continue
            stats.changed += 1
            if math.isfinite(y) and low <= x <= high:
                stats.error = max(stats.error, float(abs(Fraction(x) - Fraction(y))))
            else:
                stats.clipped += 1
        losses.add_cast(a.key, stats)
    return losses


def stacked(data):
    """All utterances as the one that they are where boundaries are lost."""
    def joined(name):
        parts = [getattr(u, name) for u in data]
        return None if parts[0] is None else np.concatenate(parts)
    return [Utterance(b"utt000000", joined("features"), joined("labels"))]
