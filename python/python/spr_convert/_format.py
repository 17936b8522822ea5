"""Formats of one's own."""

from __future__ import annotations

import io
from typing import Any, BinaryIO, Callable, Iterable, Iterator, Optional, Protocol, Tuple, Union

from . import _arguments, _native
from ._errors import UsageError
from ._utterance import Utterance
from ._writer import utterance_of


class Sink(Protocol):
    """What :func:`register`'s ``create`` gives: it is handed one utterance after the other. If it has
    a method ``close``, that is called at the end."""

    def write(self, utterance: Utterance, /) -> Any: ...


#: An utterance, or a key and what :meth:`Writer.__setitem__` takes for it.
Item = Union[Utterance, Tuple[str, Any]]


def register(
    name: str,
    extensions: Union[str, Iterable[str]] = (),
    *,
    open: Optional[Callable[[BinaryIO], Iterable[Item]]] = None,
    probe: Optional[Callable[[bytes, Optional[str]], bool]] = None,
    create: Optional[Callable[[BinaryIO], Sink]] = None,
    holds: Union[str, Iterable[str]] = "features",
    title: Optional[str] = None,
) -> None:
    """Adds a format for the rest of the process: wherever a format can stand, it can.

    Its files are opened, decompressed, put in place and cleaned up as those of other formats are. What
    its functions raise has the file as its place; a :class:`DataError` may tell ``byte``, ``line`` and
    ``key``. A format of the same name that was registered before is replaced. Other processes, such
    as spawned workers, register it for themselves, where a module does that when it is imported.

    :param name: its name, ``name:path`` on command lines.
    :param extensions: those of its files, without a point. Without a probe, files are of the format by
        them, and by being named, if nothing in them belongs to another format for certain.
    :param open: takes a binary file that is read front to back, and gives utterances, or keys with
        values, one after the other: a generator as a rule.
    :param probe: tells by the first bytes, and the name if there is one, that a file is of the
        format for certain.
    :param create: takes a binary file, and gives an object whose ``write`` is called with each
        utterance, and whose ``close``, if it has one, at the end.
    :param holds: what it can write, of ``features``, ``labels``, ``audio``, ``text``, ``segments`` and
        ``meta``; anything else is a loss, refused until it is allowed.
    :param title: what it is, in a few words.
    :raises UsageError: a format that is built in has the name or an extension.

    >>> import numpy as np, spr_convert as spr
    >>> def read(file):
    ...     for line in file:
    ...         key, *numbers = line.decode().split()
    ...         yield key, np.array(numbers, np.float32)
    >>> class Write:
    ...     def __init__(self, file):
    ...         self.file = file
    ...     def write(self, utt):
    ...         self.file.write(f"{utt.key} {' '.join(map(str, utt.features.ravel()))}\\n".encode())
    >>> spr.register("plain", "plain", open=read, create=Write)
    >>> with spr.Writer("a.plain.gz") as writer:
    ...     writer["ann"] = np.array([1, 2], np.float32)
    >>> spr.open("a.plain.gz")["ann"].features
    array([1., 2.], dtype=float32)
    >>> spr.convert("a.plain.gz", "a.ark").source
    'plain'
    """
    if open is None and create is None:
        raise UsageError("a format is read by open= or written by create=", kind="usage")
    _native.register(
        {
            "name": name,
            "title": title or f"{name}, a format written in Python",
            "extensions": [text.lstrip(".") for text in _arguments.names(extensions)],
            "holds": _arguments.names(holds),
            "open": open,
            "probe": None if probe is None else _probe(probe),
            "create": create,
        }
    )


def _probe(probe: Callable[[bytes, Optional[str]], bool]) -> Callable[[bytes, Any], bool]:
    return lambda head, path: bool(probe(head, None if path is None else str(path)))


class _Input(io.RawIOBase):
    """A file that is read front to back."""

    def __init__(self, native: Any) -> None:
        self._native = native
        self.name: str = native.name

    def readable(self) -> bool:
        return True

    def readinto(self, into: Any) -> int:
        data = self._native.read(len(into))
        into[: len(data)] = data
        return len(data)


class _Output(io.RawIOBase):
    """A file that is written front to back."""

    def __init__(self, native: Any) -> None:
        self._native = native
        self.name: str = native.name

    def writable(self) -> bool:
        return True

    def write(self, data: Any) -> int:
        written: int = self._native.write(bytes(data))
        return written


def opened(open: Callable[[Any], Iterable[Item]], native: Any) -> Iterator[Utterance]:
    """The utterances of a file."""
    for item in open(io.BufferedReader(_Input(native))):
        if isinstance(item, Utterance):
            yield item
        elif isinstance(item, tuple) and len(item) == 2 and isinstance(item[0], str):
            yield utterance_of(*item)
        else:
            told = type(item).__name__
            raise TypeError(f"a format gives utterances, or keys with values, not {told}")


class created:
    """What writes utterances to a file."""

    def __init__(self, create: Callable[[Any], Any], native: Any) -> None:
        self._file = io.BufferedWriter(_Output(native))
        self._sink = create(self._file)
        self.write = self._sink.write

    def close(self) -> None:
        """Completes the file."""
        close = getattr(self._sink, "close", None)
        if close is not None:
            close()
        if not self._file.closed:
            self._file.flush()
