"""What can happen to utterances on the way: each step is a method that gives another data set."""

from __future__ import annotations

import operator
import os
from typing import TYPE_CHECKING, Any, Iterable, List, Mapping, Optional, Tuple, Union

from . import _arguments, _native
from ._arguments import PathLike
from ._errors import UsageError

if TYPE_CHECKING:
    from ._dataset import Dataset

#: The largest number that a stage takes: there are fewer utterances.
_MOST = 2**64 - 1

#: Names of utterances or speakers: one or several.
Names = Union[str, Iterable[str]]


class Steps:
    """The steps of a data set. Nothing is read by asking for one."""

    def stage(self, text: str) -> "Dataset":
        """Any chain of stages as the command line has them: ``"shuffle(1000,seed=1)|context(5)"``.

        ``spr_convert.stages()`` lists them all.
        """
        raise NotImplementedError

    def _step(self, name: str, *values: Tuple[str, Any]) -> "Dataset":
        """The data set behind a step with these values, of which those that are ``None`` are left
        out."""
        told = [(key, str(value)) for key, value in values if value is not None]
        return self.stage(_native.step(name, told))

    def select(
        self,
        pattern: Optional[Names] = None,
        *,
        regex: Optional[Names] = None,
        keys: Union[None, PathLike, Iterable[str]] = None,
        where: Optional[Names] = None,
        speakers: Union[None, PathLike, Iterable[str]] = None,
        first: Optional[int] = None,
    ) -> "Dataset":
        """The utterances that meet every rule given.

        :param pattern: keys are like it, ``"ann-*"``; a list has the keys themselves.
        :param regex: a regular expression matches anywhere in keys; of several one is enough.
        :param keys: a list of keys, or the name of a file with one in each line or of a data set.
        :param where: an expression over the columns of ``ls``, such as ``"seconds > 1 and text"``.
        :param speakers: names, or a path object of a file of names.
        :param first: of those, so many from the start.

        >>> import spr_convert as spr
        >>> [utt.key for utt in spr.open(FBANK).select(["bob-002", "ann-001"])]
        ['ann-001', 'bob-002']
        >>> len(spr.open(FBANK).select("ann-*", where="frames > 240"))
        2
        """
        chosen = self._chosen("select", pattern, regex, keys)
        if where is not None:
            for text in _arguments.texts("conditions", where):
                chosen = chosen._step("where", ("expression", text))
        if isinstance(speakers, os.PathLike):
            chosen = chosen._step("speakers", ("file", _arguments.path(speakers)))
        elif speakers is not None:
            names = _arguments.texts("speakers", _arguments.names(speakers))
            chosen = chosen._step("speakers", *(("name", name) for name in names))
        return chosen if first is None else chosen.first(first)

    def without(
        self,
        pattern: Optional[Names] = None,
        *,
        regex: Optional[Names] = None,
        keys: Union[None, PathLike, Iterable[str]] = None,
    ) -> "Dataset":
        """All other utterances than :meth:`select` takes by one of these rules.

        >>> import spr_convert as spr
        >>> len(spr.open(FBANK).without("ann-*"))
        8
        """
        return self._chosen("without", pattern, regex, keys)

    def _chosen(self, name: str, pattern: Any, regex: Any, keys: Any) -> "Dataset":
        chosen = self.stage("")
        if pattern is not None:
            sort = "pattern" if isinstance(pattern, str) else "key"
            chosen = chosen._keys(name, sort, pattern)
        if regex is not None:
            chosen = chosen._keys(name, "regex", regex)
        if isinstance(keys, (str, os.PathLike)):
            chosen = chosen._step(name, ("keys", _arguments.path(keys)))
        elif keys is not None:
            chosen = chosen._keys(name, "key", keys)
        return chosen

    def _keys(self, name: str, sort: str, values: Names) -> "Dataset":
        texts = _arguments.texts("keys", values)
        if not texts:
            # No key is none of them.
            return self.stage("first(0)") if name == "select" else self.stage("")
        return self._step(name, *((sort, text) for text in texts))

    def first(self, n: int) -> "Dataset":
        """The first ``n`` utterances.

        >>> import spr_convert as spr
        >>> [utt.key for utt in spr.open(FBANK).first(2)]
        ['ann-001', 'ann-002']
        """
        return self._step("first", ("n", int(n)))

    def shard(self, index: int, count: int) -> "Dataset":
        """Every ``count``-th utterance from the ``index``-th on, counted from 0. (The program's
        ``--shard`` cuts runs, for outputs that are put together again.)

        >>> import spr_convert as spr
        >>> [utt.key for utt in spr.open(FBANK).shard(1, 5)]
        ['ann-002', 'bob-003', 'cleo-004']
        """
        return self._step("shard", ("i", int(index)), ("n", int(count)))

    def sort(self, by: Names = "key", memory: Optional[str] = None) -> "Dataset":
        """In the order of columns of ``ls``, such as ``"speaker,-seconds"``; ``-`` from high to low.

        :param memory: how much of it is used, such as ``"2g"``; more goes to temporary files.

        >>> import spr_convert as spr
        >>> spr.open(FBANK).sort("-frames").first(1).table("frames")
        {'frames': [304]}
        """
        columns = _arguments.texts("columns", _arguments.names(by))
        return self._step("sort", *(("column", name) for name in columns), ("memory", memory))

    def rename(
        self,
        names: Union[None, str, Mapping[str, str]] = None,
        *,
        map: Optional[PathLike] = None,
        prefix: Optional[str] = None,
        suffix: Optional[str] = None,
    ) -> "Dataset":
        """Other names of utterances.

        :param names: ``{old: new}``, where others stay as they are, or a change as in ``sed``,
            ``"s/REGEX/TEXT/"``.
        :param map: a file of lines ``old new`` that has all of them.
        :raises DataError: while it is read, if two utterances would have one name.

        >>> import spr_convert as spr
        >>> next(iter(spr.open(FBANK).rename("s/ann/eve/", prefix="a-"))).key
        'a-eve-001'
        """
        told: List[Tuple[str, Any]] = []
        if isinstance(names, str):
            told.append(("change", names))
        elif names is not None:
            for old, new in names.items():
                told += [("old", old), ("new", new)]
        if map is not None:
            told.append(("map", _arguments.path(map)))
        return self._step("rename", *told, ("prefix", prefix), ("suffix", suffix))

    def cut(
        self,
        by: str = "segments",
        *,
        key: Optional[str] = None,
        drop_labels: Names = (),
        gap: Optional[float] = None,
        pad: Optional[float] = None,
    ) -> "Dataset":
        """An utterance for each segment, with its sound, frames, text and speaker. Segments of another
        file join with ``join(labels=...)``.

        :param by: ``"segments"`` for the only tier, ``"text"`` for words, ``"speaker"`` for turns, or the
            name of a tier.
        :param key: the pattern of keys, such as ``"{recording}-{start:010.3}-{end:010.3}"``; otherwise
            ``"{key}-{n:05}"``.
        :param drop_labels: the labels of segments that are left out, such as those of silence.
        :param gap: the longest pause in seconds between segments of one speaker that become one utterance.
        :param pad: seconds added before and after each segment, within the recording.
        :raises DataError: while it is read, if there is no such tier, or two keys are the same.

        >>> import pathlib, spr_convert as spr
        >>> said = "rec 1 ann 0 0.4 good morning\\nrec 1 bob 0.5 0.9 hello\\n"
        >>> _ = pathlib.Path("talk.stm").write_text(said)
        >>> ds = spr.open("talk.stm").join_by("recording").cut(key="{recording}-{n}")
        >>> [(utt.key, utt.text) for utt in ds]
        [('rec-0', 'good morning'), ('rec-1', 'hello')]
        """
        dropped = ",".join(_arguments.texts("labels", _arguments.names(drop_labels)))
        return self._step(
            "cut", ("by", by), ("key", key), ("drop", dropped or None), ("gap", gap), ("pad", pad)
        )

    def join_by(self, by: str = "recording") -> "Dataset":
        """One utterance of those that are parts of one recording, each a segment of it: the reverse of
        :meth:`cut`. All are read first.

        >>> import pathlib, spr_convert as spr
        >>> said = "rec 1 ann 0 0.4 good morning\\nrec 1 bob 0.5 0.9 hello\\n"
        >>> _ = pathlib.Path("talk.stm").write_text(said)
        >>> len(spr.open("talk.stm").join_by("recording"))
        1
        """
        return self._step("join", ("by", by))

    def context(self, left: int, right: Optional[int] = None) -> "Dataset":
        """Each frame with its neighbours, ``left`` and ``right`` of them.

        >>> import spr_convert as spr
        >>> spr.open(FBANK).context(2, 1)[0].features.shape
        (291, 160)
        """
        right = left if right is None else right
        return self._step("context", ("left", int(left)), ("right", int(right)))

    def cmvn(
        self, by: str = "utterance", *, vars: bool = False, stats: Optional[PathLike] = None
    ) -> "Dataset":
        """Features less the mean of each column, as Kaldi's ``apply-cmvn``.

        :param by: ``"utterance"``, ``"speaker"`` or ``"global"``: whose mean it is. Speakers are those
            of the data, or of ``join(speakers=...)``.
        :param vars: divides by the standard deviation as well; a variance is at least 1e-20.
        :param stats: a file with statistics as Kaldi's, by utterance or speaker, or one matrix for all.
            Otherwise they are of all that comes before the step, whatever a shard has of it, for which
            the data are read twice in each pass: :meth:`cmvn_stats` makes them once.
        :raises DataError: while it is read, if an utterance has no speaker or no statistics, or integers.

        >>> import spr_convert as spr
        >>> utt = spr.open(FBANK).cmvn(vars=True)[0]
        >>> bool(abs(utt.features.mean(axis=0)).max() < 1e-5)
        True
        """
        file = None if stats is None else _arguments.path(stats)
        return self._step("cmvn", ("by", by), ("vars", vars or None), ("stats", file))

    def cmvn_stats(self, by: str = "utterance") -> "Dataset":
        """The statistics for :meth:`cmvn` in the place of the utterances, as Kaldi's
        ``compute-cmvn-stats``: by the key of each utterance or speaker, or ``global``, a matrix of 64-bit
        numbers with one column more than the features. The first row has the sums and last the number of
        frames, the second the sums of squares and last 0.

        >>> import spr_convert as spr
        >>> ds = spr.open(FBANK)
        >>> ds.cmvn_stats("global").write("global.ark").utterances
        1
        >>> ds.cmvn("global", stats="global.ark")[0].features.shape
        (291, 40)
        """
        return self._step("cmvn-stats", ("by", by))

    def columns(self, ranges: str) -> "Dataset":
        """Some columns of the features: ``"0,3-12"``.

        >>> import spr_convert as spr
        >>> spr.open(FBANK).columns("0,3-12")[0].features.shape
        (291, 11)
        """
        return self.stage(f"columns({ranges})")

    def resample(self, rate: int) -> "Dataset":
        """Sound of so many samples a second.

        >>> import numpy as np, spr_convert as spr
        >>> with spr.Writer("tone.wav") as writer:
        ...     writer["tone"] = 16000, np.zeros(16000, np.int16)
        >>> spr.open("tone.wav").resample(8000)[0].audio.samples.shape
        (8000,)
        """
        return self._step("sound", ("rate", int(rate)))

    def channel(self, channel: Union[int, str]) -> "Dataset":
        """One channel of the sound, counted from 0, or ``"mix"`` for the mean of all.

        >>> import numpy as np, spr_convert as spr
        >>> with spr.Writer("two.wav") as writer:
        ...     writer["two"] = 16000, np.array([[1, 2], [3, 4]], np.int16)
        >>> spr.open("two.wav").channel(1)[0].audio.samples
        array([2, 4], dtype=int16)
        """
        return self._step("sound", ("channel", channel))

    def shuffle(self, size: Optional[int] = None, seed: int = 0) -> "Dataset":
        """In random order, ``size`` utterances at a time in memory, or all of them as far as
        ``max_alloc`` allows. Each pass has an order of its own.

        >>> import spr_convert as spr
        >>> ds = spr.open(FBANK).shuffle(seed=1)
        >>> [utt.key for utt in ds] == [utt.key for utt in ds]
        False
        """
        return self._step("shuffle", ("n", None if size is None else int(size)), ("seed", seed))

    def shuffle_frames(self, memory: Optional[str] = None, seed: int = 0) -> "Dataset":
        """Frames in random order: all of them, or those of each partition of a size.

        >>> import spr_convert as spr
        >>> sum(len(utt.features) for utt in spr.open(FBANK).shuffle_frames(seed=1))
        3111
        """
        size = "" if memory is None else f"{memory},"
        return self.stage(f"shuffle-frames({size}seed={seed})")

    def prefetch(self, blocks: Optional[int] = None) -> "Dataset":
        """Reads ahead on a thread of its own, which starts with the pass.

        >>> import spr_convert as spr
        >>> sum(1 for utt in spr.open(FBANK).prefetch())
        12
        """
        return self.stage("prefetch" if blocks is None else f"prefetch({int(blocks)})")

    def _sliced(self, chosen: slice, length: Any) -> "Dataset":
        """The utterances of a slice; ``length`` tells how many there are, if it has to be known."""
        try:
            start, stop, step = (
                None if bound is None else min(operator.index(bound), _MOST)
                for bound in (chosen.start, chosen.stop, chosen.step)
            )
        except TypeError:
            raise UsageError("slices are by number; select() takes keys", kind="usage") from None
        if step is not None and step < 1:
            raise UsageError("a data set is not read backwards", kind="usage")
        if (start or 0) < 0 or (stop or 0) < 0:
            start, stop, _ = slice(start, stop).indices(length())
        end = _MOST if stop is None else stop
        told = [f"slice({start or 0},{end})"] if start or stop is not None else []
        told += [] if step in (None, 1) else [f"shard(0,{step})"]
        return self.stage("|".join(told))
