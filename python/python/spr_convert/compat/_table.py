"""What the modules here share: values as Kaldi's readers in Python give and take them."""

from __future__ import annotations

import os
import warnings
from typing import Any, Dict, Iterator, Optional, Tuple

from .. import _arguments, _native
from .._dataset import Dataset
from .._dataset import open as _open
from .._errors import UsageError
from .._mapping import Table
from .._utterance import Audio, Object, Utterance
from .._writer import Writer, utterance_of


def value_of(utt: Utterance) -> Any:
    """What an utterance holds: an array, ``(rate, samples)``, a string, lists."""
    value = utt.value
    return (value.rate, value.samples) if isinstance(value, Audio) else value


def is_sound(value: Any) -> bool:
    """Whether it is a rate and samples, in whichever order."""
    return isinstance(value, tuple) and len(value) == 2


def plain(value: Any, key: str) -> Any:
    """The value as an array. Masked numbers are refused: no format has a mask."""
    import numpy as np

    if np.ma.is_masked(value):
        raise UsageError(
            "some of its numbers are masked, which no format can hold",
            kind="usage",
            key=key,
            hint="array.filled(value) puts a value in their place",
        )
    return np.asarray(value)


def whole_rate(rate: Any, key: str) -> int:
    """A rate as an integer, as which it is stored."""
    if not float(rate).is_integer():
        raise UsageError(f"its rate {rate} is not whole", kind="usage", key=key)
    return int(rate)


def sound(value: Any, key: str) -> Tuple[int, Any]:
    """The rate and the samples, in this order."""
    import numpy as np

    rate, samples = value if np.ndim(value[0]) == 0 else value[::-1]
    return whole_rate(rate, key), plain(samples, key)


def entry(key: str, value: Any) -> Utterance:
    """The utterance of a key and a value as those packages take it."""
    import numpy as np

    if is_sound(value):
        return Utterance(key, audio=Audio(*sound(value, key)))
    if isinstance(value, (str, Object, Utterance)):
        return utterance_of(key, value)
    array = plain(value, key)
    if array.dtype == np.float16:
        array = array.astype(np.float32)
    if array.ndim not in (1, 2):
        raise ValueError(f"{key}: {array.ndim} dimensions make neither a vector nor a matrix")
    if array.dtype.kind not in "iu":
        return Utterance(key, array)
    if array.ndim != 1:
        raise ValueError(f"{key}: Kaldi has no matrices of integers")
    return Utterance(key, labels=array)


class ClosingWriter:
    """A writer that is closed at the latest when nobody has it any more, as old code relies on.

    It is called, or subscripted: ``writer(key, value)``, ``writer[key] = value``.
    """

    def __init__(self, output: str, **how: Any) -> None:
        self._process = os.getpid()
        self._writer: Optional[Writer] = None
        # These packages replace what exists, and leave it to the system to put it on the disk.
        self._writer = Writer(output, overwrite=True, sync=False, **how)

    def write(self, key: str, value: Any) -> None:
        """Writes one entry."""
        if self._writer is None:
            raise ValueError("the writer is closed")
        self._writer.write(entry(key, value))

    def __setitem__(self, key: str, value: Any) -> None:
        self.write(key, value)

    def __call__(self, key: str, value: Any) -> None:
        self.write(key, value)

    def close(self) -> None:
        """Completes all files and gives them their names."""
        writer, self._writer = self._writer, None
        if writer is not None:
            writer.close()

    def __enter__(self) -> Any:
        return self

    def __exit__(self, kind: Any, error: Any, trace: Any) -> None:
        if kind is not None and self._writer is not None:
            # Nothing half done is left behind.
            self._writer.abandon()
            self._writer = None
        self.close()

    def _is_open(self) -> bool:
        return getattr(self, "_writer", None) is not None

    def __del__(self) -> None:
        # What a parent writes is not closed by a fork.
        if self._is_open() and self._process == os.getpid():
            message = f"a {type(self).__name__} was never closed"
            warnings.warn(message, ResourceWarning, source=self, stacklevel=2)
            self.close()


def compression(method: Optional[int]) -> Dict[str, Any]:
    """The option for one of Kaldi's numbers of compression methods."""
    if method is None:
        return {}
    if method not in range(1, 8):
        raise ValueError(f"compression_method is a number from 1 to 7, not {method!r}")
    return {"compress": method}


def encoded(utt: Utterance, text: bool = False, compression_method: Optional[int] = None) -> bytes:
    """The bytes of one entry of an archive, its key included."""
    options = dict(compression(compression_method))
    if text:
        options["text"] = True
    wanted = _arguments.wanted("entry.ark", format="kaldi", options=options)
    return _native.encode([utt], wanted, _arguments.settings())


def decoded(file: Any) -> Utterance:
    """The object that stands next in an open file, behind which the file is then."""
    if not file.seekable():
        raise ValueError("single objects are read from files that can be gone back in")
    start = file.tell()
    utt, taken = _native.decode(file)
    file.seek(start + taken)
    return utt


def _options(sort: str) -> Dict[str, Any]:
    """Of several objects in a file the first is read, as by Kaldi."""
    return {"table": sort, "all": False}


def read(data: Any, sort: str, allow_pipes: Optional[bool]) -> Dataset:
    """A reader of an archive, ``ark``, or a script file, ``scp``."""
    if isinstance(data, str) and data.rstrip().endswith("|"):
        # What the caller names runs in any case.
        return _open(f"{sort}:{data}", allow_pipes=allow_pipes or None)
    return _open(data, format="kaldi", options=_options(sort), allow_pipes=allow_pipes or None)


def at(place: str, allow_pipes: Optional[bool]) -> Utterance:
    """What is at a place as script files have them: a file, a byte in it, a range, a command."""
    line = b"x " + place.strip().encode("utf-8", "surrogateescape") + b"\n"
    try:
        (utt,) = _open(
            line, format="kaldi", options=_options("scp"), allow_pipes=allow_pipes or None
        )
    except UsageError as error:
        if place.strip().endswith("|") and not allow_pipes:
            # There is no file that names it, and the module has a name for the switch.
            error.file = error.line = error.key = None
            error.message = f"refused to run the command '{place.strip()[:-1].strip()}'"
            error.hint = (
                "set allow_pipes = True in this module of spr_convert.compat to run such commands, "
                "or read the output of the command with spr_convert.open"
            )
        raise
    return utt


def entries(reader: Dataset) -> Iterator[Tuple[str, Any]]:
    """Keys and values."""
    for utt in reader:
        yield utt.key, value_of(utt)


class Values(Table):
    """A table whose sound is ``(rate, samples)``."""

    def __getitem__(self, key: str) -> Any:
        return value_of(self.utterance(key))


def table(path: Any, allow_pipes: Optional[bool], sort: str = "scp") -> Values:
    """A script file, or an archive, by its keys."""
    asked = _arguments.plan(path, format="kaldi", options=_options(sort))
    return Values(asked, _arguments.settings(allow_pipes=allow_pipes or None))
