"""Data sets for Ray Data: ``spr_convert.ray.read_spr("feats.scp")``.

Ray and PyArrow are imported when something is read.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Dict, Iterable, List, Optional

from . import hf
from ._dataset import open as _open
from ._utterance import EncodedAudio

if TYPE_CHECKING:
    from typing_extensions import Unpack

    from ._arguments import Reading

__all__ = ["columns", "read_spr"]


def columns(utterances: Iterable[Any]) -> Dict[str, List[Any]]:
    """Utterances as columns of a table: numbers flat, with their shapes beside them.

    Features have ``rows`` and ``cols``, sound has ``sampling_rate`` and ``channels`` (the samples of
    one time are neighbours), and labels of several columns have ``label_cols``. Sound files that were
    not decoded are in ``audio_bytes``, and their formats in ``audio_format``.

    :raises UsageError: for what :func:`spr_convert.hf.row` refuses.

    >>> import spr_convert as spr
    >>> columns = spr.ray.columns(spr.open(FBANK).first(2))
    >>> columns["key"], columns["rows"], columns["cols"], columns["features"][0].shape
    (['ann-001', 'ann-002'], [291, 227], [40, 40], (11640,))
    """
    table: Dict[str, List[Any]] = {}
    for count, utt in enumerate(utterances):
        row = hf._bare_row(utt)
        features = row.pop("features", None)
        if features is not None:
            # A vector has one column, one number one row.
            shape = (*features.shape, 1, 1)[:2]
            row.update(features=features.reshape(-1), rows=shape[0], cols=shape[1])
        if isinstance(utt.audio, EncodedAudio):
            row.update(audio_bytes=utt.audio.data, audio_format=utt.audio.format)
        elif utt.audio is not None:
            rate, samples = utt.audio[:2]
            channels = 1 if samples.ndim == 1 else samples.shape[1]
            row.update(audio=samples.reshape(-1), sampling_rate=rate, channels=channels)
        labels = row.get("labels")
        if labels is not None:
            row["labels"] = labels.reshape(-1)
            if labels.ndim == 2:
                row["label_cols"] = labels.shape[1]
        for name in row.keys() - table.keys():
            table[name] = [None] * count
        for name, values in table.items():
            values.append(row.get(name))
    return table


def _read(shard: Dict[str, Any]) -> List[Any]:
    import pyarrow

    with _open(**shard) as reader:
        return [pyarrow.table(columns(reader))]


def read_spr(data: Any, count: Optional[int] = None, **how: "Unpack[Reading]") -> Any:
    """A Ray data set, of which each share is read by a task of its own; further arguments as
    :func:`spr_convert.open` takes them.

    :param count: how many shares; else as many as Ray asks for.

    Matrices are flat lists with their shapes in columns, as :func:`columns` has them: tables have no
    matrices of many sizes.

    >>> import os, spr_convert as spr
    >>> spr.ray.read_spr(os.path.abspath(FBANK)).count()
    12
    """
    import ray.data
    from ray.data import Datasource, ReadTask
    from ray.data.block import BlockMetadata

    class Source(Datasource):  # type: ignore[misc,unused-ignore]
        def estimate_inmemory_data_size(self) -> None:
            return None

        def get_read_tasks(self, parallelism: int, *unused: Any, **more: Any) -> List[Any]:
            nothing = BlockMetadata(
                num_rows=None, size_bytes=None, input_files=None, exec_stats=None
            )
            return [
                ReadTask(lambda shard=shard: _read(shard), nothing)
                for shard in hf.plan(data, count or max(1, parallelism), **how)
            ]

    return ray.data.read_datasource(Source(), override_num_blocks=count)
