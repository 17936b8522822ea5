"""What can go wrong, as exceptions that also are what Python's own would be."""

from __future__ import annotations

import errno
import warnings
from typing import Any, List, NamedTuple, Optional, Sequence, Tuple


class Loss(NamedTuple):
    """What a target can't hold of the data."""

    #: ``precision``, ``labels``, … as ``allow_loss`` takes it.
    kind: str
    #: How many utterances it concerns.
    utterances: int
    #: How many numbers change, of how many that were looked at, and the largest change.
    values: int
    of: int
    max_abs_err: float
    #: The first of these utterances, if it is one of utterances.
    first: Optional[str]
    #: Names of what is lost, such as those of header lines.
    what: List[str]


class Error(Exception):
    """Something is wrong with data, an argument or the system.

    ``str(error)`` is one line with the place, and a second one with what to do about it, if there is
    anything to be said.
    """

    def __init__(
        self,
        message: str = "",
        *,
        kind: str = "unfit",
        file: Optional[str] = None,
        byte: Optional[int] = None,
        line: Optional[int] = None,
        key: Optional[str] = None,
        hint: Optional[str] = None,
        can_continue: bool = False,
    ) -> None:
        super().__init__(message)
        #: What went wrong, without its place.
        self.message = message
        #: The sort of error: ``malformed``, ``truncated``, ``missing``, ``io``, ``unsupported``,
        #: ``limit``, ``loss``, ``unrecognised``, ``ambiguous``, ``usage``, ``unfit``, ``stopped``.
        self.kind = kind
        #: The file that it is about.
        self.file = file
        #: The byte in that file, counted from 0.
        self.byte = byte
        #: The line in that file, counted from 1.
        self.line = line
        #: The utterance that it is about.
        self.key = key
        #: What to do about it.
        self.hint = hint
        #: Whether the reader can go on with the next utterance.
        self.can_continue = can_continue

    def __str__(self) -> str:
        place = ""
        if self.file is not None:
            place = self.file
            if self.byte is not None:
                place += f"@{self.byte}"
            elif self.line is not None:
                place += f":{self.line}"
            place += ": "
        if self.key is not None:
            place += f"utterance {self.key}: "
        hint = "" if self.hint is None else f"\nhint: {self.hint}"
        return f"{place}{self.message}{hint}"


class SystemFailure(Error, OSError):
    """The system refused: a full disk, no permission, a command that failed."""


class NotFound(SystemFailure, FileNotFoundError):
    """A file is not there."""


class DataError(Error, ValueError):
    """The data are not as they should be, or not what is understood here."""


class LossError(Error, ValueError):
    """The target can't hold what there is, and nobody allowed the loss."""

    #: What would be lost, as far as it was read.
    losses: Tuple[Loss, ...] = ()


class UsageError(Error, ValueError):
    """An argument is wrong, or does not go with the others."""


class LimitError(Error, MemoryError):
    """A size is beyond what is allowed."""


class KeyMissing(Error, KeyError):
    """There is no utterance of this key."""


class DataWarning(UserWarning):
    """Something about data that is worth a look and no error."""

    def __init__(self, message: str = "", error: Optional[Error] = None) -> None:
        super().__init__(message)
        #: The same with its place, as an error would have it.
        self.error = error


class SkippedWarning(DataWarning):
    """An utterance was passed over, as ``on_error="skip"`` asks for."""


_CLASSES = {
    "io": SystemFailure,
    "missing": NotFound,
    "limit": LimitError,
    "loss": LossError,
    "usage": UsageError,
    "stopped": Error,
}


def make(
    kind: str,
    message: str,
    file: Optional[str],
    byte: Optional[int],
    line: Optional[int],
    key: Optional[str],
    hint: Optional[str],
    can_continue: bool,
    losses: Sequence[Any] = (),
) -> Error:
    """The exception of a kind."""
    error = _CLASSES.get(kind, DataError)(
        message,
        kind=kind,
        file=file,
        byte=byte,
        line=line,
        key=key,
        hint=hint,
        can_continue=can_continue,
    )
    if isinstance(error, NotFound):
        error.errno, error.filename = errno.ENOENT, file
    if isinstance(error, LossError):
        error.losses = tuple(Loss(*loss) for loss in losses)
    return error


def warn(text: str, error: Optional[Error] = None, skipped: bool = False) -> None:
    """Tells a warning to whoever called the package."""
    import sys

    level, frame = 1, sys._getframe()
    while frame is not None and frame.f_globals.get("__name__", "").startswith("spr_convert"):
        level, frame = level + 1, frame.f_back  # type: ignore[assignment]
    category = SkippedWarning if skipped else DataWarning
    warnings.warn(category(text, error), stacklevel=level)
