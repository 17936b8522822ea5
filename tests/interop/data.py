"""The data that every check converts."""
import numpy as np

LENGTHS = [("ann-001", 20), ("ann-002", 1), ("één-003", 7), ("bob-004", 33)]


def matrices(dtype="f4", columns=5):
    rs = np.random.RandomState(11)
    made = [(key, (12 + 3 * rs.standard_normal((rows, columns))).astype(dtype)) for key, rows in LENGTHS]
    info = np.finfo(dtype)
    made[0][1][:4, 0] = [np.nan, np.inf, -np.inf, -0.0]
    made[0][1][:4, 1] = [info.smallest_subnormal, info.max, -info.max, info.tiny]
    return made


def finite(dtype="f4", columns=5):
    """What Kaldi's text readers take: they know no signed infinities."""
    return [(key, np.where(np.isfinite(m), m, 0.5).astype(dtype)) for key, m in matrices(dtype, columns)]


def vectors(dtype="f4"):
    return [(key, m[:, 2].copy()) for key, m in matrices(dtype)]


def labels():
    rs = np.random.RandomState(12)
    made = [(key, rs.randint(0, 3456, rows).astype("i4")) for key, rows in LENGTHS]
    made[0][1][:2] = [2**31 - 1, -2**31]
    return made


def features_only(items):
    return [(key, m, None, {}) for key, m in items]


def labels_only(items):
    return [(key, None, v, {}) for key, v in items]


def labelled(items, targets):
    return [(key, m, v, {}) for (key, m), (_, v) in zip(items, targets)]
