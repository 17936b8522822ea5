"""Padded batches for trainers."""

from __future__ import annotations

import atexit
import weakref
from typing import TYPE_CHECKING, Any, Callable, Dict, Iterable, Iterator, Optional, Tuple

from . import _arguments, _native
from ._utterance import Batch, Utterance

if TYPE_CHECKING:
    from ._dataset import Dataset

#: Passes whose threads are to end before Python does.
_running: "weakref.WeakSet[_native.Batches]" = weakref.WeakSet()


def _end() -> None:
    for stream in list(_running):
        stream.close()


atexit.register(_end)


class Batches:
    """The utterances of a data set, several at a time; what :meth:`Dataset.batches` gives.

    Each loop is a pass through the data, as one over the data set is, and what steps draw at random they
    draw otherwise in each. A thread makes batches ahead, and ends with the pass or with :meth:`close`.
    Pickled, it is what it was made from, so that a worker begins at the start.

    >>> import spr_convert as spr
    >>> [len(batch.keys) for batch in spr.open(FBANK).batches(utterances=5)]
    [5, 5, 2]
    """

    def __init__(self, data: "Dataset", how: Dict[str, Any]) -> None:
        _native.check_batches(how)
        self._data, self._how = data, how
        self._current: Optional[_native.Batches] = None
        #: Makes memory of so many bytes for an array, as an array of bytes.
        self._allocate: Optional[Callable[[int], Any]] = None

    def __iter__(self) -> Iterator[Batch]:
        return self._pass(0)

    def _pass(self, position: int) -> Iterator[Batch]:
        how = {**self._how, "skip": self._data._plan.skip}
        stream: Any = iter(self._data)
        self._current = stream.batches(how, position, self._allocate)
        _running.add(self._current)
        return self._current

    def set_epoch(self, epoch: int) -> None:
        """Makes the next pass the one of this number, counted from 0.

        >>> import spr_convert as spr
        >>> batches = spr.open(FBANK).shuffle(seed=1).batches(utterances=5)
        >>> first = [batch.keys for batch in batches]
        >>> batches.set_epoch(0)
        >>> [batch.keys for batch in batches] == first
        True
        """
        self._data.set_epoch(epoch)

    def resume(self, epoch: int, position: int) -> Iterator[Batch]:
        """A pass that goes on behind its first ``position`` batches.

        >>> import spr_convert as spr
        >>> batches = spr.open(FBANK).shuffle(seed=1).batches(utterances=5)
        >>> first, second, third = batches
        >>> next(batches.resume(0, 2)).keys == third.keys
        True
        """
        self.set_epoch(epoch)
        return self._pass(position)

    def close(self) -> None:
        """Ends the pass under way, and its thread.

        >>> import spr_convert as spr
        >>> batches = spr.open(FBANK).batches(utterances=5)
        >>> next(iter(batches)).keys[0]
        'ann-001'
        >>> batches.close()
        """
        if self._current is not None:
            self._current.close()
        self._data.close()

    def _of_share(self, index: int, count: int) -> "Batches":
        return Batches(self._data._of_share(index, count), self._how)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Batches):
            return NotImplemented
        return (self._data, self._how) == (other._data, other._how)

    def __hash__(self) -> int:
        return hash((self._data, str(self._how)))

    def __reduce__(self) -> Tuple[Any, ...]:
        return type(self), (self._data, self._how)

    def __repr__(self) -> str:
        told = ", ".join(f"{name}={value!r}" for name, value in self._how.items() if value)
        return f"<Batches of {told} of\n{self._data!r}>"


class Batched:
    """The batches of a data set."""

    def _handed_on(self) -> "Dataset":
        raise NotImplementedError

    def batches(
        self,
        *,
        frames: Optional[int] = None,
        utterances: Optional[int] = None,
        seconds: Optional[float] = None,
        buckets: Iterable[float] = (),
        pad: Optional[float] = 0.0,
        pad_labels: int = -100,
        drop: bool = False,
        ahead: int = 2,
    ) -> Batches:
        """Whole utterances in arrays of one shape, each padded to the longest: :class:`Batch`.

        A batch ends where another utterance would exceed one of the sizes given. One that exceeds it by
        itself is a batch of its own. The order is that of the data set, ``ds.shuffle(1000, seed=1)``.

        :param frames: the most frames in a batch, with padding.
        :param utterances: the most utterances in a batch.
        :param seconds: the longest duration, with padding: of sound, or of frames whose shift is known.
        :param buckets: lengths in seconds if ``seconds`` is given, else in frames, which part utterances
            into groups: each batch is of one group, and needs less padding.
        :param pad: the padding of features; sound is padded with silence. With ``None`` nothing is
            padded, and each batch is exactly ``frames`` frames, for which utterances are cut, as PDNN
            does it: ``features`` is then ``(frames, columns)`` and ``labels`` ``(frames,)``.
        :param pad_labels: the padding of labels.
        :param drop: leaves out batches that are not full at the end.
        :param ahead: how many batches are made ahead, by a thread; with 0 there is none.
        :raises UsageError: there is no size, or one is wrong.
        :raises DataError: while it is read, if an utterance has other columns, types or fields than the
            one before it in a batch, or what is neither features, labels, samples nor text:
            ``open(parts=...)`` leaves that out.

        >>> import spr_convert as spr
        >>> for batch in spr.open(FBANK).join(labels=ALI).batches(frames=2000, buckets=[250]):
        ...     print(batch.features.shape, batch.labels.shape, batch.lengths.tolist())
        (6, 304, 40) (6, 304) [291, 293, 304, 290, 271, 280]
        (3, 227, 40) (3, 227) [227, 219, 99]
        (3, 294, 40) (3, 294) [276, 267, 294]
        """
        how = {
            "frames": None if frames is None else _arguments.count("frames", frames),
            "utterances": None
            if utterances is None
            else _arguments.count("utterances", utterances),
            "seconds": seconds,
            "buckets": list(buckets),
            "pad": pad,
            "pad_labels": pad_labels,
            "drop": drop,
            "ahead": _arguments.count("ahead", ahead),
            "skip": False,
        }
        return Batches(self._handed_on(), how)


def collate(utterances: Iterable[Utterance], *, pad: float = 0.0, pad_labels: int = -100) -> Batch:
    """One batch of utterances, padded as :meth:`Dataset.batches` does it.

    >>> import spr_convert as spr
    >>> spr.collate(spr.open(FBANK)[:2]).features.shape
    (2, 291, 40)
    """
    return _native.collate(list(utterances), pad, pad_labels)
