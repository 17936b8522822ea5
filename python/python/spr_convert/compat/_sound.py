"""Sound files inside archives, behind the word ``AUDIO``, which the soundfile package reads."""

from __future__ import annotations

import io
from typing import Any, BinaryIO, Dict, Iterator, Optional, Tuple

from .._errors import DataError
from ._table import sound

MARK = b"AUDIO"


def frame(value: Any, write_kwargs: Optional[Dict[str, Any]]) -> bytes:
    """The bytes of ``(rate, samples)``: the mark, how long the length is, the length, the file."""
    import soundfile

    rate, samples = sound(value)
    how = {"format": "wav", **(write_kwargs or {})}
    file = io.BytesIO()
    soundfile.write(file, samples, rate, **how)
    blob = file.getvalue()
    width = max(1, (len(blob).bit_length() + 7) // 8)
    return MARK + bytes([width]) + len(blob).to_bytes(width, "little") + blob


def is_frame(file: BinaryIO) -> bool:
    """Whether such an object stands next; the file is where it was."""
    start = file.tell()
    head = file.read(len(MARK))
    file.seek(start)
    return head == MARK


def _exactly(file: BinaryIO, n: int) -> bytes:
    start, data = file.tell(), file.read(n)
    if len(data) < n:
        name = str(getattr(file, "name", "a file object"))
        raise DataError("sound ends before it should", kind="truncated", file=name, byte=start)
    return data


def read_frame(file: BinaryIO) -> Tuple[int, Any]:
    """``(rate, samples)`` of the object that stands next, as soundfile gives them."""
    import soundfile

    _exactly(file, len(MARK))
    length = int.from_bytes(_exactly(file, _exactly(file, 1)[0]), "little")
    # Read before it is believed, so that a length that lies takes no memory.
    samples, rate = soundfile.read(io.BytesIO(_exactly(file, length)))
    return rate, samples


def read_key(file: BinaryIO) -> Optional[str]:
    """The key that stands next, up to its blank; ``None`` at the end."""
    key = bytearray()
    while True:
        byte = file.read(1)
        if not byte and not key:
            return None
        if byte == b" " or not byte:
            return key.decode("utf-8", "surrogateescape")
        if key or not byte.isspace():
            key += byte


def read_frames(file: BinaryIO) -> Iterator[Tuple[str, Tuple[int, Any]]]:
    """The entries of an archive of such objects."""
    while True:
        key = read_key(file)
        if key is None:
            return
        yield key, read_frame(file)


def starts_with_frame(file: BinaryIO) -> bool:
    """Whether the first entry of an archive is such an object; the file is where it was."""
    start = file.tell()
    head = file.read(4096)
    file.seek(start)
    return head.split(b" ", 1)[-1].startswith(MARK)
