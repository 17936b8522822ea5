"""Whole jobs: what the program does."""

from __future__ import annotations

from contextlib import nullcontext
from typing import (
    TYPE_CHECKING,
    Any,
    Callable,
    Dict,
    Iterable,
    List,
    Mapping,
    NamedTuple,
    Optional,
    Tuple,
    Union,
)

from . import _arguments, _files, _log, _native
from ._arguments import PathLike
from ._errors import Error, Loss, UsageError

if TYPE_CHECKING:
    from typing_extensions import Unpack

    from ._arguments import Writing


class Progress(NamedTuple):
    """How far a conversion is."""

    utterances: int
    frames: int
    #: Bytes read of the inputs as they are stored, and in all, where that is known.
    bytes: Optional[Tuple[int, int]]
    #: Entries read and in all, where that is known.
    entries: Optional[Tuple[int, int]]


class Outcome(NamedTuple):
    """What a conversion did."""

    utterances: int
    frames: int
    #: Bytes written, before any compression.
    bytes: int
    #: The errors of utterances that were passed over.
    skipped: List[Error]
    #: The formats read and written.
    source: str
    target: str
    #: What was lost, as allowed.
    losses: List[Loss]
    #: A hash of what was written that does not depend on the format, if it was asked for.
    hash: Optional[str]
    seconds: float
    #: What each part of a split got: ``name``, ``utterances``, ``frames``, ``duration``.
    parts: List[Dict[str, Any]]
    #: The output, with the number of the shard in its name.
    output: str
    #: The shard, from its ``record``: ``shard``, ``of``, ``utterances``, ``frames``, ``skipped``, and
    #: ``was_done`` if it was done before, so that nothing was written.
    shard: Optional[Dict[str, Any]]


class Finding(NamedTuple):
    """Something that :func:`check` found."""

    #: ``fault``, or ``note`` for what may be meant.
    severity: str
    #: ``damage``, ``duplicate``, ``values``, …
    sort: str
    #: What and where it is, and what to do about it.
    error: Error


class Checked(NamedTuple):
    """What :func:`check` checked and found."""

    format: str
    utterances: int
    frames: int
    #: How many things are wrong, and how many may be meant; of very many of a sort not all are told.
    faults: int
    notes: int
    findings: List[Finding]


class _Counter:
    """A bar for where tqdm is not installed: a line of the terminal that counts."""

    def __init__(self) -> None:
        self.n, self.total = 0, None

    def update(self, more: int) -> None:
        import sys

        self.n += more
        of = "" if self.total is None else f" of {self.total}"
        sys.stderr.write(f"\r{self.n}{of} utterances")
        sys.stderr.flush()

    def close(self) -> None:
        import sys

        sys.stderr.write("\n")


def _bar() -> Any:
    """A bar of tqdm, or one of our own."""
    try:
        from tqdm.auto import tqdm
    except ImportError:
        return _Counter()
    return tqdm(unit=" utterances")


def _callback(progress: Any) -> Optional[Callable[..., Any]]:
    """What is called with numbers, of a function of a Progress or a progress bar."""
    if progress is None or progress is False:
        return None
    if hasattr(progress, "update"):
        # A bar such as tqdm's counts utterances.
        def follow(utterances: int, frames: int, bytes: Any, entries: Any) -> None:
            if entries is not None and progress.total is None:
                progress.total = entries[1]
            progress.update(utterances - progress.n)

        return follow
    return lambda *so_far: progress(Progress(*so_far))


def convert(
    data: Any,
    output: Any,
    *,
    format: Optional[str] = None,
    options: Optional[Mapping[str, Any]] = None,
    to: Optional[str] = None,
    output_options: Optional[Mapping[str, Any]] = None,
    labels: Optional[PathLike] = None,
    utt2spk: Optional[PathLike] = None,
    labels_out: Optional[PathLike] = None,
    stages: Optional[str] = None,
    dtype: Any = None,
    allow_loss: Union[None, str, Iterable[str]] = None,
    on_error: str = "stop",
    overwrite: bool = False,
    add: bool = False,
    dry_run: bool = False,
    verify: bool = False,
    hash: bool = False,
    error_log: Optional[PathLike] = None,
    report: Optional[PathLike] = None,
    shard: Optional[Tuple[int, int]] = None,
    resume: Union[bool, str] = False,
    sync: bool = True,
    threads: int = 2,
    allow_pipes: Optional[bool] = None,
    allow_urls: Union[bool, str, Iterable[str]] = False,
    max_alloc: Optional[int] = None,
    progress: Any = None,
) -> Outcome:
    """Converts data sets into one, as ``spr-convert IN... OUT`` does.

    The output appears whole at the end or not at all. What it can't hold is refused unless
    ``allow_loss`` names it.

    :param output: what the command line takes for an output, or a binary file, which is handed all of
        it at the end; ``to`` names the format then.
    :param progress: a function that is called with a :class:`Progress` ten times a second, a bar
        such as ``tqdm()``, or ``True`` for one of tqdm's if that is installed, else a plain one. An exception in it, or Ctrl-C, ends the job, and nothing is written.
    :param stages: as :meth:`Dataset.stage` takes them.
    :param verify: reads the output back before it gets its name.
    :param error_log: a file that gets a line of JSON for each skipped utterance.
    :param report: a file that gets the outcome as JSON. It gets its name together with the output.
    :param shard: ``(number, count)``: converts one of several consecutive runs of the input, counted
        from 1, as ``--shard`` does. The number replaces ``{shard}`` in the names of all files, or is
        added to them. A record next to the output says that the shard is done.
    :param resume: returns at once if the record says that the shard is done; ``"verify"`` converts it
        again to compare the bytes.
    :param sync: whether the output is put on the disk before it gets its name.
    :raises LossError: the target can't hold all of it.
    :raises Error: with its place, for all that can be wrong.

    >>> import spr_convert as spr
    >>> outcome = spr.convert(FBANK, "train.pfile", labels=ALI)
    >>> outcome.utterances, outcome.frames, outcome.source, outcome.target
    (12, 3111, 'kaldi', 'pfile')
    >>> for number in (1, 2):
    ...     outcome = spr.convert(FBANK, "half.ark", shard=(number, 2), report="half.json", resume=True)
    ...     print(outcome.output, outcome.utterances)
    half-00001-of-00002.ark 6
    half-00002-of-00002.ark 6
    """
    plan, settings = _arguments.reading(
        data,
        format=format,
        options=options,
        labels=labels,
        utt2spk=utt2spk,
        on_error=on_error,
        allow_pipes=allow_pipes,
        allow_urls=allow_urls,
        max_alloc=max_alloc,
    )
    return write(
        plan if stages is None else plan.stage(stages),
        settings,
        output,
        None,
        to=to,
        output_options=output_options,
        labels_out=labels_out,
        dtype=dtype,
        allow_loss=allow_loss,
        overwrite=overwrite,
        add=add,
        dry_run=dry_run,
        verify=verify,
        hash=hash,
        error_log=error_log,
        report=report,
        shard=shard,
        resume=resume,
        sync=sync,
        threads=threads,
        progress=progress,
    )


def write(
    plan: _native.Plan,
    settings: Dict[str, Any],
    output: Any,
    rule: Optional[Dict[str, Any]],
    damaged: bool = False,
    **how: "Unpack[Writing]",
) -> Outcome:
    """Writes what is asked for, split by a rule if there is one."""
    name = plan.limited
    if name is not None:
        message = f"a job reads all of its input; {name}= is for loops"
        raise UsageError(message, kind="usage", hint=f'use stage("{name}(...)")')
    rest: Any = dict(how)
    progress: Any = rest.pop("progress", None)
    delivery = _files.delivery(output, rest.get("overwrite", False), rest.get("to"))
    if rule is not None and delivery is not None:
        delivery.abandon()
        raise UsageError("a split writes several files, which need paths", kind="usage")
    if rest.get("shard") is not None and delivery is not None:
        delivery.abandon()
        raise UsageError(
            "a shard has a record next to its output, which needs a path", kind="usage"
        )
    wanted, conversion, surroundings = _arguments.writing(
        output if delivery is None else delivery.path, **rest
    )
    conversion.update(rule=rule, damaged=damaged)
    with nullcontext() if delivery is None else delivery.naming(), _files.fetched(plan) as source:
        outcome = _run(source, wanted, conversion, {**settings, **surroundings}, progress)
        if delivery is not None:
            (delivery.abandon if conversion["dry_run"] else delivery.finish)()
    _log.job(plan, delivery.name if delivery else wanted["path"], outcome)
    return outcome


def _run(
    plan: _native.Plan,
    wanted: Dict[str, Any],
    conversion: Dict[str, Any],
    settings: Dict[str, Any],
    progress: Any,
) -> Outcome:
    """Runs a job, and shows its progress."""
    import json

    own = _bar() if progress is True else None
    progress = progress if own is None else own
    try:
        told, skipped = _native.convert(plan, wanted, conversion, settings, _callback(progress))
        facts = json.loads(told)
        if hasattr(progress, "update"):
            progress.update(facts["utterances"] - progress.n)
    finally:
        if own is not None:
            own.close()
    return Outcome(
        facts["utterances"],
        facts["frames"],
        facts["bytes"],
        skipped,
        facts["from"],
        facts["to"],
        [_loss(**line) for line in facts["losses"]],
        facts["hash"],
        facts["seconds"],
        facts["parts"],
        facts["output"],
        facts["shard"],
    )


def _loss(max_abs_err: Optional[float], **line: Any) -> Loss:
    # JSON has no infinite numbers.
    return Loss(max_abs_err=float("inf") if max_abs_err is None else max_abs_err, **line)


def info(
    data: PathLike,
    *,
    quick: bool = False,
    format: Optional[str] = None,
    options: Optional[Mapping[str, Any]] = None,
    allow_pipes: Optional[bool] = None,
    allow_urls: Union[bool, str, Iterable[str]] = False,
) -> Dict[str, Any]:
    """What is in a data set: ``format``, ``utterances``, ``frames``, ``dim``, ``dtype``, ``kinds``,
    ``labels``, ``sample_rate``, … as ``spr-convert info --json`` tells it.

    :param quick: looks at headers only; the rest is ``None``.

    >>> import spr_convert as spr
    >>> facts = spr.info(FBANK)
    >>> facts["format"], facts["utterances"], facts["dim"], facts["dtype"]
    ('kaldi', 12, 40, 'f32')
    """
    plan, settings = _arguments.reading(
        data, format=format, options=options, allow_pipes=allow_pipes, allow_urls=allow_urls
    )
    return facts(plan, settings, quick)


def facts(plan: _native.Plan, settings: Dict[str, Any], quick: bool) -> Dict[str, Any]:
    """What is in the data that are asked for."""
    import json

    with _files.fetched(plan) as source:
        return dict(json.loads(_native.info(source, settings, quick)))


def check(
    data: PathLike,
    *,
    labels: Optional[PathLike] = None,
    quick: bool = False,
    format: Optional[str] = None,
    options: Optional[Mapping[str, Any]] = None,
    allow_pipes: Optional[bool] = None,
    allow_urls: Union[bool, str, Iterable[str]] = False,
) -> Checked:
    """Everything that is wrong with a data set, as ``spr-convert check`` tells it.

    >>> import spr_convert as spr
    >>> spr.check(FBANK).faults
    0
    """
    plan, settings = _arguments.reading(
        data,
        format=format,
        options=options,
        labels=labels,
        allow_pipes=allow_pipes,
        allow_urls=allow_urls,
    )
    return checked(plan, settings, quick)


def checked(plan: _native.Plan, settings: Dict[str, Any], quick: bool) -> Checked:
    """What is wrong with the data that are asked for."""
    with _files.fetched(plan) as source:
        summary, findings = _native.check(source, settings, quick)
    return Checked(*summary, [Finding(*finding) for finding in findings])


def diff(
    a: PathLike,
    b: PathLike,
    *,
    rtol: float = 0.0,
    atol: float = 0.0,
    by_key: bool = False,
    allow_pipes: Optional[bool] = None,
    allow_urls: Union[bool, str, Iterable[str]] = False,
) -> Dict[str, Any]:
    """What two data sets differ in: ``same``, ``compared``, ``different``, ``findings``, … as
    ``spr-convert diff --json`` tells it.

    Values are the same if ``|a - b| <= atol + rtol * |b|``.

    :param by_key: compares utterances of the same key, whatever their order.

    >>> import spr_convert as spr
    >>> _ = spr.convert(FBANK, "half.npz", dtype="f16", allow_loss="precision")
    >>> spr.diff(FBANK, "half.npz")["same"], spr.diff(FBANK, "half.npz", rtol=1e-3)["same"]
    (False, True)
    """
    plan, settings = _arguments.reading(a, allow_pipes=allow_pipes, allow_urls=allow_urls)
    return differences(plan, _arguments.plan(b), settings, rtol, atol, by_key)


def differences(
    one: _native.Plan,
    other: _native.Plan,
    settings: Dict[str, Any],
    rtol: float,
    atol: float,
    by_key: bool,
) -> Dict[str, Any]:
    """What two that are asked for differ in."""
    import json

    with _files.fetched(one) as a, _files.fetched(other) as b:
        return dict(json.loads(_native.diff(a, b, settings, rtol, atol, by_key)))


def repair(
    data: PathLike,
    output: PathLike,
    *,
    format: Optional[str] = None,
    options: Optional[Mapping[str, Any]] = None,
    to: Optional[str] = None,
    output_options: Optional[Mapping[str, Any]] = None,
    overwrite: bool = False,
    add: bool = False,
    allow_pipes: Optional[bool] = None,
    allow_urls: Union[bool, str, Iterable[str]] = False,
    max_alloc: Optional[int] = None,
    progress: Any = None,
) -> Outcome:
    """Writes what is whole of damaged data, as ``spr-convert repair`` does; what was lost is in
    :attr:`Outcome.skipped`.

    >>> import pathlib, spr_convert as spr
    >>> whole = spr.open(FBANK).write("whole.ark")
    >>> _ = pathlib.Path("cut.ark").write_bytes(pathlib.Path("whole.ark").read_bytes()[:-100])
    >>> outcome = spr.repair("cut.ark", "good.ark")
    >>> outcome.utterances, [error.kind for error in outcome.skipped]
    (11, ['truncated'])
    """
    plan, settings = _arguments.reading(
        data,
        format=format,
        options=options,
        on_error="skip",
        allow_pipes=allow_pipes,
        allow_urls=allow_urls,
        max_alloc=max_alloc,
    )
    return write(
        plan,
        settings,
        output,
        None,
        damaged=True,
        to=to,
        output_options=output_options,
        overwrite=overwrite,
        add=add,
        progress=progress,
    )


def index(
    data: PathLike,
    output: Optional[PathLike] = None,
    *,
    overwrite: bool = False,
    format: Optional[str] = None,
) -> Optional[str]:
    """Writes what finds the utterances of a file without rewriting it: a script file, or a side file
    with names; its name, or ``None`` if it was there already.

    >>> import spr_convert as spr
    >>> _ = spr.convert(FBANK, "named.ark")
    >>> spr.index("named.ark")
    'named.scp'
    """
    plan, settings = _arguments.reading(data, format=format)
    to = None if output is None else _arguments.path(output)
    written, _ = _native.index(plan, settings, to, overwrite)
    return written


def formats() -> List[Dict[str, Any]]:
    """All formats: ``name``, ``title``, ``extensions``, what each holds, and its ``options``.

    >>> import spr_convert as spr
    >>> [told["name"] for told in spr.formats() if "pfile" in told["extensions"]]
    ['pfile']
    """
    import json

    return list(json.loads(_native.formats()))


def stages() -> List[Tuple[str, str]]:
    """All stages: how each is written, and what it does.

    >>> import spr_convert as spr
    >>> [how for how, what in spr.stages() if how.startswith("context")]
    ['context(N) or context(LEFT,RIGHT)']
    """
    return _native.stages()
