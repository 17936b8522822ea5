"""WAV files, from their description."""
import struct

import numpy as np

CODES = {"i2": (1, 2), "u1": (1, 1), "i4": (1, 4), "f4": (3, 4), "f8": (3, 8)}


def encode(rate, samples, big=False, chunk=b""):
    """A file; `chunk` stands before the samples."""
    order = ">" if big else "<"
    coding, size = CODES[samples.dtype.str[1:]]
    data = samples.astype(samples.dtype.newbyteorder(order)).tobytes()
    channels = samples.shape[1]
    head = struct.pack(order + "HHIIHH", coding, channels, rate, rate * size * channels, size * channels, 8 * size)
    body = b"WAVEfmt " + struct.pack(order + "I", len(head)) + head + chunk
    body += b"data" + struct.pack(order + "I", len(data)) + data + b"\0" * (len(data) % 2)
    return (b"RIFX" if big else b"RIFF") + struct.pack(order + "I", len(body)) + body


def decode(raw, at=0, padded=True):
    """Rate and samples of the file at a place, and where it ends."""
    assert raw[at:at + 4] == b"RIFF" and raw[at + 8:at + 12] == b"WAVE", raw[at:at + 12]
    end = at + 8 + struct.unpack_from("<I", raw, at + 4)[0]
    at, head = at + 12, None
    while True:
        name, size = raw[at:at + 4], struct.unpack_from("<I", raw, at + 4)[0]
        part = raw[at + 8:at + 8 + size]
        assert len(part) == size, "chunk %r ends early" % name
        at += 8 + size + (size % 2 if padded or name != b"data" else 0)
        if name == b"fmt ":
            head = struct.unpack_from("<HHIIHH", part)
        elif name == b"data":
            coding, channels, rate, a_second, block, width = head
            dtype = {code: "<" + name if name != "u1" else name for name, code in CODES.items()}[coding, width // 8]
            assert block == channels * width // 8 and a_second == rate * block, head
            samples = np.frombuffer(part, dtype).reshape(-1, channels)
            if not padded:
                return rate, samples, at
            assert at >= end >= at - 1 and at == len(raw), "%d, %d, %d" % (at, end, len(raw))
            return rate, samples, at
