"""What `check` and `diff` say of an output."""
import os
import re

import numpy as np

from .loss import loudness
from .model import alike, expect


def look(case, verb, source, data, target, want):
    """`check` and `diff` of the output say what its values say."""
    rng = case.rng
    argument = re.split(",(?:layout|keys|text|byteorder|compress)=", target.argument)[0]
    if argument.startswith("ark,scp:"):
        argument = "ark:" + argument.split(":", 1)[1].split(",")[0]
    if "|" in argument:
        return
    if opens_as_another(argument):
        status, _, said = case.call("check", argument)
        expect(status == 2 and "starts with" in said, "check: status %d: %s", status, said)
        return
    if rng.random() < 0.3:
        status, _, said = case.call("check", argument)
        # In a folder of nothing no file fits.
        empty = not want and getattr(target, "folder", False)
        able = (2,) if empty else (0,) if is_plain(want) else (0, 1)
        expect(status in able, "check: status %d: %s", status, said)
    if rng.random() < 0.4 and source.stdin is None:
        expected = expected_difference(verb, source, data, target, want)
        if expected is not None:
            status, printed, said = case.call("diff", source.argument, argument)
            # A guess is told, and the difference is what it says.
            guessed = "the bytes don't tell which" in said
            expect(status == expected or guessed and status == 1, "diff: status %d, expected %d: %s%s", status, expected,
                   printed.decode(errors="replace"), said)


def opens_as_another(argument):
    """Whether a path leads to text that starts as JSON and the like do, such as a key `{part}`."""
    if not os.path.isfile(argument):
        return False
    with open(argument, "rb") as file:
        head = file.read(64)
    return head[:1] in (b"{", b"[", b'"', b"<") and argument.endswith((".ark", ".ali")) and b"\0" not in head


def expected_difference(verb, source, data, target, want):
    if verb != "convert" or not want:
        return None
    want = list(want)
    if getattr(target, "folder", False):
        end = b"." + target.argument.split(":")[0].encode()
        want.sort(key=lambda u: u.key + end)
    elif target.holds.one:
        want = [want[0].with_(key=target.key)]
    # Of one utterance each, names are no matter.
    unnamed = source.generated != (target.holds.keys == "none") or len(data) == len(want) == 1
    for a, b in zip(data, want):
        # The bytes of few numbers may mean several things.
        if a.object or a.features is not None and a.features.ndim == 0 or a.kinds() != b.kinds() and {"text", "segments", "object"} & set(a.kinds() + b.kinds()):
            return None
        if a.sound and a.sound[1].dtype != b.sound[1].dtype:
            return None
        if not unnamed and a.key != b.key or not alike(a, b):
            return 1
    return 0


def is_plain(data):
    """Whether nothing of it looks odd."""
    widths, types = set(), set()
    for u in data:
        if u.features is not None:
            if u.features.ndim == 2:
                widths.add(u.features.shape[1])
            elif u.features.ndim == 0:
                return False
            types.add(u.features.dtype)
            if u.features.dtype.kind == "f" and not np.isfinite(u.features).all():
                return False
        if u.sound is not None:
            types.add(u.sound[1].dtype)
            if any(abs(x) > 1 for x in loudness(u.sound[1])):
                return False
        if u.features is None and u.labels is None and u.sound is None or u.frames() == 0 and u.sound is None:
            return False
        try:
            u.key.decode()
        except UnicodeDecodeError:
            return False
        if not u.key.strip():
            return False
    return len(widths) <= 1 and len(types) <= 1
