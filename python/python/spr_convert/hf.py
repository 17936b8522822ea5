"""Data sets for Hugging Face's ``datasets``::

    import datasets, spr_convert.hf as hf
    shards = hf.plan("feats.scp", 8)
    data = datasets.Dataset.from_generator(hf.rows, gen_kwargs={"shards": shards}, num_proc=8)

``datasets`` splits lists among its arguments over processes, and asks for none of itself here.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Dict, Iterator, List

from ._dataset import open as _open
from ._errors import UsageError
from ._utterance import Audio, Utterance

if TYPE_CHECKING:
    from typing_extensions import Unpack

    from ._arguments import Reading

__all__ = ["plan", "row", "rows"]


def plan(data: Any, count: int, **how: "Unpack[Reading]") -> List[Dict[str, Any]]:
    """``count`` shares of a data set, to be read in any process: arguments of
    :func:`spr_convert.open`.

    >>> from spr_convert import hf
    >>> hf.plan("fbank.scp", 2)
    [{'data': 'fbank.scp', 'shard': (0, 2)}, {'data': 'fbank.scp', 'shard': (1, 2)}]
    """
    if count < 1:
        raise UsageError("there is at least one share", kind="usage")
    return [{"data": data, "shard": (index, count), **how} for index in range(count)]


def row(utt: Utterance) -> Dict[str, Any]:
    """An utterance as a row; sound as ``datasets.Audio`` takes it.

    >>> import numpy as np, spr_convert as spr
    >>> spr.hf.row(spr.Utterance("a", audio=spr.Audio(8000, np.array([1, 2], np.int16))))
    {'key': 'a', 'audio': {'array': array([1, 2], dtype=int16), 'sampling_rate': 8000}}
    """
    parts: Dict[str, Any] = {"key": utt.key}
    for name in ("features", "labels", "text"):
        part = getattr(utt, name)
        if part is not None:
            parts[name] = part
    if isinstance(utt.audio, Audio):
        parts["audio"] = {"array": utt.audio.samples, "sampling_rate": utt.audio.rate}
    if utt.meta is not None and "speaker" in utt.meta:
        parts["speaker"] = utt.meta["speaker"]
    return parts


def rows(shards: List[Dict[str, Any]]) -> Iterator[Dict[str, Any]]:
    """The rows of shares, one share after the other.

    >>> import spr_convert as spr
    >>> [row["key"] for row in spr.hf.rows(spr.hf.plan(FBANK, 6)[:1])]
    ['ann-001', 'bob-003']
    """
    for shard in shards:
        with _open(**shard) as reader:
            yield from map(row, reader)
