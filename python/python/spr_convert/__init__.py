"""Speech data in any of a dozen formats: read, written and converted.

>>> import spr_convert as spr
>>> for utt in spr.open(FBANK).first(1):
...     print(utt.key, utt.features.shape)
ann-001 (291, 40)

:func:`open` gives a data set, with its steps and what it can be written to, :func:`load` its values
by key, :class:`Writer` writes, :func:`convert` does a whole job; :func:`info`, :func:`check`, :func:`diff` and :func:`index` are the program's verbs.
``spr_convert.compat`` has the calls of other packages; ``spr_convert.torch``, ``.hf``, ``.ray`` and
``.lhotse`` are for trainers.
"""

import os as _os
from typing import TYPE_CHECKING as _TYPE_CHECKING
from typing import Any as _Any

from . import _native
from ._batches import Batches, collate
from ._dataset import Dataset, merge, open
from ._errors import (
    DataError,
    DataWarning,
    Error,
    KeyMissing,
    LimitError,
    Loss,
    LossError,
    NotFound,
    SkippedWarning,
    SystemFailure,
    UsageError,
)
from ._format import register
from ._jobs import (
    Checked,
    Finding,
    Outcome,
    Progress,
    check,
    convert,
    diff,
    formats,
    index,
    info,
    repair,
    stages,
)
from ._mapping import Table, load
from ._seen import Page, Picture
from ._utterance import (
    Audio,
    AudioReference,
    Batch,
    EncodedAudio,
    Object,
    Segment,
    Sequences,
    Tier,
    Utterance,
)
from ._writer import Writer, Written

__version__: str = _native.__version__

__all__ = [
    "Audio",
    "AudioReference",
    "Batch",
    "Batches",
    "Checked",
    "DataError",
    "DataWarning",
    "Dataset",
    "EncodedAudio",
    "Error",
    "Finding",
    "KeyMissing",
    "LimitError",
    "Loss",
    "LossError",
    "NotFound",
    "Object",
    "Outcome",
    "Page",
    "Picture",
    "Progress",
    "Segment",
    "Sequences",
    "SkippedWarning",
    "SystemFailure",
    "Table",
    "Tier",
    "UsageError",
    "Utterance",
    "Writer",
    "Written",
    "check",
    "collate",
    "convert",
    "diff",
    "formats",
    "index",
    "info",
    "load",
    "merge",
    "open",
    "register",
    "repair",
    "stages",
]

if hasattr(_os, "register_at_fork"):
    _os.register_at_fork(after_in_child=_native.forked)

if not _TYPE_CHECKING:

    def __getattr__(name: str) -> _Any:
        if name in ("compat", "hf", "lhotse", "ray", "torch"):
            import importlib

            return importlib.import_module(f"{__name__}.{name}")
        if name == "Reader":
            import warnings

            warnings.warn("Reader is called Dataset", DeprecationWarning, stacklevel=2)
            return Dataset
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
