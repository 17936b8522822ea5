"""What a data set holds, utterance by utterance."""

from __future__ import annotations

from typing import (
    TYPE_CHECKING,
    Any,
    Dict,
    Iterable,
    Iterator,
    List,
    NamedTuple,
    Optional,
    Tuple,
    Union,
)

if TYPE_CHECKING:
    import numpy as np

    from ._seen import Picture


class Audio(NamedTuple):
    """Sound as samples."""

    #: Samples a second.
    rate: int
    #: Of one channel an array of one dimension, else ``(samples, channels)``. Integers fill the range
    #: of their type; floats go from -1 to 1.
    samples: "np.ndarray"


class EncodedAudio(NamedTuple):
    """A whole sound file as it is stored."""

    #: The name of its format, such as ``flac``.
    format: str
    #: All its bytes.
    data: bytes
    #: What is known of it: samples a second, channels, samples in each.
    rate: Optional[int] = None
    channels: Optional[int] = None
    samples: Optional[int] = None


class AudioReference(NamedTuple):
    """A place where sound is, of which nothing was read."""

    #: A file, or a command.
    place: str
    #: Seconds from the start of the recording; ``None``: the start and the end of the recording.
    start: Optional[float] = None
    end: Optional[float] = None
    #: The channel that is meant, counted from 0; ``None``: all.
    channel: Optional[int] = None


#: Sound in one of these forms; ``(rate, samples)`` where it is given.
Sound = Union[None, Audio, EncodedAudio, AudioReference, Tuple[Any, Any]]


class Segment(NamedTuple):
    """A stretch of time with a label."""

    #: Seconds from the start of the utterance.
    start: float
    #: The same; ``None``: to the end of the utterance.
    end: Optional[float]
    #: A word, a phone or the like.
    label: str
    #: How sure or how likely it is.
    score: Optional[float] = None
    #: Who speaks.
    speaker: Optional[str] = None


class Tier(NamedTuple):
    """Segments of one sort."""

    #: Empty where there is but one tier, without a name.
    name: str
    #: In their order.
    segments: List[Segment]
    #: Whether it is one of points in time.
    points: bool = False


class Object(NamedTuple):
    """One of Kaldi's other objects, or of another format's own."""

    #: ``posterior``, ``int32``, ``token-vector``, … as ``spr-convert formats kaldi`` has them.
    kind: str
    #: Numbers, strings, lists and tuples; ``bytes`` of what only its own format understands.
    value: Any


class Sequences(NamedTuple):
    """The utterances of a batch of whole ones."""

    #: Their keys.
    keys: List[str]
    #: Frames of each.
    lengths: List[int]
    #: The row at which each starts.
    offsets: List[int]
    #: Rows from one to the next where all are padded to one length, else ``None``.
    stride: Optional[int]


def _parts(one: Any, names: Iterable[str]) -> Iterator[str]:
    """The fields that there are, arrays by their types and shapes."""
    for name in names:
        part = getattr(one, name)
        if part is not None:
            shape = getattr(part, "shape", None)
            told = repr(part) if shape is None else f"<{part.dtype} {shape}>"
            yield f"{name}={told}"


class Batch(NamedTuple):
    """Utterances in arrays that are padded to the longest, in order; what there is not is ``None``.

    The arrays are the batch's own, and writable; PyTorch, JAX and others share their memory, by
    ``torch.from_numpy`` or DLPack.
    """

    #: Their keys; ``None`` where utterances were cut.
    keys: Optional[List[str]]
    #: ``(utterances, frames, columns)``; of vectors ``(utterances, n)``.
    features: "Optional[np.ndarray]" = None
    #: The frames of each without padding, as 64-bit integers.
    lengths: "Optional[np.ndarray]" = None
    #: ``(utterances, frames)``, with several a frame ``(utterances, frames, columns)``.
    labels: "Optional[np.ndarray]" = None
    #: The labels of each without padding.
    label_lengths: "Optional[np.ndarray]" = None
    #: Samples, ``(utterances, samples)``, of several channels ``(utterances, samples, channels)``.
    audio: "Optional[np.ndarray]" = None
    #: The samples of each without padding.
    audio_lengths: "Optional[np.ndarray]" = None
    #: Samples a second.
    rate: Optional[int] = None
    #: What was said, ``None`` for one without text.
    text: Optional[List[Optional[str]]] = None

    def __repr__(self) -> str:
        return f"Batch({', '.join(_parts(self, self._fields))})"


class Utterance:
    """One utterance: what there is of it, ``None`` for the rest.

    Arrays are the utterance's own: writable, in C order, and never changed by the reader afterwards.

    >>> import numpy as np, spr_convert as spr
    >>> spr.Utterance("ann-001", np.zeros((2, 3)), text="yes")
    Utterance('ann-001', features=<float64 (2, 3)>, text='yes')
    """

    __slots__ = (
        "key",
        "features",
        "labels",
        "audio",
        "text",
        "tiers",
        "object",
        "arrays",
        "meta",
        "sequences",
    )

    def __init__(
        self,
        key: str,
        features: "Optional[np.ndarray]" = None,
        labels: "Optional[np.ndarray]" = None,
        audio: "Sound" = None,
        text: Optional[str] = None,
        tiers: Optional[List[Tier]] = None,
        object: Optional[Object] = None,
        arrays: "Optional[Dict[str, np.ndarray]]" = None,
        meta: Optional[Dict[str, Any]] = None,
        sequences: Optional[Sequences] = None,
    ) -> None:
        #: Its name. Bytes that are not UTF-8 are there as in file names, by ``surrogateescape``.
        self.key = key
        #: ``(frames, columns)``; of a vector ``(n,)``, of one number ``()``.
        self.features = features
        #: One row, or one number, a frame; integers as a rule.
        self.labels = labels
        #: :class:`Audio`, or, where samples were not asked for, another form of sound.
        self.audio = audio
        #: What was said.
        self.text = text
        #: Labelled stretches of time.
        self.tiers = tiers
        #: What is neither of these.
        self.object = object
        #: Arrays of any shape by their names.
        self.arrays = arrays
        #: ``frame_shift``, ``speaker``, ``recording``, …, and ``tags``: header lines as
        #: ``(format, key, value)``.
        self.meta = meta
        #: In a batch of whole utterances, which they are.
        self.sequences = sequences

    @property
    def segments(self) -> Optional[List[Segment]]:
        """The segments, if there is one tier of them."""
        return self.tiers[0].segments if self.tiers and len(self.tiers) == 1 else None

    @property
    def value(self) -> Any:
        """What it holds if that is one thing, such as its features; else the utterance itself."""
        parts = (self.features, self.labels, self.audio, self.text, self.tiers, self.object)
        there = [part for part in parts if part is not None]
        if len(there) != 1 or self.arrays:
            return self
        return there[0].value if isinstance(there[0], Object) else there[0]

    def plot(
        self, *, width: int = 800, height: Optional[int] = None, scale: float = 1.0
    ) -> "Picture":
        """A picture of it, as :meth:`Dataset.plot` draws one.

        >>> import numpy as np, spr_convert as spr
        >>> spr.Utterance("a", np.eye(9)).plot(width=200).save("eye.svg")
        """
        from ._seen import of_utterance

        return of_utterance(self, width, height, scale)

    def _repr_html_(self) -> str:
        from ._seen import shown_utterance

        return shown_utterance(self)

    def __repr__(self) -> str:
        parts = [repr(self.key), *_parts(self, self.__slots__[1:])]
        return f"Utterance({', '.join(parts)})"
