"""Data sets that are read from front to back."""

from __future__ import annotations

from types import TracebackType
from typing import Any, Dict, Iterable, Iterator, List, Mapping, Optional, Tuple, Type, Union

from . import _arguments, _native
from ._arguments import PathLike
from ._errors import UsageError
from ._utterance import Utterance


class Reader:
    """A data set as utterances one after the other; what :func:`open` gives.

    Each loop over it is a pass through the data from the start. Stages are methods that give another
    reader, and what they draw at random they draw otherwise in each pass. A reader is pickled as what
    it was made of, so that a worker begins at the start.

    >>> import spr_convert as spr
    >>> for utt in spr.open(FBANK).select("ann-*").first(2):
    ...     print(utt.key, utt.features.shape, utt.features.dtype)
    ann-001 (291, 40) float32
    ann-002 (227, 40) float32
    """

    def __init__(
        self,
        asked: Dict[str, Any],
        settings: Dict[str, Any],
        stages: Tuple[str, ...] = (),
        stream: Optional[_native.Stream] = None,
        passes: int = 0,
    ) -> None:
        self._asked = asked
        self._settings = settings
        self._stages = stages
        self._passes = passes
        # What is open and was not read yet, and what is being read.
        self._fresh = stream
        self._current: Optional[_native.Stream] = None

    def _open(self, pass_number: int) -> _native.Stream:
        data, paths = self._asked["data"], self._asked["paths"]
        if hasattr(data and data[1], "read") or any(path.split(":")[-1] == "-" for path in paths):
            raise UsageError("can be read only once", kind="usage", hint="open it again")
        return _native.Stream(self._asked, self._settings, list(self._stages), pass_number)

    def __iter__(self) -> Iterator[Utterance]:
        fresh, self._fresh = self._fresh, None
        if fresh is None or not fresh.is_current() or self._passes > 0:
            fresh = self._open(self._passes)
        self._passes += 1
        self._current = fresh
        return fresh

    def __next__(self) -> Utterance:
        """The next utterance of the pass that was begun last, or of a first one."""
        if self._current is None:
            iter(self)
        return next(self._current)  # type: ignore[arg-type]

    def set_epoch(self, epoch: int) -> None:
        """Makes the next pass the one of this number, counted from 0."""
        self._passes = epoch

    def resume(self, epoch: int, position: int) -> Iterator[Utterance]:
        """A pass that goes on behind its first ``position`` utterances or batches."""
        self._passes = epoch
        stream = iter(self)
        self._current.skip(position)  # type: ignore[union-attr]
        return stream

    def info(self) -> Dict[str, Any]:
        """What headers say: ``utterances``, ``frames``, ``dim``, ``dtype``, ``label_columns`` and
        ``sample_rate``, ``None`` where that takes reading."""
        if self._fresh is None or not self._fresh.is_current():
            self._fresh = self._open(self._passes)
        return self._fresh.info()

    def close(self) -> None:
        """Closes the files of the pass under way, which ends."""
        for stream in (self._fresh, self._current):
            if stream is not None:
                stream.close()
        self._fresh = self._current = None

    def __enter__(self) -> "Reader":
        return self

    def __exit__(
        self,
        kind: Optional[Type[BaseException]],
        error: Optional[BaseException],
        trace: Optional[TracebackType],
    ) -> None:
        self.close()

    def __reduce__(self) -> Tuple[Any, ...]:
        return type(self), (self._asked, self._settings, self._stages, None, self._passes)

    def __repr__(self) -> str:
        of = ", ".join(self._asked["paths"]) or self._asked["data"][0]
        return f"<Reader of {of}{''.join(' | ' + stage for stage in self._stages)}>"

    def stage(self, text: str) -> "Reader":
        """Any chain of stages as the command line has them: ``"shuffle(1000,seed=1)|context(5)"``.

        ``spr_convert.stages()`` lists them all.
        """
        stages = self._stages + (text,)
        _native.Stream.check("|".join(stages))
        fresh, self._fresh = self._fresh, None
        if fresh is not None and fresh.is_current():
            fresh.then(text, self._passes)
        else:
            fresh = None
        return Reader(self._asked, self._settings, stages, fresh, self._passes)

    def select(
        self,
        pattern: Optional[str] = None,
        *,
        regex: Optional[str] = None,
        keys: Optional[PathLike] = None,
    ) -> "Reader":
        """The utterances whose keys are like a pattern, match a regular expression, or are the first
        words of the lines of a file."""
        return self.stage(f"select({_chosen(pattern, regex, keys)})")

    def without(
        self,
        pattern: Optional[str] = None,
        *,
        regex: Optional[str] = None,
        keys: Optional[PathLike] = None,
    ) -> "Reader":
        """All other utterances than :meth:`select` takes."""
        return self.stage(f"without({_chosen(pattern, regex, keys)})")

    def first(self, n: int) -> "Reader":
        """The first ``n`` utterances."""
        return self.stage(f"first({int(n)})")

    def shard(self, index: int, count: int) -> "Reader":
        """Every ``count``-th utterance from the ``index``-th on, counted from 0. (The program's
        ``--shard`` cuts runs, for outputs that are put together again.)"""
        return self.stage(f"shard({int(index)},{int(count)})")

    def sort(self, by: str = "key", memory: Optional[str] = None) -> "Reader":
        """In the order of ``key`` or ``frames``, with so much memory, such as ``"2g"``."""
        more = "" if memory is None else f",memory={memory}"
        return self.stage(f"sort({by}{more})")

    def context(self, left: int, right: Optional[int] = None) -> "Reader":
        """Each frame with its neighbours, ``left`` and ``right`` of them."""
        right = left if right is None else right
        return self.stage(f"context({int(left)},{int(right)})")

    def columns(self, ranges: str) -> "Reader":
        """Some columns of the features: ``"0,3-12"``."""
        return self.stage(f"columns({ranges})")

    def shuffle(self, size: int, seed: int = 0) -> "Reader":
        """In random order, ``size`` utterances at a time in memory."""
        return self.stage(f"shuffle({int(size)},seed={seed})")

    def shuffle_frames(self, memory: Optional[str] = None, seed: int = 0) -> "Reader":
        """Frames in random order: all of them, or those of each partition of a size."""
        size = "" if memory is None else f"{memory},"
        return self.stage(f"shuffle-frames({size}seed={seed})")

    def batch(
        self,
        frames: Optional[int] = None,
        *,
        utterances: Optional[int] = None,
        whole: Optional[int] = None,
        padded: Optional[int] = None,
        pad: bool = False,
        drop: bool = False,
        buckets: Optional[List[int]] = None,
    ) -> "Reader":
        """So many frames at a time, joined in one array; or whole utterances, by their number, their
        frames (``whole``) or their frames once all are as long as the longest (``padded``)."""
        sizes = {"frames": frames, "utterances": utterances, "whole": whole, "padded": padded}
        told = [f"{name}={int(n)}" for name, n in sizes.items() if n is not None]
        told += ["pad"] * pad + ["drop"] * drop
        if buckets:
            told.append("buckets=" + ":".join(str(int(n)) for n in buckets))
        return self.stage(f"batch({','.join(told)})")

    def prefetch(self, blocks: Optional[int] = None) -> "Reader":
        """Reads ahead on a thread of its own, which starts with the pass."""
        return self.stage("prefetch" if blocks is None else f"prefetch({int(blocks)})")


def _quoted(text: str) -> str:
    return f'"{text}"' if "'" in text else f"'{text}'"


def _chosen(pattern: Optional[str], regex: Optional[str], keys: Optional[PathLike]) -> str:
    told = [] if pattern is None else [_quoted(pattern)]
    if regex is not None:
        told.append(f"regex={_quoted(regex)}")
    if keys is not None:
        told.append(f"keys={_quoted(_arguments.path(keys))}")
    return ",".join(told)


def open(
    data: Any,
    *,
    format: Optional[str] = None,
    options: Optional[Mapping[str, Any]] = None,
    labels: Optional[PathLike] = None,
    utt2spk: Optional[PathLike] = None,
    parts: Union[None, str, Iterable[str]] = None,
    samples: bool = True,
    shard: Optional[Tuple[int, int]] = None,
    on_error: str = "stop",
    allow_pipes: Optional[bool] = None,
    max_alloc: Optional[int] = None,
    threads: int = 1,
) -> Reader:
    """Opens a data set of any format.

    :param data: what the command line takes for an input, a path object, several of these, or
        ``bytes`` or a binary file object.
    :param format: the format, if its content shall not say it.
    :param options: options of the format, and PDNN's data options.
    :param labels: a data set whose labels join by key; with ``utt2spk`` by what that gives for it.
    :param parts: what is wanted of utterances, of ``features``, ``labels``, ``audio``, ``segments``,
        ``text``, ``objects``, ``arrays``.
    :param samples: whether sound is loaded and decoded, wherever it is.
    :param shard: ``(index, count)``: one of several equal shares, as :meth:`Reader.shard` deals them;
        formats go past the rest without reading it, where they can.
    :param on_error: ``"skip"`` passes over utterances at fault, with a :class:`DataWarning` each.
    :param allow_pipes: ``True`` runs commands that stand in files, ``False`` none at all, not even
        those that ``data`` names.
    :param max_alloc: bytes that one object may take in memory.
    :param threads: with more than one, some formats decode ahead.
    :raises NotFound: it is not there.
    :raises DataError: no format fits, or the header is broken.
    :raises UsageError: an argument is wrong.
    """
    asked = _arguments.asked(
        data,
        format=format,
        options=options,
        labels=labels,
        utt2spk=utt2spk,
        parts=parts,
        samples=samples,
        shard=shard,
        on_error=on_error,
    )
    settings = _arguments.settings(allow_pipes=allow_pipes, max_alloc=max_alloc, threads=threads)
    return Reader(asked, settings, (), _native.Stream(asked, settings, [], 0))


def batches(
    data: Any,
    *,
    frames: Optional[int] = None,
    utterances: Optional[int] = None,
    padded: Optional[int] = None,
    shuffle: Optional[int] = None,
    seed: int = 0,
    context: Union[None, int, Tuple[int, int]] = None,
    drop: bool = False,
    **how: Any,
) -> Reader:
    """Batches for training: the data as :func:`open` takes them, shuffled, with context, and joined.

    >>> import spr_convert as spr
    >>> for batch in spr.batches(FBANK, frames=2000, shuffle=12, seed=1, context=(5, 5)):
    ...     print(batch.features.shape)
    (2000, 440)
    (1111, 440)
    """
    reader = open(data, **how)
    if shuffle is not None:
        reader = reader.shuffle(shuffle, seed)
    if context is not None:
        left, right = context if isinstance(context, tuple) else (context, context)
        reader = reader.context(left, right)
    return reader.batch(frames, utterances=utterances, padded=padded, drop=drop)
