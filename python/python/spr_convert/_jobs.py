"""Whole jobs: what the program does."""

from __future__ import annotations

from typing import Any, Callable, Dict, Iterable, List, Mapping, NamedTuple, Optional, Tuple, Union

from . import _arguments, _native
from ._arguments import PathLike
from ._errors import Error, UsageError


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
    #: What was lost, as allowed: ``kind``, ``utterances``, ``values``, ``of``, ``max_abs_err``.
    losses: List[Dict[str, Any]]
    #: A hash of what was written that does not depend on the format, if it was asked for.
    hash: Optional[str]
    seconds: float
    #: What each part of a split got: ``name``, ``utterances``, ``frames``, ``duration``.
    parts: List[Dict[str, Any]]


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
    output: PathLike,
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
    sync: bool = True,
    threads: int = 2,
    allow_pipes: Optional[bool] = None,
    max_alloc: Optional[int] = None,
    progress: Any = None,
) -> Outcome:
    """Converts data sets into one, as ``spr-convert IN... OUT`` does.

    The output appears whole at the end or not at all. What it can't hold is refused unless
    ``allow_loss`` names it.

    :param progress: a function that is called with a :class:`Progress` ten times a second, a bar
        such as ``tqdm()``, or ``True`` for one of tqdm's if that is installed, else a plain one. An exception in it, or Ctrl-C, ends the job, and nothing is written.
    :param stages: as :meth:`Dataset.stage` takes them.
    :param verify: reads the output back before it gets its name.
    :param sync: whether the output is put on the disk before it gets its name.
    :raises LossError: the target can't hold all of it.
    :raises Error: with its place, for all that can be wrong.

    >>> import spr_convert as spr
    >>> outcome = spr.convert(FBANK, "train.pfile", labels=ALI)
    >>> outcome.utterances, outcome.frames, outcome.source, outcome.target
    (12, 3111, 'kaldi', 'pfile')
    """
    asked = _arguments.asked(
        data,
        format=format,
        options=options,
        labels=labels,
        utt2spk=utt2spk,
        on_error=on_error,
        steps=[] if stages is None else [stages],
    )
    if asked["data"] is not None:
        raise UsageError("a conversion reads paths; use open() and Writer", kind="usage")
    settings = _arguments.settings(allow_pipes=allow_pipes, max_alloc=max_alloc)
    return write(
        asked,
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
        sync=sync,
        threads=threads,
        progress=progress,
    )


def write(
    asked: Dict[str, Any],
    settings: Dict[str, Any],
    output: PathLike,
    rule: Optional[Dict[str, Any]],
    *,
    to: Optional[str] = None,
    output_options: Optional[Mapping[str, Any]] = None,
    labels_out: Optional[PathLike] = None,
    dtype: Any = None,
    allow_loss: Union[None, str, Iterable[str]] = None,
    overwrite: bool = False,
    add: bool = False,
    dry_run: bool = False,
    verify: bool = False,
    hash: bool = False,
    sync: bool = True,
    threads: int = 2,
    progress: Any = None,
    damaged: bool = False,
) -> Outcome:
    """Writes what is asked for, split by a rule if there is one."""
    import json

    if asked["data"] is not None:
        raise UsageError("a job reads paths; loop over it, and use Writer", kind="usage")
    for name in ("parts", "shard"):
        if asked[name] is not None:
            message = f"a job reads all of its input; {name}= is for loops"
            raise UsageError(message, kind="usage", hint=f'use stage("{name}(...)")')
    wanted = _arguments.wanted(
        output,
        format=to,
        options=output_options,
        allow_loss=allow_loss,
        dtype=dtype,
        overwrite=overwrite,
        add=add,
    )
    conversion = {
        "labels_out": None if labels_out is None else _arguments.path(labels_out),
        # Faults are passed over by the job, which counts them.
        "skip": asked["skip"],
        "dry_run": dry_run,
        "verify": verify,
        "hash": hash,
        "rule": rule,
        "damaged": damaged,
    }
    own = _bar() if progress is True else None
    progress = progress if own is None else own
    try:
        told, skipped = _native.convert(
            {**asked, "skip": False},
            wanted,
            conversion,
            {**settings, "threads": threads, "sync": sync},
            _callback(progress),
        )
        if own is not None:
            own.update(json.loads(told)["utterances"] - own.n)
    finally:
        if own is not None:
            own.close()
    facts = json.loads(told)
    outcome = Outcome(
        facts["utterances"],
        facts["frames"],
        facts["bytes"],
        skipped,
        facts["from"],
        facts["to"],
        facts["losses"],
        facts["hash"],
        facts["seconds"],
        facts["parts"],
    )
    if own is None and hasattr(progress, "update"):
        progress.update(outcome.utterances - progress.n)
    return outcome


def info(
    data: PathLike,
    *,
    quick: bool = False,
    format: Optional[str] = None,
    options: Optional[Mapping[str, Any]] = None,
    allow_pipes: Optional[bool] = None,
) -> Dict[str, Any]:
    """What is in a data set: ``format``, ``utterances``, ``frames``, ``dim``, ``dtype``, ``kinds``,
    ``labels``, ``sample_rate``, … as ``spr-convert info --json`` tells it.

    :param quick: looks at headers only; the rest is ``None``.

    >>> import spr_convert as spr
    >>> facts = spr.info(FBANK)
    >>> facts["format"], facts["utterances"], facts["dim"], facts["dtype"]
    ('kaldi', 12, 40, 'f32')
    """
    asked = _arguments.asked(data, format=format, options=options)
    return facts(asked, _arguments.settings(allow_pipes=allow_pipes), quick)


def facts(asked: Dict[str, Any], settings: Dict[str, Any], quick: bool) -> Dict[str, Any]:
    """What is in the data that are asked for."""
    import json

    return dict(json.loads(_native.info(asked, settings, quick)))


def check(
    data: PathLike,
    *,
    labels: Optional[PathLike] = None,
    quick: bool = False,
    format: Optional[str] = None,
    options: Optional[Mapping[str, Any]] = None,
    allow_pipes: Optional[bool] = None,
) -> Checked:
    """Everything that is wrong with a data set, as ``spr-convert check`` tells it.

    >>> import spr_convert as spr
    >>> spr.check(FBANK).faults
    0
    """
    asked = _arguments.asked(data, format=format, options=options, labels=labels)
    return checked(asked, _arguments.settings(allow_pipes=allow_pipes), quick)


def checked(asked: Dict[str, Any], settings: Dict[str, Any], quick: bool) -> Checked:
    """What is wrong with the data that are asked for."""
    summary, findings = _native.check(asked, settings, quick)
    return Checked(*summary, [Finding(*finding) for finding in findings])


def diff(
    a: PathLike,
    b: PathLike,
    *,
    rtol: float = 0.0,
    atol: float = 0.0,
    by_key: bool = False,
    allow_pipes: Optional[bool] = None,
) -> Dict[str, Any]:
    """What two data sets differ in: ``same``, ``compared``, ``different``, ``findings``, … as
    ``spr-convert diff --json`` tells it.

    Values are the same if ``|a - b| <= atol + rtol * |b|``.

    :param by_key: compares utterances of the same key, whatever their order.
    """
    import json

    told = _native.diff(
        _arguments.asked(a),
        _arguments.asked(b),
        _arguments.settings(allow_pipes=allow_pipes),
        rtol,
        atol,
        by_key,
    )
    return dict(json.loads(told))


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
    asked = _arguments.asked(data, format=format, options=options)
    settings = _arguments.settings(allow_pipes=allow_pipes, max_alloc=max_alloc)
    return write(
        {**asked, "skip": True, "distinct": False},
        settings,
        output,
        None,
        to=to,
        output_options=output_options,
        overwrite=overwrite,
        add=add,
        progress=progress,
        damaged=True,
    )


def index(
    data: PathLike,
    output: Optional[PathLike] = None,
    *,
    overwrite: bool = False,
    format: Optional[str] = None,
) -> Optional[str]:
    """Writes what finds the utterances of a file without rewriting it: a script file, or a side file
    with names; its name, or ``None`` if it was there already."""
    asked = _arguments.asked(data, format=format)
    to = None if output is None else _arguments.path(output)
    written, _ = _native.index(asked, _arguments.settings(), to, overwrite)
    return written


def formats() -> List[Dict[str, Any]]:
    """All formats: ``name``, ``title``, ``extensions``, what each holds, and its ``options``."""
    import json

    return list(json.loads(_native.formats()))


def stages() -> List[Tuple[str, str]]:
    """All stages: how each is written, and what it does."""
    return _native.stages()
