"""Kaldi's own code reads what was written."""
import os

import kaldi_native_io as kni
import numpy as np

from .model import unequal


def check_script(lines, path, raw, found):
    """Each line leads to the object of its key."""
    lines = lines.splitlines()
    assert len(lines) == len(found), "%d lines of a script file for %d objects" % (len(lines), len(found))
    for line, u in zip(lines, found):
        key, place = line.split(b" ", 1)
        file, at = place.rsplit(b":", 1)
        assert key == u.key and file == os.fsencode(path), line
        assert raw[int(at) - len(key) - 1:int(at)] == key + b" ", line


def by_other(path, found):
    """kaldi_native_io reads the same."""
    if not found or found[0].kinds() not in (["features"], ["labels"]):
        return
    first = found[0].features if found[0].features is not None else found[0].labels
    try:
        names = [u.key.decode() for u in found]
    except UnicodeDecodeError:
        return
    if first.ndim == 0 or found[0].labels is None and any(
            u.features.dtype != first.dtype or u.features.ndim != first.ndim for u in found):
        return
    reader = "Int32Vector" if found[0].labels is not None else (
        ("Float" if first.dtype.itemsize == 4 else "Double") + ("Vector" if first.ndim == 1 else "Matrix"))
    with getattr(kni, "Sequential%sReader" % reader)("ark:" + path) as table:
        theirs = [(key, np.array(value, first.dtype.newbyteorder("="))) for key, value in table]
    assert [key for key, _ in theirs] == names, "kaldi_native_io reads %r" % [key for key, _ in theirs]
    for u, (_, value) in zip(found, theirs):
        mine = u.features if u.features is not None else u.labels
        assert not unequal(mine.reshape(value.shape) if not mine.size else mine, value), "kaldi_native_io reads other values"
