"""What the package logs: jobs that are done, and what is opened, as ``spr_convert``."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import logging

    from . import _native
    from ._jobs import Outcome


def _logger() -> "logging.Logger":
    import logging

    logger = logging.getLogger("spr_convert")
    if not logger.handlers:
        logger.addHandler(logging.NullHandler())
    return logger


def job(plan: _native.Plan, output: str, outcome: "Outcome") -> None:
    """Tells that a job is done."""
    _logger().info(
        "%s -> %s: %d utterances, %d frames, %.1f s",
        _source(plan),
        output,
        outcome.utterances,
        outcome.frames,
        outcome.seconds,
    )


def opened(plan: _native.Plan, number: int) -> None:
    """Tells that a pass begins."""
    _logger().debug("pass %d of %s", number, _source(plan))


def _source(plan: _native.Plan) -> str:
    return " | ".join([", ".join(plan.names), *plan.steps])
