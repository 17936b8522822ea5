"""Data sets that are written."""

from __future__ import annotations

from contextlib import nullcontext
from types import TracebackType
from typing import Any, Dict, Iterable, List, Mapping, NamedTuple, Optional, Tuple, Type, Union

from . import _arguments, _files, _native
from ._errors import UsageError
from ._utterance import Object, Tier, Utterance


class Written(NamedTuple):
    """What a writer wrote."""

    utterances: int
    frames: int
    #: Before any compression.
    bytes: int


class Writer:
    """A data set that is written utterance by utterance.

    It is there, whole, after the ``with`` block or :meth:`close`. An exception in the block leaves
    nothing behind, and so does a writer that is never closed.

    >>> import numpy as np, spr_convert as spr
    >>> with spr.Writer("ark,scp:new.ark,new.scp") as writer:
    ...     writer["ann-001"] = np.zeros((3, 2), np.float32)
    ...     writer.write("ann-002", np.ones(4, np.float32))
    >>> spr.load("new.scp")["ann-002"]
    array([1., 1., 1., 1.], dtype=float32)

    :param output: what the command line takes for an output; its extension says the format. Or a
        binary file, which is handed all of it at the end, with ``format``.
    :param format: the format, if the extension shall not say it.
    :param options: options of the format, such as ``{"compress": "cm2"}``.
    :param allow_loss: what may be lost, such as ``"precision,labels"``; everything else is refused.
    :param dtype: an element type to cast features and sound to.
    :param overwrite: whether a file that exists may be replaced.
    :param add: whether files may be added to a folder that exists.
    :param sync: whether files are put on the disk before they get their names, so that they outlive
        a power cut.
    :param allow_pipes: ``False`` runs no command, not even one that ``output`` names.
    :raises UsageError: an argument is wrong, or the output exists.
    """

    def __init__(
        self,
        output: Any,
        *,
        format: Optional[str] = None,
        options: Optional[Mapping[str, Any]] = None,
        allow_loss: Union[None, str, Iterable[str]] = None,
        dtype: Any = None,
        overwrite: bool = False,
        add: bool = False,
        sync: bool = True,
        allow_pipes: Optional[bool] = None,
        threads: int = 1,
    ) -> None:
        self._delivery = _files.delivery(output, overwrite, format)
        wanted = _arguments.wanted(
            output if self._delivery is None else self._delivery.path,
            format=format,
            options=options,
            allow_loss=allow_loss,
            dtype=dtype,
            overwrite=overwrite,
            add=add,
        )
        settings = _arguments.settings(allow_pipes=allow_pipes, threads=threads, sync=sync)
        with nullcontext() if self._delivery is None else self._delivery.naming():
            self._writer = _native.Writer(wanted, settings)
        #: What was written, once it is closed.
        self.written: Optional[Written] = None

    def write(
        self,
        key: Union[str, Utterance],
        features: Any = None,
        *,
        labels: Any = None,
        audio: Optional[Tuple[Any, Any]] = None,
        text: Optional[str] = None,
        tiers: Optional[List[Tier]] = None,
        object: Optional[Object] = None,
        arrays: Optional[Dict[str, Any]] = None,
        meta: Optional[Dict[str, Any]] = None,
    ) -> None:
        """Writes one utterance: an :class:`Utterance`, or a key and its parts.

        :raises UsageError: an :class:`Utterance` comes with parts besides, or is a batch of whole ones.
        :raises LossError: the format can't hold all of it; others can be written.
        :raises DataError: it does not fit the format or the utterances before.

        >>> import numpy as np, spr_convert as spr
        >>> with spr.Writer("said.jsonl") as writer:
        ...     writer.write("a", np.ones((2, 1)), labels=[3, 4], text="yes", meta={"speaker": "ann"})
        >>> spr.open("said.jsonl")["a"].text
        'yes'
        """
        parts = (features, labels, audio, text, tiers, object, arrays, meta)
        if not isinstance(key, Utterance):
            self._put(Utterance(key, *parts))
        elif any(part is not None for part in parts):
            message = "an utterance is written with the parts that it has, and no others"
            raise UsageError(message, kind="usage", key=key.key, hint="set them as its attributes")
        else:
            self._put(key)

    def _put(self, utt: Utterance) -> None:
        if utt.sequences is not None:
            raise UsageError(
                "is a batch of utterances, which would be written as one",
                kind="usage",
                key=utt.key,
                hint="leave the stage batch() out, where utterances are to be written",
            )
        self._writer.write(utt)

    def __setitem__(self, key: str, value: Any) -> None:
        """Writes an array as features, integers of one dimension as labels, ``(rate, samples)`` as
        sound, a string as text, an :class:`Object` as that, or an :class:`Utterance` under another
        key: what :func:`load` gives for a key."""
        self._put(utterance_of(key, value))

    def close(self) -> None:
        """Completes all files and gives them their names.

        >>> import numpy as np, spr_convert as spr
        >>> writer = spr.Writer("one.npz")
        >>> writer["a"] = np.ones((2, 1))
        >>> writer.close()
        >>> writer.written.frames
        2
        """
        with nullcontext() if self._delivery is None else self._delivery.naming():
            done = self._writer.finish()
            if done is not None:
                self.written = Written(*done)
                if self._delivery is not None:
                    self._delivery.finish()

    def abandon(self) -> None:
        """Gives it up, and leaves nothing behind.

        >>> import os, spr_convert as spr
        >>> spr.Writer("none.npz").abandon()
        >>> os.path.exists("none.npz")
        False
        """
        self._writer.abandon()
        if self._delivery is not None:
            self._delivery.abandon()

    def __enter__(self) -> "Writer":
        return self

    def __exit__(
        self,
        kind: Optional[Type[BaseException]],
        error: Optional[BaseException],
        trace: Optional[TracebackType],
    ) -> None:
        if kind is None:
            self.close()
        else:
            self.abandon()


def utterance_of(key: str, value: Any) -> Utterance:
    """The utterance of a key that holds a value."""
    if isinstance(value, Utterance):
        parts = (getattr(value, name) for name in Utterance.__slots__[1:])
        return Utterance(key, *parts)
    if isinstance(value, Object):
        return Utterance(key, object=value)
    if isinstance(value, str):
        return Utterance(key, text=value)
    if isinstance(value, tuple):
        if len(value) != 2:
            raise UsageError("sound is (rate, samples)", kind="usage", key=key)
        return Utterance(key, audio=value)
    dtype = getattr(value, "dtype", None)
    if dtype is not None and dtype.kind in "iu" and value.ndim == 1:
        return Utterance(key, labels=value)
    return Utterance(key, value)
