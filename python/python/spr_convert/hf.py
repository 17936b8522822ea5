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
from ._utterance import AudioReference, EncodedAudio, Utterance

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
    if how.get("shard") is not None:
        message = f"the data set is dealt out as {count} shares: shard= deals it out once more"
        raise UsageError(message, kind="usage", hint="leave shard= out")
    return [{"data": data, **how, "shard": (index, count)} for index in range(count)]


#: What of an utterance a row has no place for: its field, what that is called, and its name in ``parts``.
_NO_PLACE = {
    "tiers": ("segments", "segments"),
    "object": ("an object", "objects"),
    "arrays": ("arrays", "arrays"),
    "sequences": ("a batch of utterances", None),
}


def row(utt: Utterance) -> Dict[str, Any]:
    """An utterance as a row: its key, features, labels, text, sound, and of the metadata the speaker.

    Sound is as ``datasets.Audio`` takes it: samples as floats from -1 to 1, of several channels as
    ``(channels, samples)``, or the bytes of a sound file that was not decoded.

    :raises UsageError: if it is a batch, or has segments, an object, arrays, or sound that is only named.

    >>> import numpy as np, spr_convert as spr
    >>> spr.hf.row(spr.Utterance("a", audio=spr.Audio(8000, np.array([0, -16384], np.int16))))
    {'key': 'a', 'audio': {'array': array([ 0. , -0.5], dtype=float32), 'sampling_rate': 8000}}
    """
    parts, sound = _bare_row(utt), utt.audio
    if isinstance(sound, EncodedAudio):
        # Without a path: datasets takes a file of that name in its place, if there is one.
        parts["audio"] = {"path": None, "bytes": sound.data}
    elif sound is not None:
        rate, samples = sound[:2]
        parts["audio"] = {"array": _scaled(samples).T, "sampling_rate": rate}
    return parts


def _bare_row(utt: Utterance) -> Dict[str, Any]:
    """A row without the sound. What a row has no place for is refused."""
    for name, (part, wanted) in _NO_PLACE.items():
        if getattr(utt, name) is not None:
            hint = (
                wanted and f'name the parts that you want, without {wanted}: parts="features,text"'
            )
            raise UsageError(
                f"has {part}, which a row can't hold", kind="unfit", key=utt.key, hint=hint
            )
    if isinstance(utt.audio, AudioReference):
        message = "its sound was not loaded, and a row can't hold a reference"
        raise UsageError(message, kind="usage", key=utt.key, hint="open it with samples=True")
    parts: Dict[str, Any] = {"key": utt.key}
    for name in ("features", "labels", "text"):
        part = getattr(utt, name)
        if part is not None:
            parts[name] = part
    if utt.meta is not None and "speaker" in utt.meta:
        parts["speaker"] = utt.meta["speaker"]
    return parts


def _scaled(samples: Any) -> Any:
    """Samples as floats from -1 to 1. Integers of 16 bits fit float32 exactly."""
    import numpy as np

    if samples.dtype.kind == "f":
        return samples
    bits = 8 * samples.dtype.itemsize
    half = 2.0 ** (bits - 1)
    floats = samples.astype(np.float32 if bits <= 16 else np.float64)
    return (floats - half if samples.dtype.kind == "u" else floats) / half


def rows(shards: List[Dict[str, Any]]) -> Iterator[Dict[str, Any]]:
    """The rows of shares, one share after the other.

    >>> import spr_convert as spr
    >>> [row["key"] for row in spr.hf.rows(spr.hf.plan(FBANK, 6)[:1])]
    ['ann-001', 'bob-003']
    """
    for shard in shards:
        with _open(**shard) as reader:
            yield from map(row, reader)
