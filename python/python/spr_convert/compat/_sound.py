"""Sound files inside archives, behind the word ``AUDIO``, which the soundfile package reads."""

from __future__ import annotations

import io
import os
from typing import Any, BinaryIO, Dict, Iterator, Optional, Tuple

from .._errors import DataError
from ._table import sound

MARK = b"AUDIO"
#: How many bytes a length takes, each as a byte.
_WIDTHS = [bytes([width]) for width in range(1, 9)]


def frame(key: str, value: Any, write_kwargs: Optional[Dict[str, Any]]) -> bytes:
    """The bytes of ``(rate, samples)``: the mark, how long the length is, the length, the file."""
    import soundfile

    rate, samples = sound(value, key)
    how = {"format": "wav", **(write_kwargs or {})}
    file = io.BytesIO()
    soundfile.write(file, samples, rate, **how)
    blob = file.getvalue()
    width = max(1, (len(blob).bit_length() + 7) // 8)
    return MARK + bytes([width]) + len(blob).to_bytes(width, "little") + blob


def _begins_frame(head: bytes) -> bool:
    """Whether these are the first bytes of such an object. A length takes one to eight bytes, and no
    text has these control characters: ``AUDIOBOOK`` is a word."""
    return head.startswith(MARK) and head[len(MARK) : len(MARK) + 1] in _WIDTHS


def is_frame(file: BinaryIO) -> bool:
    """Whether such an object stands next; the file is where it was."""
    start = file.tell()
    head = file.read(len(MARK) + 1)
    file.seek(start)
    return _begins_frame(head)


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
        if not is_frame(file):
            name = str(getattr(file, "name", "a file object"))
            message = "is not a sound file as the entries before"
            raise DataError(message, kind="malformed", file=name, byte=file.tell(), key=key)
        yield key, read_frame(file)


def starts_with_frame(file: BinaryIO) -> bool:
    """Whether the first entry of an archive is such an object; the file is where it was."""
    start = file.tell()
    head = file.read(4096)
    file.seek(start)
    return _begins_frame(head.split(b" ", 1)[-1])


class Frames:
    """Writes sound as files inside an archive; it appears at the end."""

    def __init__(self, ark: str, scp: Optional[str], function: str, kwargs: Any) -> None:
        if function != "soundfile":
            raise ValueError(f"write_function is 'soundfile' or None, not {function!r}")
        self._names = [(ark + ".part", ark)] + ([] if scp is None else [(scp + ".part", scp)])
        self._ark, self._kwargs = ark, kwargs
        self._file = open(self._names[0][0], "wb")
        self._script = None if scp is None else open(self._names[1][0], "wb")

    def write(self, key: str, value: Any) -> None:
        append(self._file, self._script, key, frame(key, value, self._kwargs), self._ark)

    def _close(self) -> None:
        self._file.close()
        if self._script is not None:
            self._script.close()

    def close(self) -> None:
        self._close()
        for part, name in self._names:
            os.replace(part, name)

    def abandon(self) -> None:
        self._close()
        for part, _ in self._names:
            os.remove(part)


def append(file: Any, script: Any, key: str, data: bytes, name: str) -> None:
    """Adds an entry to an archive, and its line to a script file, which may be one of text."""
    word = key.encode("utf-8", "surrogateescape") + b" "
    place = file.tell() + len(word)
    file.write(word + data)
    if script is not None:
        line = word + f"{name}:{place}\n".encode("utf-8", "surrogateescape")
        text = isinstance(script, io.TextIOBase)
        script.write(line.decode("utf-8", "surrogateescape") if text else line)
