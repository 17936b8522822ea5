"""Data sets for Lhotse: ``spr_convert.lhotse.to_cuts(ds)``, and back: ``from_cuts(cuts)``.

Cuts hold their data in memory, and are made and read one by one. Manifests on disk are a format of
their own, without Lhotse: ``spr.open("lhotse:cuts.jsonl.gz")``, ``ds.write("lhotse:folder")``, and
``shar:`` likewise. Lhotse is imported when something is made of its.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Dict, Iterable, Iterator, Optional

from . import _arguments, _native
from ._errors import UsageError
from ._utterance import Audio, Segment, Tier, Utterance

if TYPE_CHECKING:
    import lhotse as _lhotse

__all__ = ["cut", "from_cuts", "to_cuts"]

#: What supervisions and utterances call alike.
_SAME = ("speaker", "gender", "language")
#: The custom field of a cut for the metadata that Lhotse has no field for.
_REST = "spr_convert"


class _Cuts:
    """The cuts of utterances, made as they are asked for."""

    def __init__(
        self, data: Iterable[Utterance], frame_shift: Optional[float], rate: Optional[int]
    ) -> None:
        self._data, self._frame_shift, self._rate = data, frame_shift, rate

    def __iter__(self) -> Iterator[Any]:
        for utt in self._data:
            yield cut(utt, self._frame_shift, self._rate)


def to_cuts(
    data: Iterable[Utterance],
    *,
    frame_shift: Optional[float] = None,
    rate: Optional[int] = None,
) -> "_lhotse.CutSet":
    """A lazy ``CutSet`` of a data set: each loop over it is a pass. ``to_eager()`` keeps the cuts, and
    ``to_shar`` writes them.

    :param data: what :func:`spr_convert.open` gives, or any utterances.
    :param frame_shift: seconds from frame to frame, where the data do not say it.
    :param rate: samples a second of the sound that features are of, where there is no sound.
    :raises UsageError: while it is read, if a cut can't hold what there is: objects, batches, frames
        behind the end of the sound, labels of another number than the frames, two tiers of one name,
        tiers of points, a segment of another speaker than the utterance, an array called ``labels``.

    Labels and arrays are custom fields of the cut, labels as ``labels``. Metadata that Lhotse has no
    field for, such as ``recording``, ``start`` and ``tags``, are in its custom field ``spr_convert``,
    where :func:`from_cuts` finds them.

    >>> import spr_convert as spr
    >>> cuts = spr.lhotse.to_cuts(spr.open(FBANK), frame_shift=0.01, rate=16000)
    >>> [(cut.id, cut.num_frames, cut.duration) for cut in cuts.subset(first=1)]
    [('ann-001', 291, 2.91)]
    """
    import lhotse

    return lhotse.CutSet(_Cuts(data, frame_shift, rate))


def cut(utt: Utterance, frame_shift: Optional[float] = None, rate: Optional[int] = None) -> Any:
    """An utterance as a cut; arguments as :func:`to_cuts` has them.

    >>> import numpy as np, spr_convert as spr
    >>> said = spr.Utterance("a", audio=spr.Audio(8000, np.zeros(4000, np.int16)), text="yes")
    >>> cut = spr.lhotse.cut(said)
    >>> cut.duration, cut.supervisions[0].text, cut.load_audio().shape
    (0.5, 'yes', (1, 4000))
    """
    from lhotse import MonoCut, MultiCut
    from lhotse.features.io import MemoryRawWriter

    meta: Dict[str, Any] = utt.meta or {}
    frame_shift = meta.get("frame_shift") or frame_shift
    _check(utt)
    recording = None if utt.audio is None else _recording(utt)
    store, custom, channels = MemoryRawWriter(), _rest(utt), [0]
    duration = None
    if recording is not None:
        duration, rate, channels = (
            recording.duration,
            recording.sampling_rate,
            recording.channel_ids,
        )
    framed = [part for part in (utt.features, utt.labels) if part is not None]
    if framed and duration is None:
        duration = round(len(framed[0]) * _known(utt, frame_shift, "frame_shift"), 9)
    if duration is None:
        raise _unfit(utt, "has neither sound nor frames, so that a cut has no length")
    if framed and recording is not None:
        shift = _known(utt, frame_shift, "frame_shift")
        _check_frames(utt, len(framed[0]), shift, recording)
    one = len(channels) == 1
    channel = channels[0] if one else channels
    features = None
    if utt.features is not None:
        shift = _known(utt, frame_shift, "frame_shift")
        features = _features(utt, shift, int(_known(utt, rate, "rate")), store, channel)
    if utt.labels is not None:
        shift = _known(utt, frame_shift, "frame_shift")
        custom["labels"] = store.store_array(
            utt.key, utt.labels, frame_shift=shift, temporal_dim=0, start=0
        )
    for name, array in (utt.arrays or {}).items():
        custom[name] = store.store_array(utt.key, array)
    return (MonoCut if one else MultiCut)(
        id=utt.key,
        start=0.0,
        duration=duration,
        channel=channel,
        supervisions=_supervisions(utt, duration, channel),
        features=features,
        recording=recording,
        custom=custom or None,
    )


def _unfit(utt: Utterance, message: str, hint: Optional[str] = None) -> UsageError:
    return UsageError(message, kind="unfit", key=utt.key, hint=hint)


def _check(utt: Utterance) -> None:
    """Refuses what no cut holds."""
    if utt.object is not None or utt.sequences is not None:
        raise _unfit(utt, "holds an object or a batch, which is no cut")
    features, labels, arrays = utt.features, utt.labels, utt.arrays or {}
    if features is not None and features.ndim != 2:
        raise _unfit(utt, "holds a vector, which is no matrix of features")
    if labels is not None and labels.ndim == 0:
        raise _unfit(utt, "holds one label, which is not one for each frame")
    if features is not None and labels is not None and len(features) != len(labels):
        raise _unfit(utt, f"has {len(labels)} labels for {len(features)} frames")
    if "labels" in arrays:
        raise _unfit(utt, "has an array 'labels', under which name a cut holds labels")
    for name, array in arrays.items():
        if array.ndim == 0:
            raise _unfit(utt, f"has an array {name!r} of no dimensions, which Lhotse can't store")


def _check_frames(utt: Utterance, count: int, frame_shift: float, recording: Any) -> None:
    """Refuses frames behind the end of the sound, which Lhotse leaves out when it loads them."""
    from lhotse.utils import compute_num_frames

    most = compute_num_frames(recording.duration, frame_shift, recording.sampling_rate)
    if not 0 < count <= most:
        raise _unfit(
            utt,
            f"has {count} frames, and its sound of {recording.duration} s has 1 to {most}",
            f"is the frame shift of {frame_shift} s right?",
        )


def _rest(utt: Utterance) -> Dict[str, Any]:
    """The custom field for the metadata that a cut has no field for."""
    held = set(_SAME) if utt.features is None else {*_SAME, "frame_shift"}
    rest = {name: value for name, value in (utt.meta or {}).items() if name not in held}
    return {_REST: rest} if rest else {}


def _known(utt: Utterance, value: Optional[float], name: str) -> float:
    if value is None:
        raise UsageError(
            f"the {name} of its features is unknown",
            kind="usage",
            key=utt.key,
            hint=f"to_cuts(ds, {name}={'0.01' if name == 'frame_shift' else '16000'})",
        )
    return value


def _recording(utt: Utterance) -> Any:
    from lhotse import Recording

    if not isinstance(utt.audio, Audio):
        raise UsageError(
            "its sound was not loaded", kind="usage", key=utt.key, hint="open it with samples=True"
        )
    wanted = _arguments.wanted("sound.wav", format="wav")
    data = _native.encode([Utterance("sound", audio=utt.audio)], wanted, _arguments.settings())
    return Recording.from_bytes(data, utt.key)


def _features(utt: Utterance, frame_shift: float, rate: int, store: Any, channel: Any) -> Any:
    from lhotse import Features

    values = utt.features
    assert values is not None
    return Features(
        type="features",
        num_frames=len(values),
        num_features=values.shape[1],
        frame_shift=frame_shift,
        sampling_rate=rate,
        start=0.0,
        duration=round(len(values) * frame_shift, 9),
        storage_type=store.name,
        storage_path="",
        storage_key=store.write(utt.key, values),
        recording_id=utt.key,
        channels=channel,
    )


def _supervisions(utt: Utterance, duration: float, channel: Any) -> Any:
    from lhotse import SupervisionSegment
    from lhotse.supervision import AlignmentItem

    meta: Dict[str, Any] = utt.meta or {}
    same = {name: meta[name] for name in _SAME if meta.get(name) is not None}
    tiers: Dict[str, Any] = {}
    for tier in utt.tiers or []:
        name = tier.name or "word"
        if name in tiers:
            raise _unfit(utt, f"has two tiers that a cut would call {name!r}")
        if tier.points:
            raise _unfit(
                utt, f"the tier {name!r} is of points, and Lhotse has only stretches of time"
            )
        tiers[name] = []
        for segment in tier.segments:
            if segment.speaker not in (None, same.get("speaker")):
                message = f"a segment of {name!r} is of the speaker {segment.speaker!r}"
                raise _unfit(utt, f"{message}, and a cut has one speaker for all of a tier")
            end = duration if segment.end is None else segment.end
            length = end - segment.start
            tiers[name].append(AlignmentItem(segment.label, segment.start, length, segment.score))
    if not (same or tiers or utt.text is not None):
        return []
    return [
        SupervisionSegment(
            id=utt.key,
            recording_id=utt.key,
            start=0.0,
            duration=duration,
            channel=channel,
            text=utt.text,
            alignment=tiers or None,
            **same,
        )
    ]


def from_cuts(cuts: "Iterable[Any]") -> Iterator[Utterance]:
    """The utterances of cuts, one by one: an utterance of each, or, where it has several supervisions,
    of each of these. Lhotse loads and mixes what they hold, sound as floats.

    ``for utt in from_cuts(cuts): writer.write(utt)`` puts them into a :class:`spr_convert.Writer`.

    >>> import spr_convert as spr
    >>> cuts = spr.lhotse.to_cuts(spr.open(FBANK, labels=ALI), frame_shift=0.01, rate=16000)
    >>> next(spr.lhotse.from_cuts(cuts))
    Utterance('ann-001', features=<float32 (291, 40)>, labels=<int32 (291,)>, ...)
    """
    for one in cuts:
        if len(one.supervisions) > 1:
            for part in one.trim_to_supervisions(keep_overlapping=False):
                yield _utterance(part, part.supervisions[0].id)
        else:
            yield _utterance(one, one.id)


def _is_whole(one: Any) -> bool:
    """Whether a cut is all of its recording or features."""
    whole = one.recording if one.has_recording else one.features if one.has_features else one
    return bool(one.start == 0 and one.duration == whole.duration)


def _timeless(meta: Dict[str, Any]) -> Dict[str, Any]:
    """Metadata without the times, which are no longer right of a piece."""
    times = ("start", "end", "frame_offset")
    return {name: value for name, value in meta.items() if name not in times}


def _utterance(one: Any, key: str) -> Utterance:
    said = one.supervisions[0] if one.supervisions else None
    meta: Dict[str, Any] = {}
    utt = Utterance(key)
    if one.has_recording:
        samples = one.load_audio()
        utt.audio = Audio(one.sampling_rate, samples[0] if len(samples) == 1 else samples.T)
    if one.has_features:
        utt.features = one.load_features()
        meta["frame_shift"] = one.frame_shift
    if said is not None:
        utt.text = said.text
        meta.update(
            {name: getattr(said, name) for name in _SAME if getattr(said, name) is not None}
        )
        utt.tiers = [
            Tier(name, [Segment(i.start, i.end, i.symbol, i.score) for i in items])
            for name, items in (said.alignment or {}).items()
        ] or None
    for name, value in (one.custom or {}).items() if hasattr(one, "custom") else ():
        if name == _REST:
            meta.update(value if _is_whole(one) else _timeless(value))
            if "tags" in meta:
                # From a file they come as lists.
                meta["tags"] = [tuple(tag) for tag in meta["tags"]]
        if not hasattr(value, "shape"):
            continue
        array = one.load_custom(name)
        if name in ("labels", "ali") and array.dtype.kind in "iu" and utt.labels is None:
            utt.labels = array
        else:
            utt.arrays = {**(utt.arrays or {}), name: array}
    utt.meta = meta or None
    return utt
