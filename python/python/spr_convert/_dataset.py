"""Data sets as values: what is read, and what happens to it on the way."""

from __future__ import annotations

from types import TracebackType
from typing import (
    TYPE_CHECKING,
    Any,
    Dict,
    Iterable,
    Iterator,
    List,
    Mapping,
    Optional,
    Tuple,
    Type,
    Union,
    overload,
)

from . import _arguments, _jobs, _log, _mapping, _native
from ._arguments import PathLike
from ._batches import Batched
from ._errors import Error, UsageError
from ._facts import Facts
from ._jobs import Outcome
from ._seen import Seen
from ._steps import Steps
from ._utterance import Utterance

if TYPE_CHECKING:
    from typing_extensions import Unpack

    from ._arguments import Writing


class Dataset(Steps, Batched, Facts, Seen):
    """A data set as a value: inputs, what joins them, and steps; what :func:`open` gives.

    Steps and joins give another data set, and read nothing. Each loop over it is a pass through the
    data from the start, and what steps draw at random they draw otherwise in each pass. ``len(ds)``,
    ``ds["key"]``, ``ds[3]`` and slices are there for what is in files. A data set is shown as the
    program's ``--explain`` shows a job, compares and hashes by what it was made from, and is pickled
    as that, so that a worker begins at the start.

    >>> import spr_convert as spr
    >>> ds = spr.open(FBANK).select("ann-*").context(1)
    >>> for utt in ds.first(2):
    ...     print(utt.key, utt.features.shape, utt.features.dtype)
    ann-001 (291, 120) float32
    ann-002 (227, 120) float32
    >>> len(ds), ds[3].key, ds["ann-002"].features.shape, [utt.key for utt in ds[1:3]]
    (4, 'ann-004', (227, 120), ['ann-002', 'ann-003'])
    """

    def __init__(
        self,
        plan: _native.Plan,
        settings: Dict[str, Any],
        stream: Optional[_native.Stream] = None,
        passes: int = 0,
    ) -> None:
        self._plan = plan
        self._settings = settings
        self._passes = passes
        # What is open and was not read yet, and what is being read.
        self._fresh = stream
        self._current: Optional[_native.Stream] = None
        self._length: Optional[int] = None
        self._table: Optional[_mapping.Table] = None

    def _can_reopen(self) -> bool:
        data = self._plan.data
        stdin = any(path.split(":")[-1] == "-" for path in self._plan.names)
        return not (hasattr(data and data[1], "read") or (data is None and stdin))

    def _lasts(self) -> bool:
        """Whether it is in files, which can be opened any number of times."""
        fresh = self._fresh
        if fresh is None or not fresh.is_current():
            return not any("|" in path for path in self._plan.names)
        return fresh.is_lasting()

    def _open(self, pass_number: int) -> _native.Stream:
        if not self._can_reopen():
            raise UsageError("can be read only once", kind="usage", hint="open it again")
        return _native.Stream(self._plan, self._settings, pass_number)

    def __iter__(self) -> Iterator[Utterance]:
        fresh, self._fresh = self._fresh, None
        if fresh is None or not fresh.is_current() or self._passes > 0:
            fresh = self._open(self._passes)
        _log.opened(self._plan, self._passes)
        self._passes += 1
        self._current = fresh
        return fresh

    def __next__(self) -> Utterance:
        """The next utterance of the pass that was begun last, or of a first one."""
        if self._current is None:
            iter(self)
        return next(self._current)  # type: ignore[arg-type]

    def set_epoch(self, epoch: int) -> None:
        """Makes the next pass the one of this number, counted from 0.

        >>> import spr_convert as spr
        >>> ds = spr.open(FBANK).shuffle(seed=1)
        >>> first = [utt.key for utt in ds]
        >>> ds.set_epoch(0)
        >>> [utt.key for utt in ds] == first
        True
        """
        self._passes = epoch

    def resume(self, epoch: int, position: int) -> Iterator[Utterance]:
        """A pass that goes on behind its first ``position`` utterances or batches.

        >>> import spr_convert as spr
        >>> [utt.key for utt in spr.open(FBANK).resume(0, 10)]
        ['cleo-003', 'cleo-004']
        """
        self._passes = epoch
        stream = iter(self)
        self._current.skip(position)  # type: ignore[union-attr]
        return stream

    def close(self) -> None:
        """Closes the files of the pass under way, which ends.

        >>> import spr_convert as spr
        >>> with spr.open(FBANK) as ds:  # closes it as well
        ...     next(ds).key
        'ann-001'
        >>> ds.close()
        """
        for stream in (self._fresh, self._current):
            if stream is not None:
                stream.close()
        self._fresh = self._current = None

    def __enter__(self) -> "Dataset":
        return self

    def __exit__(
        self,
        kind: Optional[Type[BaseException]],
        error: Optional[BaseException],
        trace: Optional[TracebackType],
    ) -> None:
        self.close()

    def __bool__(self) -> bool:
        return True

    def __len__(self) -> int:
        """The number of utterances, or of batches. It is counted, without their values where steps
        look only at keys, unless a header has it.

        :raises TypeError: the data can be read only once.
        """
        if self._length is None:
            count = None if self._plan.data else _native.count(self._plan, self._settings)
            if count is None:
                raise TypeError("what can be read only once has no length before it is read")
            self._length = count
        return self._length

    def _by_key(self) -> _mapping.Table:
        if self._plan.data is not None:
            raise UsageError("single utterances are found in what is named by a path", kind="usage")
        if self._table is None:
            self._table = _mapping.Table(self._plan, self._settings)
        return self._table

    @overload
    def __getitem__(self, item: Union[str, int]) -> Utterance: ...

    @overload
    def __getitem__(self, item: slice) -> "Dataset": ...

    def __getitem__(self, item: Union[str, int, slice]) -> "Union[Utterance, Dataset]":
        """An utterance by its key or its number, or those of a slice as a data set. Formats without
        an index are read once and kept in memory.

        :raises KeyMissing: there is no such key.
        :raises IndexError: there is no such number.
        """
        if isinstance(item, slice):
            return self._sliced(item, self.__len__)
        table = self._by_key()
        return table.utterance(item if isinstance(item, str) else table.at(item))

    def __contains__(self, key: object) -> bool:
        return key in self._by_key()

    def keys(self) -> List[str]:
        """All keys, in order.

        >>> import spr_convert as spr
        >>> spr.open(FBANK).keys()[:2]
        ['ann-001', 'ann-002']
        """
        return list(self._by_key())

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Dataset):
            return NotImplemented
        return self._plan == other._plan and self._settings == other._settings

    def __hash__(self) -> int:
        return hash(self._plan)

    def __reduce__(self) -> Tuple[Any, ...]:
        return type(self), (self._plan, self._settings, None, self._passes)

    def explain(self) -> str:
        """What is read, as what it is taken, and what happens in which order, a line each.

        >>> import spr_convert as spr
        >>> print(spr.open(FBANK).context(5).explain().splitlines()[-1])
        stages: context(5,5)
        """
        lines = _native.explain(self._plan, self._settings)
        return "\n".join(f"{what}: {how}" for what, how in lines)

    def __repr__(self) -> str:
        of = ", ".join(self._plan.names)
        short = f"<Dataset of {of}{''.join(' | ' + step for step in self._plan.steps)}>"
        if self._plan.data is not None or not self._can_reopen() or "|" in of:
            return _shown(short)
        try:
            return "\n".join(map(_shown, self.explain().splitlines()))
        except Error as error:
            return f"{_shown(short)}, which can't be opened: {error}"

    def stage(self, text: str) -> "Dataset":
        """Any chain of stages as the command line has them: ``"shuffle(1000,seed=1)|context(5)"``.

        ``spr_convert.stages()`` lists them all.

        >>> import spr_convert as spr
        >>> len(spr.open(FBANK).stage("first(3)|context(5)"))
        3
        """
        if not text:
            return self
        plan = self._plan.stage(text)
        ds = self._handed_on()
        if ds._fresh is not None:
            ds._fresh.then(text, self._passes)
        ds._plan = plan
        return ds

    def _handed_on(self) -> "Dataset":
        """The same for another owner; what can be read only once is read by that from here on."""
        fresh = self._fresh
        if fresh is not None and fresh.is_current() and not fresh.is_lasting():
            self._fresh = None
        else:
            fresh = None
        return Dataset(self._plan, self._settings, fresh, self._passes)

    def _of_share(self, index: int, count: int) -> "Dataset":
        """One of several equal shares, for a worker."""
        if self._plan.limited == "shard":
            raise UsageError("shares are dealt out by rank and worker", kind="usage")
        return Dataset(self._plan.of_share(index, count), self._settings, None, self._passes)

    def _of_keys(self, keys: List[str]) -> "Dataset":
        return self.select(keys)

    def _shown(self, count: int, columns: List[str]) -> Optional[Dict[str, List[Any]]]:
        if self._plan.data is not None or not self._can_reopen() or not self._lasts():
            return None
        return self.first(count).table(columns)

    def join(
        self,
        *,
        labels: Optional[PathLike] = None,
        text: Optional[PathLike] = None,
        speakers: Optional[PathLike] = None,
        tolerance: int = 0,
    ) -> "Dataset":
        """The same with what other data have of its utterances, by key.

        :param labels: a data set with labels; by speaker if it is stored so and ``speakers`` is given.
        :param text: a data set with transcripts.
        :param speakers: a table of lines ``utterance speaker``.
        :param tolerance: how many labels more or fewer than frames there may be.

        >>> import spr_convert as spr
        >>> spr.open(FBANK).join(labels=ALI)["ann-001"].labels.shape
        (291,)
        """
        plan = self._plan.join(
            None if labels is None else _arguments.path(labels),
            None if text is None else _arguments.path(text),
            None if speakers is None else _arguments.path(speakers),
            _arguments.count("tolerance", tolerance),
        )
        return Dataset(plan, self._settings, None, self._passes)

    def _job(self) -> _native.Plan:
        """What a job reads, which opens it for itself."""
        data = self._plan.data
        if data is not None and hasattr(data[1], "read"):
            hint = "loop over it, and use Writer"
            raise UsageError("can be read only once", kind="usage", file=data[0], hint=hint)
        return self._plan

    def write(self, output: Any, **how: "Unpack[Writing]") -> Outcome:
        """Writes it, as :func:`spr_convert.convert` does, which describes the arguments and has their
        defaults: ``to``, ``output_options``, ``labels_out``, ``dtype``, ``allow_loss``,
        ``overwrite``, ``add``, ``dry_run``, ``verify``, ``hash``, ``sync``, ``threads``,
        ``progress``.

        >>> import spr_convert as spr
        >>> spr.open(FBANK).select("ann-*").write("ann.ark").utterances
        4
        """
        return _jobs.write(self._job(), self._settings, output, None, **how)

    def split(
        self,
        output: PathLike,
        *,
        parts: Optional[int] = None,
        frames: Optional[int] = None,
        train: Optional[float] = None,
        valid: Optional[float] = None,
        test: Optional[float] = None,
        by: Optional[str] = None,
        speakers: Optional[PathLike] = None,
        balance: Optional[str] = None,
        seed: int = 0,
        **how: "Unpack[Writing]",
    ) -> Outcome:
        """Writes it as several data sets; ``{part}`` in the name of the output stands for the number of
        the part, from 0, or for ``train``, ``valid`` and ``test``. :attr:`Outcome.parts` has what each
        got.

        :param parts: so many, of equal numbers of utterances.
        :param frames: as many as it takes for at most so many frames in each.
        :param train: a share of the utterances at random; the rest is ``valid``.
        :param valid: a share of the utterances at random, and ``test`` another; the rest is ``train``.
        :param by: ``"speaker"`` keeps all utterances of a speaker together.
        :param speakers: a table of lines ``utterance speaker``, by which they are kept together.
        :param balance: ``"seconds"`` if shares are shares of hours.
        :param how: as :meth:`write` has it.

        >>> import spr_convert as spr
        >>> outcome = spr.open(FBANK).split("{part}.ark", valid=0.25, seed=1)
        >>> [(part["name"], part["utterances"]) for part in outcome.parts]
        [('train', 9), ('valid', 3)]
        """
        rule = {
            "parts": parts,
            "frames": frames,
            "train": train,
            "valid": valid,
            "test": test,
            "by": by,
            "speakers": None if speakers is None else _arguments.path(speakers),
            "balance": balance,
            "seed": seed,
        }
        return _jobs.write(self._job(), self._settings, output, rule, **how)


def _shown(line: str) -> str:
    """A line that is not too long to be looked at."""
    return line if len(line) <= 1000 else f"{line[:1000]}…"


def merge(data: Iterable[Any], *, duplicates: str = "refuse") -> Dataset:
    """Several data sets as one, read one after the other; of paths, those that they name.

    :param duplicates: what becomes of a key that comes twice: ``refuse`` makes it an error, ``first``
        and ``last`` keep that one, ``keep`` all.

    >>> import spr_convert as spr
    >>> ds = spr.open(FBANK)
    >>> len(spr.merge([ds.select("ann-*"), ds.select("bob-*").first(1)]))
    5
    """
    all = [one if isinstance(one, Dataset) else open(one) for one in data]
    if not all:
        raise UsageError("there is nothing to merge", kind="usage")
    unique = {
        "refuse": ["unique"],
        "first": ["unique(first)"],
        "last": ["unique(last)"],
        "keep": [],
    }
    if duplicates not in unique:
        told = ", ".join(unique)
        raise UsageError(f"duplicates is one of {told}, not {duplicates!r}", kind="usage")
    settings = all[0]._settings
    if any(one._settings != settings for one in all):
        raise UsageError("what is merged is opened with the same settings", kind="usage")
    return Dataset(_native.Plan.merged([one._plan for one in all], unique[duplicates]), settings)


def open(
    data: Any,
    *,
    format: Optional[str] = None,
    options: Optional[Mapping[str, Any]] = None,
    labels: Optional[PathLike] = None,
    utt2spk: Optional[PathLike] = None,
    parts: Union[None, str, Iterable[str]] = None,
    samples: bool = True,
    shard: Optional[Tuple[int, int]] = None,
    on_error: str = "stop",
    allow_pipes: Optional[bool] = None,
    allow_urls: Union[bool, str, Iterable[str]] = False,
    max_alloc: Optional[int] = None,
    threads: int = 1,
) -> Dataset:
    """Opens a data set of any format.

    :param data: what the command line takes for an input, a path object, several of these, or
        ``bytes`` or a binary file object.
    :param format: the format, if its content shall not say it.
    :param options: options of the format, and PDNN's data options.
    :param labels: a data set whose labels join by key; with ``utt2spk`` by what that gives for it.
    :param utt2spk: a table of lines ``utterance speaker``.
    :param parts: what is wanted of utterances, of ``features``, ``labels``, ``audio``, ``segments``,
        ``text``, ``objects``, ``arrays``.
    :param samples: whether sound is loaded and decoded, wherever it is.
    :param shard: ``(index, count)``: one of several equal shares, as :meth:`Dataset.shard` deals them;
        formats go past the rest without reading it, where they can.
    :param on_error: ``"skip"`` passes over utterances at fault, with a :class:`DataWarning` each.
    :param allow_pipes: ``True`` runs commands that stand in files, ``False`` none at all, not even
        those that ``data`` names.
    :param allow_urls: servers and buckets that files may name besides their own; ``True`` for all of
        them.
    :param max_alloc: bytes that one object may take in memory.
    :param threads: with more than one, some formats decode ahead.
    :raises NotFound: it is not there.
    :raises DataError: no format fits, or the header is broken.
    :raises UsageError: an argument is wrong.

    >>> import spr_convert as spr
    >>> utt = next(iter(spr.open(FBANK, labels=ALI)))
    >>> utt.features.shape, utt.labels.shape
    ((291, 40), (291,))
    """
    how: Any = locals()
    if isinstance(data, Dataset):
        raise UsageError("is open already: its methods change what it gives", kind="usage")
    plan, settings = _arguments.reading(**how)
    return Dataset(plan, settings, _native.Stream(plan, settings, 0))
