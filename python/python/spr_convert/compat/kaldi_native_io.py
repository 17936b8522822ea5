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
from .._errors import DataError, UsageError
from .._utterance import Audio, Object, Utterance
from .._writer import Writer
from ._table import Values, at, compression, encoded, plain, whole_rate

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


class Mismatch(DataError, RuntimeError):
    """A value is of another type than the class reads or writes."""


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


class WaveData(NamedTuple):
    """Sound: a row a channel, with 16-bit samples as float32."""

    sample_freq: float
    #: An array, which ``data.numpy()`` gives, too.
    data: Any

    @property
    def duration(self) -> float:
        """Seconds."""
        return float(self.data.shape[1] / self.sample_freq)


class WaveInfo(NamedTuple):
    """What is known of sound."""

    sample_freq: float
    sample_count: int
    num_channels: int

    @property
    def duration(self) -> float:
        """Seconds."""
        return self.sample_count / self.sample_freq


class HtkHeader(NamedTuple):
    """The header of a matrix of HTK."""

    num_samples: int
    #: In units of 100 ns.
    sample_period: int
    #: Bytes of a frame.
    sample_size: int
    #: The number of a kind, such as 6 for MFCC, and a bit for each qualifier, such as ``_E``.
    sample_kind: int


def _wrong(key: str, what: str) -> Mismatch:
    return Mismatch(f"is not {what}", kind="unfit", key=key)


def _array(width: str, ndim: int) -> Callable[[str, Utterance], Any]:
    """What takes arrays of floats out of utterances; those of the other width are cast, as Kaldi does
    it."""

    def take(key: str, utt: Utterance) -> Any:
        value = utt.features
        if value is None or value.ndim != ndim:
            raise _wrong(key, "a matrix" if ndim == 2 else "a vector")
        return value.astype(width, copy=False)

    return take


def _ints(key: str, utt: Utterance) -> Any:
    if utt.labels is None or utt.labels.ndim != 1:
        raise _wrong(key, "a vector of integers")
    return utt.labels.tolist()


def _shape(key: str, utt: Utterance) -> MatrixShape:
    if utt.features is None or utt.features.ndim != 2:
        raise _wrong(key, "a matrix")
    return MatrixShape(*utt.features.shape)


#: HTK's kinds by their numbers, and its qualifiers by their bits, from 64 on.
_HTK_KINDS = (
    "WAVEFORM LPC LPREFC LPCEPSTRA LPDELCEP IREFC MFCC FBANK MELSPEC USER DISCRETE PLP".split()
)
_HTK_QUALIFIERS = "ENDACZK0VT"


def _htk(key: str, utt: Utterance) -> Tuple[Any, HtkHeader]:
    rows, cols = _shape(key, utt)
    meta = utt.meta or {}
    told = {name: value for format, name, value in meta.get("tags", []) if format == "htk"}
    kind, *qualifiers = told.get("kind", "USER").split("_")
    bits = sum(64 << _HTK_QUALIFIERS.index(letter) for letter in qualifiers)
    period = round(meta.get("frame_shift", 0) * 1e7)
    header = HtkHeader(rows, period, 4 * cols, _HTK_KINDS.index(kind) + bits)
    return utt.features, header


def _wave(key: str, utt: Utterance) -> WaveData:
    import numpy as np

    from ._matrix import Matrix

    if not isinstance(utt.audio, Audio):
        raise _wrong(key, "sound")
    rate, samples = utt.audio
    data = np.atleast_2d(samples.T).astype(np.float32)
    return WaveData(float(rate), data.view(Matrix))


def _wave_info(key: str, utt: Utterance) -> WaveInfo:
    rows, cols = _wave(key, utt).data.shape
    assert utt.audio is not None
    return WaveInfo(float(utt.audio[0]), cols, rows)


def _object(kind: str) -> Callable[[str, Utterance], Any]:
    def take(key: str, utt: Utterance) -> Any:
        if utt.object is None or utt.object.kind != kind:
            raise _wrong(key, f"of the kind {kind}")
        return utt.object.value

    return take


def _int8s(key: str, utt: Utterance) -> Any:
    """The numbers of the bytes that are stored: a size, then a byte before each."""
    import numpy as np

    stored = _object("int8-vector")(key, utt)
    return np.frombuffer(stored[8::2], np.int8).tolist()


def _put_int8s(key: str, value: Any) -> Utterance:
    import numpy as np

    given = plain(value, key)
    if given.ndim != 1 or not np.array_equal(given, given.astype(np.int8)):
        raise _wrong(key, "a vector of integers from -128 to 127")
    stored = b"\0B\x04" + given.size.to_bytes(4, "little")
    pairs = np.stack([np.ones(given.size, np.int8), given.astype(np.int8)], axis=1)
    return Utterance(key, object=Object("int8-vector", stored + pairs.tobytes()))


#: What is before the size of a blob, which takes eight bytes.
_BLOB = b'\0B\x14\x11" '


def _blob(key: str, utt: Utterance) -> bytes:
    stored: bytes = _object("blob")(key, utt)
    return stored[len(_BLOB) + 8 :]


def _number(width: str) -> Callable[[str, Utterance], float]:
    def take(key: str, utt: Utterance) -> float:
        if utt.features is None or utt.features.ndim != 0:
            raise _wrong(key, "a number")
        return float(utt.features.astype(width))

    return take


def _narrowed(key: str, value: Any) -> Any:
    """An array as float32. Finite numbers that would become infinite are refused."""
    import numpy as np

    with np.errstate(over="ignore"):
        cast = value.astype(np.float32, copy=False)
    if not np.array_equal(np.isinf(cast), np.isinf(value)):
        raise _wrong(key, "within the range of float32")
    return cast


def _put_array(width: str, ndim: int) -> Callable[[str, Any], Utterance]:
    def put(key: str, value: Any) -> Utterance:
        value = plain(value.numpy() if hasattr(value, "numpy") else value, key)
        if value.ndim != ndim or value.dtype.str[1:] != width:
            of = "float32" if width == "f4" else "float64"
            raise _wrong(key, f"a {'matrix' if ndim == 2 else 'vector'} of {of}")
        return Utterance(key, value)

    return put


def _put_compressed(key: str, value: Any) -> Utterance:
    """Takes float64, too: compressing is lossy in any case."""
    value = plain(value.numpy() if hasattr(value, "numpy") else value, key)
    if value.ndim != 2 or value.dtype.str[1:] not in ("f4", "f8"):
        raise _wrong(key, "a matrix of float32 or float64")
    return Utterance(key, _narrowed(key, value))


def _put_ints(key: str, value: Any) -> Utterance:
    import numpy as np

    value = plain(value, key)
    if value.ndim != 1 or (value.size and value.dtype.kind not in "iu"):
        raise _wrong(key, "a vector of integers")
    return Utterance(key, labels=value if value.size else value.astype(np.int32))


def _put_wave(key: str, value: Any) -> Utterance:
    import numpy as np

    samples = plain(value.data, key).T
    whole = samples.astype(np.int16)
    if not np.array_equal(whole, samples):
        raise _wrong(key, "sound whose samples are integers from -32768 to 32767")
    return Utterance(key, audio=(whole_rate(value.sample_freq, key), whole))


def _put_object(kind: str) -> Callable[[str, Any], Utterance]:
    return lambda key, value: Utterance(key, object=Object(kind, value))


def _put_number(width: str) -> Callable[[str, Any], Utterance]:
    def put(key: str, value: Any) -> Utterance:
        import numpy as np

        number = np.array(value, np.float64)
        return Utterance(key, _narrowed(key, number) if width == "f4" else number)

    return put


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

        asked = _arguments.asked(rspecifier, options=_options(self._kind))
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

    _put: Any = staticmethod(_put_compressed)
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
            raise _wrong("x", "a matrix" if self._ndim == 2 else "a vector")

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
    return _wave("x", at(rxfilename, allow_pipes))


def read_wave_info(rxfilename: str) -> WaveInfo:
    """What is known of the sound at a place."""
    return _wave_info("x", at(rxfilename, allow_pipes))


def read_int8_vector(rxfilename: str) -> Any:
    """The vector of small integers at a place."""
    return _int8s("x", at(rxfilename, allow_pipes))


def read_blob(rxfilename: str) -> bytes:
    """The bytes at a place."""
    return _blob("x", at(rxfilename, allow_pipes))


def read_int32_vector(rxfilename: str) -> Any:
    """The vector of integers at a place."""
    return _ints("x", at(rxfilename, allow_pipes))


#: Each type: what Kaldi calls it, how its value is taken out of an utterance and put into one.
_TYPES: Dict[str, Tuple[str, Any, Any]] = {
    "FloatMatrix": ("", _array("f4", 2), _put_array("f4", 2)),
    "DoubleMatrix": ("", _array("f8", 2), _put_array("f8", 2)),
    "FloatVector": ("", _array("f4", 1), _put_array("f4", 1)),
    "DoubleVector": ("", _array("f8", 1), _put_array("f8", 1)),
    "Int32Vector": ("int32-vector", _ints, _put_ints),
    "Wave": ("wave", _wave, _put_wave),
    "Float": ("float", _number("f4"), _put_number("f4")),
    "Double": ("double", _number("f8"), _put_number("f8")),
    "Int32": ("int32", _object("int32"), _put_object("int32")),
    "Bool": ("bool", _object("bool"), _put_object("bool")),
    "Int32VectorVector": (
        "int32-vector-vector",
        _object("int32-vector-vector"),
        _put_object("int32-vector-vector"),
    ),
    "Int32PairVector": (
        "int32-pair-vector",
        _object("int32-pair-vector"),
        _put_object("int32-pair-vector"),
    ),
    "FloatPairVector": (
        "float-pair-vector",
        _object("float-pair-vector"),
        _put_object("float-pair-vector"),
    ),
    "Posterior": ("posterior", _object("posterior"), _put_object("posterior")),
    "GaussPost": ("gauss-posterior", _object("gauss-posterior"), _put_object("gauss-posterior")),
    "Token": ("token", _object("token"), _put_object("token")),
    "TokenVector": ("token-vector", _object("token-vector"), _put_object("token-vector")),
    "Int8Vector": ("int8-vector", _int8s, _put_int8s),
    "Blob": ("", _blob, None),
    "HtkMatrix": ("htk", _htk, None),
    "MatrixShape": ("", _shape, None),
    "WaveInfo": ("wave", _wave_info, None),
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
