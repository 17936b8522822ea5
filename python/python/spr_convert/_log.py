"""What the package logs: jobs that are done, and what is opened, as ``spr_convert``."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Dict

from . import _arguments

if TYPE_CHECKING:
    import logging

    from ._jobs import Outcome


def _logger() -> "logging.Logger":
    import logging

    logger = logging.getLogger("spr_convert")
    if not logger.handlers:
        logger.addHandler(logging.NullHandler())
    return logger


def job(asked: Dict[str, Any], output: str, outcome: "Outcome") -> None:
    """Tells that a job is done."""
    _logger().info(
        "%s -> %s: %d utterances, %d frames, %.1f s",
        _source(asked),
        output,
        outcome.utterances,
        outcome.frames,
        outcome.seconds,
    )


def opened(asked: Dict[str, Any], number: int) -> None:
    """Tells that a pass begins."""
    _logger().debug("pass %d of %s", number, _source(asked))


def _source(asked: Dict[str, Any]) -> str:
    return " | ".join([", ".join(_arguments.named(asked)), *asked["steps"]])
