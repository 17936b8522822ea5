"""HTK's compressed parameter files against a reader and a writer of a few lines."""
import struct

import numpy as np

from harness import same

USER, C, K = 9, 0o2000, 0o10000


def read(path):
    """Kind, period and frames of a compressed file."""
    with open(path, "rb") as f:
        raw = f.read()
    frames, period, size, kind = struct.unpack(">iihH", raw[:12])
    dim, data = size // 2, raw[12:12 + frames * size]
    if kind & K:
        words = np.frombuffer(data, ">u2").tolist()
        assert int.from_bytes(data, "big") % 36897 == struct.unpack(">H", raw[-2:])[0], len(words)
    a, b = np.frombuffer(data, ">f4", 2 * dim).reshape(2, dim).astype("f4")
    codes = np.frombuffer(data, ">i2", offset=8 * dim).reshape(frames - 4, dim)
    return kind, period, ((codes.astype("f4") + b) / a).astype("f4")


def write(path, m, kind):
    low, high = m.min(0).astype("f8"), m.max(0).astype("f8")
    a, b = (65534 / (high - low)).astype("f4"), ((high + low) * 32767 / (high - low)).astype("f4")
    scaled = m * a.astype("f8") - b
    codes = np.where(scaled < 0, np.ceil(scaled - 0.5), np.floor(scaled + 0.5)).clip(-32767, 32767)
    data = a.astype(">f4").tobytes() + b.astype(">f4").tobytes() + codes.astype(">i2").tobytes()
    with open(path, "wb") as f:
        f.write(struct.pack(">iihH", len(m) + 4, 100000, 2 * m.shape[1], kind | C) + data)


def checks(t):
    m = (12 + 3 * np.random.RandomState(7).standard_normal((50, 13))).astype("f4")
    t.write_jsonl("m.jsonl", [("m", m, None, {"frame_shift": 0.01})])
    for option, bits in (("", C), (",check=true", C | K)):
        with t.check("htk: compressed by us%s, read by NumPy" % option):
            t.convert("m.jsonl", "ours.htk,compress=true,kind=MFCC_E" + option)
            kind, period, values = read(t.path("ours.htk"))
            assert (kind, period) == (6 | 0o100 | bits, 100000), (kind, period)
            assert np.abs(values - m).max() <= np.ptp(m, 0).max() / 65000, np.abs(values - m).max()
            same(t.jsonl("ours.htk")[0][1], values)
    with t.check("htk: compressed by NumPy, read and written by us"):
        write(t.path("theirs.htk"), m, USER)
        same(t.jsonl("theirs.htk")[0][1], read(t.path("theirs.htk"))[2])
        t.convert("m.jsonl", "same.htk,compress=true")
        with open(t.path("theirs.htk"), "rb") as a, open(t.path("same.htk"), "rb") as b:
            assert a.read() == b.read(), "other bytes"
