"""The readers and writers of kaldi_native_io, over spr_convert:
``from spr_convert.compat import kaldi_native_io``.

A class for each type of value, ``SequentialFloatMatrixReader``, ``RandomAccessInt32VectorReader``,
``PosteriorWriter``, …, which refuses values of another type, and ``FloatMatrix.read`` and its like for
single objects. A writer takes arrays of its own width only: ``FloatMatrixWriter`` refuses float64.
Errors are :class:`RuntimeError` as there, and :class:`spr_convert.Error` too.
"""

from __future__ import annotations

from enum import IntEnum
from typing import Any, Callable, Dict, Iterator, NamedTuple, Optional, Tuple

from .._dataset import open as _open
from .._errors import UsageError
from .._utterance import Utterance
from .._writer import Writer
from . import _values
from ._table import Values, at, compression, encoded, plain
from ._values import HtkHeader, Mismatch, WaveData, WaveInfo

__all__ = [
    "CompressedMatrixWriter",
    "CompressionMethod",
    "HtkHeader",
    "MatrixShape",
    "Mismatch",
    "NotOpen",
    "RandomAccessReader",
    "SequentialReader",
    "TableWriter",
    "WaveData",
    "WaveInfo",
    "allow_pipes",
    "read_blob",
    "read_int32_vector",
    "read_int8_vector",
    "read_wave",
    "read_wave_info",
]

#: Whether commands that stand in script files run.
allow_pipes: bool = False


class NotOpen(UsageError, RuntimeError):
    """A reader or writer is used before it is opened, or after it is closed."""


class CompressionMethod(IntEnum):
    """Kaldi's ways to compress a matrix."""

    kAutomaticMethod = 1
    kSpeechFeature = 2
    kTwoByteAuto = 3
    kTwoByteSignedInteger = 4
    kOneByteAuto = 5
    kOneByteUnsignedInteger = 6
    kOneByteZeroOne = 7


class MatrixShape(NamedTuple):
    """Rows and columns."""

    num_rows: int
    num_cols: int

    @staticmethod
    def read(rxfilename: str) -> "MatrixShape":
        """That of the matrix at a place."""
        return _shape("x", at(rxfilename, allow_pipes))


def _shape(key: str, utt: Utterance) -> MatrixShape:
    return MatrixShape(*_values.shape(key, utt))


class _Reader:
    """What readers share: a table that is opened, and closed."""

    _kind: str
    _take: Callable[[str, Utterance], Any]

    def __init__(self, rspecifier: Optional[str] = None) -> None:
        self._table: Any = None
        if rspecifier is not None:
            self.open(rspecifier)

    def open(self, rspecifier: str) -> bool:
        """Opens a table: ``ark:a.ark``, ``scp:a.scp``, ``ark:cmd |``."""
        raise NotImplementedError

    @property
    def is_open(self) -> bool:
        """Whether it is open."""
        return self._table is not None

    def _opened(self) -> Any:
        """The table that is open."""
        if self._table is None:
            raise NotOpen("the reader is not open", kind="usage")
        return self._table

    def close(self) -> bool:
        """Closes it."""
        self._table = None
        return True

    def __enter__(self) -> Any:
        return self

    def __exit__(self, kind: Any, error: Any, trace: Any) -> None:
        self.close()


def _options(kind: str) -> Dict[str, Any]:
    """Kaldi's classes know what they read, so that nothing has to be guessed. Of several objects in
    a file they read the first."""
    return {"all": False, **({"holder": kind} if kind else {})}


class SequentialReader(_Reader):
    """Reads a table from front to back: by ``for key, value in reader``, or by ``done``, ``key``,
    ``value`` and ``next()``."""

    def open(self, rspecifier: str) -> bool:
        options = _options(self._kind)
        self._table = _open(rspecifier, options=options, allow_pipes=allow_pipes or None)
        self._stream = iter(self._table)
        self.next()
        return True

    @property
    def done(self) -> bool:
        """Whether there is no entry any more.

        :raises NotOpen: before it is opened, and after it is closed.
        """
        self._opened()
        return self._current is None

    def next(self) -> None:
        """Goes on to the next entry."""
        self._opened()
        self._current: Optional[Utterance] = next(self._stream, None)

    @property
    def key(self) -> str:
        """The key of the entry."""
        if self.done or self._current is None:
            raise RuntimeError("there is no entry any more")
        return self._current.key

    @property
    def value(self) -> Any:
        """The value of the entry."""
        return type(self)._take(self.key, self._current)  # type: ignore[arg-type]

    def free_current(self) -> None:
        """Does nothing: Python frees what nobody has."""

    def __iter__(self) -> Iterator[Tuple[str, Any]]:
        while not self.done:
            yield self.key, self.value
            self.next()


class RandomAccessReader(_Reader):
    """Finds values by their keys: ``reader[key]``, ``key in reader``."""

    def open(self, rspecifier: str) -> bool:
        from .. import _arguments

        asked = _arguments.plan(rspecifier, options=_options(self._kind))
        self._table = Values(asked, _arguments.settings(allow_pipes=allow_pipes or None))
        return True

    def __contains__(self, key: str) -> bool:
        return key in self._opened()

    def __getitem__(self, key: str) -> Any:
        return type(self)._take(key, self._opened().utterance(key))


class TableWriter:
    """Writes a table, which is there once it is closed: ``writer.write(key, value)`` or
    ``writer[key] = value``."""

    _put: Any

    def __init__(self, wspecifier: Optional[str] = None) -> None:
        self._writer: Optional[Writer] = None
        if wspecifier is not None:
            self.open(wspecifier)

    def open(self, wspecifier: str, method: Optional[int] = None) -> bool:
        """Opens a table, which replaces files that exist."""
        options = compression(method)
        self._writer = Writer(wspecifier, overwrite=True, sync=False, options=options)
        return True

    @property
    def is_open(self) -> bool:
        """Whether it is open."""
        return self._writer is not None

    def write(self, key: str, value: Any) -> None:
        """Writes an entry."""
        if self._writer is None:
            raise NotOpen("the writer is not open", kind="usage")
        self._writer.write(type(self)._put(key, value))

    def __setitem__(self, key: str, value: Any) -> None:
        self.write(key, value)

    def flush(self) -> None:
        """Does nothing: files appear when the writer is closed."""

    def close(self) -> bool:
        """Completes all files and gives them their names."""
        writer, self._writer = self._writer, None
        if writer is not None:
            writer.close()
        return True

    def __enter__(self) -> Any:
        return self

    def _abandon(self) -> None:
        """Leaves no file behind."""
        writer, self._writer = self._writer, None
        if writer is not None:
            writer.abandon()

    def __exit__(self, kind: Any, error: Any, trace: Any) -> None:
        if kind is None:
            self.close()
        else:
            self._abandon()


class CompressedMatrixWriter(TableWriter):
    """Writes compressed matrices, all of one table by one method."""

    _put: Any = staticmethod(_values.put_compressed)
    #: The table that is open; its writer is made with the first matrix.
    _wspecifier: Optional[str] = None

    def open(self, wspecifier: str, method: Optional[int] = None) -> bool:
        self._wspecifier, self._method = wspecifier, method
        return True

    @property
    def is_open(self) -> bool:
        return self._wspecifier is not None

    def write(self, key: str, value: Any, method: Any = CompressionMethod.kAutomaticMethod) -> None:
        if self._wspecifier is None:
            raise NotOpen("the writer is not open", kind="usage")
        if self._writer is None:
            # The method is known with the first matrix.
            self._method = int(method)
            super().open(self._wspecifier, self._method)
        elif self._method != int(method):
            raise ValueError("the matrices of a table are compressed by one method")
        super().write(key, value)

    def close(self) -> bool:
        wspecifier, self._wspecifier = self._wspecifier, None
        if self._writer is None and wspecifier is not None:
            super().open(wspecifier)
        return super().close()

    def _abandon(self) -> None:
        self._wspecifier = None
        super()._abandon()


class _Single:
    """A single object, read from a place such as ``a.ark:12``, or to be written to a file."""

    _take: Callable[[str, Utterance], Any]
    _width: str
    _ndim: int

    def __init__(self, value: Any) -> None:
        import numpy as np

        # A copy, cast to the type that the class names.
        self._value: Any = np.array(plain(value, "x"), self._width)
        if self._value.ndim != self._ndim:
            raise _values.wrong("x", "a matrix" if self._ndim == 2 else "a vector")

    @classmethod
    def read(cls, rxfilename: str) -> Any:
        """That at a place."""
        return cls(cls._take("x", at(rxfilename, allow_pipes)))

    def numpy(self) -> Any:
        """The array."""
        return self._value

    def __array__(self, dtype: Any = None, copy: Any = None) -> Any:
        array = self._value if dtype is None else self._value.astype(dtype, copy=False)
        if array is not self._value:
            if copy is False:
                raise ValueError(f"{self._width} can't become {array.dtype.str[1:]} without a copy")
            return array
        return array.copy() if copy else array

    @property
    def shape(self) -> Tuple[int, ...]:
        """Rows and columns."""
        return tuple(self._value.shape)

    def write(self, wxfilename: str, binary: bool = True) -> None:
        """Writes it to a file of its own."""
        data = encoded(Utterance("x", self._value), text=not binary)[len("x ") :]
        with open(wxfilename, "wb") as file:
            file.write(data)


def read_wave(rxfilename: str) -> WaveData:
    """The sound at a place."""
    return _values.wave("x", at(rxfilename, allow_pipes))


def read_wave_info(rxfilename: str) -> WaveInfo:
    """What is known of the sound at a place."""
    return _values.wave_info("x", at(rxfilename, allow_pipes))


def read_int8_vector(rxfilename: str) -> Any:
    """The vector of small integers at a place."""
    return _values.int8s("x", at(rxfilename, allow_pipes))


def read_blob(rxfilename: str) -> bytes:
    """The bytes at a place."""
    return _values.blob("x", at(rxfilename, allow_pipes))


def read_int32_vector(rxfilename: str) -> Any:
    """The vector of integers at a place."""
    return _values.ints("x", at(rxfilename, allow_pipes))


#: Each type: what Kaldi calls it, how its value is taken out of an utterance and put into one.
_TYPES: Dict[str, Tuple[str, Any, Any]] = {
    "FloatMatrix": ("", _values.array("f4", 2), _values.put_array("f4", 2)),
    "DoubleMatrix": ("", _values.array("f8", 2), _values.put_array("f8", 2)),
    "FloatVector": ("", _values.array("f4", 1), _values.put_array("f4", 1)),
    "DoubleVector": ("", _values.array("f8", 1), _values.put_array("f8", 1)),
    "Int32Vector": ("int32-vector", _values.ints, _values.put_ints),
    "Wave": ("wave", _values.wave, _values.put_wave),
    "Float": ("float", _values.number("f4"), _values.put_number("f4")),
    "Double": ("double", _values.number("f8"), _values.put_number("f8")),
    "Int32": ("int32", _values.of_kind("int32"), _values.put_object("int32")),
    "Bool": ("bool", _values.of_kind("bool"), _values.put_object("bool")),
    "Int32VectorVector": (
        "int32-vector-vector",
        _values.of_kind("int32-vector-vector"),
        _values.put_object("int32-vector-vector"),
    ),
    "Int32PairVector": (
        "int32-pair-vector",
        _values.of_kind("int32-pair-vector"),
        _values.put_object("int32-pair-vector"),
    ),
    "FloatPairVector": (
        "float-pair-vector",
        _values.of_kind("float-pair-vector"),
        _values.put_object("float-pair-vector"),
    ),
    "Posterior": ("posterior", _values.of_kind("posterior"), _values.put_object("posterior")),
    "GaussPost": (
        "gauss-posterior",
        _values.of_kind("gauss-posterior"),
        _values.put_object("gauss-posterior"),
    ),
    "Token": ("token", _values.of_kind("token"), _values.put_object("token")),
    "TokenVector": (
        "token-vector",
        _values.of_kind("token-vector"),
        _values.put_object("token-vector"),
    ),
    "Int8Vector": ("int8-vector", _values.int8s, _values.put_int8s),
    "Blob": ("", _values.blob, None),
    "HtkMatrix": ("htk", _values.htk, None),
    "MatrixShape": ("", _shape, None),
    "WaveInfo": ("wave", _values.wave_info, None),
}


#: What classes there are: how their names begin and end, what they are, whether they write.
_FORMS = [
    ("Sequential", "Reader", SequentialReader, False),
    ("RandomAccess", "Reader", RandomAccessReader, False),
    ("", "Writer", TableWriter, True),
]
#: The types of single objects: the width and the dimensions of their arrays.
_SINGLE = {
    "FloatMatrix": ("f4", 2),
    "DoubleMatrix": ("f8", 2),
    "FloatVector": ("f4", 1),
    "DoubleVector": ("f8", 1),
}


def _names() -> Iterator[Tuple[str, type, str]]:
    """All classes that are made when they are asked for: name, base and type of value."""
    for sort, (_, _, put) in _TYPES.items():
        for start, end, base, writes in _FORMS:
            if put is not None or not writes:
                yield f"{start}{sort}{end}", base, sort
    for sort in _SINGLE:
        yield sort, _Single, sort


__all__ += [name for name, _, _ in _names()]


def __getattr__(name: str) -> Any:
    for own, base, sort in _names():
        if own == name:
            kind, take, put = _TYPES[sort]
            members = {"_kind": kind, "_take": staticmethod(take), "_put": staticmethod(put)}
            members.update(__module__=__name__, __doc__=base.__doc__)
            if base is _Single:
                members["_width"], members["_ndim"] = _SINGLE[sort]
            globals()[name] = type(name, (base,), members)
            return globals()[name]
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
