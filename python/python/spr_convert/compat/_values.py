"""What the classes of :mod:`spr_convert.compat.kaldi_native_io` take out of utterances and put into them."""

from __future__ import annotations

from typing import Any, Callable, NamedTuple, Tuple

from .._errors import DataError
from .._utterance import Audio, Object, Utterance
from ._table import plain, whole_rate

#: HTK's kinds by their numbers, and its qualifiers by their bits, from 64 on.
_HTK_KINDS = (
    "WAVEFORM LPC LPREFC LPCEPSTRA LPDELCEP IREFC MFCC FBANK MELSPEC USER DISCRETE PLP".split()
)
_HTK_QUALIFIERS = "ENDACZK0VT"


class Mismatch(DataError, RuntimeError):
    """A value is of another type than the class reads or writes."""


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


def wrong(key: str, what: str) -> Mismatch:
    return Mismatch(f"is not {what}", kind="unfit", key=key)


def array(width: str, ndim: int) -> Callable[[str, Utterance], Any]:
    """What takes arrays of floats out of utterances; those of the other width are cast, as Kaldi does
    it."""

    def take(key: str, utt: Utterance) -> Any:
        value = utt.features
        if value is None or value.ndim != ndim:
            raise wrong(key, "a matrix" if ndim == 2 else "a vector")
        return value.astype(width, copy=False)

    return take


def ints(key: str, utt: Utterance) -> Any:
    if utt.labels is None or utt.labels.ndim != 1:
        raise wrong(key, "a vector of integers")
    return utt.labels.tolist()


def shape(key: str, utt: Utterance) -> Tuple[int, int]:
    if utt.features is None or utt.features.ndim != 2:
        raise wrong(key, "a matrix")
    rows, cols = utt.features.shape
    return rows, cols


def htk(key: str, utt: Utterance) -> Tuple[Any, HtkHeader]:
    rows, cols = shape(key, utt)
    meta = utt.meta or {}
    told = {name: value for format, name, value in meta.get("tags", []) if format == "htk"}
    kind, *qualifiers = told.get("kind", "USER").split("_")
    bits = sum(64 << _HTK_QUALIFIERS.index(letter) for letter in qualifiers)
    period = round(meta.get("frame_shift", 0) * 1e7)
    header = HtkHeader(rows, period, 4 * cols, _HTK_KINDS.index(kind) + bits)
    return utt.features, header


def wave(key: str, utt: Utterance) -> WaveData:
    import numpy as np

    from ._matrix import Matrix

    if not isinstance(utt.audio, Audio):
        raise wrong(key, "sound")
    rate, samples = utt.audio
    data = np.atleast_2d(samples.T).astype(np.float32)
    return WaveData(float(rate), data.view(Matrix))


def wave_info(key: str, utt: Utterance) -> WaveInfo:
    rows, cols = wave(key, utt).data.shape
    assert utt.audio is not None
    return WaveInfo(float(utt.audio[0]), cols, rows)


def of_kind(kind: str) -> Callable[[str, Utterance], Any]:
    def take(key: str, utt: Utterance) -> Any:
        if utt.object is None or utt.object.kind != kind:
            raise wrong(key, f"of the kind {kind}")
        return utt.object.value

    return take


def int8s(key: str, utt: Utterance) -> Any:
    """The numbers of the bytes that are stored: a size, then a byte before each."""
    import numpy as np

    stored = of_kind("int8-vector")(key, utt)
    return np.frombuffer(stored[8::2], np.int8).tolist()


def put_int8s(key: str, value: Any) -> Utterance:
    import numpy as np

    given = plain(value, key)
    if given.ndim != 1 or not np.array_equal(given, given.astype(np.int8)):
        raise wrong(key, "a vector of integers from -128 to 127")
    stored = b"\0B\x04" + given.size.to_bytes(4, "little")
    pairs = np.stack([np.ones(given.size, np.int8), given.astype(np.int8)], axis=1)
    return Utterance(key, object=Object("int8-vector", stored + pairs.tobytes()))


#: What is before the size of a blob, which takes eight bytes.
_BLOB = b'\0B\x14\x11" '


def blob(key: str, utt: Utterance) -> bytes:
    stored: bytes = of_kind("blob")(key, utt)
    return stored[len(_BLOB) + 8 :]


def number(width: str) -> Callable[[str, Utterance], float]:
    def take(key: str, utt: Utterance) -> float:
        if utt.features is None or utt.features.ndim != 0:
            raise wrong(key, "a number")
        return float(utt.features.astype(width))

    return take


def _narrowed(key: str, value: Any) -> Any:
    """An array as float32. Finite numbers that would become infinite are refused."""
    import numpy as np

    with np.errstate(over="ignore"):
        cast = value.astype(np.float32, copy=False)
    if not np.array_equal(np.isinf(cast), np.isinf(value)):
        raise wrong(key, "within the range of float32")
    return cast


def put_array(width: str, ndim: int) -> Callable[[str, Any], Utterance]:
    def put(key: str, value: Any) -> Utterance:
        value = plain(value.numpy() if hasattr(value, "numpy") else value, key)
        if value.ndim != ndim or value.dtype.str[1:] != width:
            of = "float32" if width == "f4" else "float64"
            raise wrong(key, f"a {'matrix' if ndim == 2 else 'vector'} of {of}")
        return Utterance(key, value)

    return put


def put_compressed(key: str, value: Any) -> Utterance:
    """Takes float64, too: compressing is lossy in any case."""
    value = plain(value.numpy() if hasattr(value, "numpy") else value, key)
    if value.ndim != 2 or value.dtype.str[1:] not in ("f4", "f8"):
        raise wrong(key, "a matrix of float32 or float64")
    return Utterance(key, _narrowed(key, value))


def put_ints(key: str, value: Any) -> Utterance:
    import numpy as np

    value = plain(value, key)
    if value.ndim != 1 or (value.size and value.dtype.kind not in "iu"):
        raise wrong(key, "a vector of integers")
    return Utterance(key, labels=value if value.size else value.astype(np.int32))


def put_wave(key: str, value: Any) -> Utterance:
    import numpy as np

    samples = plain(value.data, key).T
    whole = samples.astype(np.int16)
    if not np.array_equal(whole, samples):
        raise wrong(key, "sound whose samples are integers from -32768 to 32767")
    return Utterance(key, audio=(whole_rate(value.sample_freq, key), whole))


def put_object(kind: str) -> Callable[[str, Any], Utterance]:
    return lambda key, value: Utterance(key, object=Object(kind, value))


def put_number(width: str) -> Callable[[str, Any], Utterance]:
    def put(key: str, value: Any) -> Utterance:
        import numpy as np

        number = np.array(value, np.float64)
        return Utterance(key, _narrowed(key, number) if width == "f4" else number)

    return put
