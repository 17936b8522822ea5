"""From what callers give to what the native part takes."""

from __future__ import annotations

import operator
import os
from typing import (
    TYPE_CHECKING,
    Any,
    Dict,
    Iterable,
    List,
    Mapping,
    Optional,
    Tuple,
    TypedDict,
    Union,
)

from . import _files, _native
from ._errors import UsageError

if TYPE_CHECKING:
    from typing_extensions import Unpack

#: A path, or anything that the command line takes for one.
PathLike = Union[str, "os.PathLike[str]"]


class Reading(TypedDict, total=False):
    """The keywords of :func:`spr_convert.open`, which has their defaults."""

    format: Optional[str]
    options: Optional[Mapping[str, Any]]
    labels: Optional[PathLike]
    utt2spk: Optional[PathLike]
    parts: Union[None, str, Iterable[str]]
    samples: bool
    shard: Optional[Tuple[int, int]]
    on_error: str
    allow_pipes: Optional[bool]
    allow_urls: Union[bool, str, Iterable[str]]
    max_alloc: Optional[int]
    threads: int


class Writing(TypedDict, total=False):
    """The keywords of :meth:`spr_convert.Dataset.write`. :func:`spr_convert.convert` has their
    defaults."""

    to: Optional[str]
    output_options: Optional[Mapping[str, Any]]
    labels_out: Optional[PathLike]
    dtype: Any
    allow_loss: Union[None, str, Iterable[str]]
    overwrite: bool
    add: bool
    dry_run: bool
    verify: bool
    hash: bool
    sync: bool
    threads: int
    progress: Any


def path(value: Any) -> str:
    """A path as the command line takes it."""
    text: Union[str, bytes] = os.fspath(value)
    return os.fsdecode(text) if isinstance(text, bytes) else text


def _option(value: Any) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)


def _options(options: Optional[Mapping[str, Any]]) -> List[Tuple[str, str]]:
    return [(key, _option(value)) for key, value in (options or {}).items()]


def names(value: Union[None, str, Iterable[str]]) -> List[str]:
    """Words that are given as one string with commas, or one by one."""
    if value is None:
        return []
    return value.split(",") if isinstance(value, str) else list(value)


def texts(what: str, values: Union[str, Iterable[str]]) -> List[str]:
    """One string, or several."""
    if isinstance(values, str):
        return [values]
    told = list(values) if hasattr(values, "__iter__") else [values]
    wrong = [value for value in told if not isinstance(value, str)]
    if wrong:
        raise UsageError(f"{what} are strings, not {type(wrong[0]).__name__}", kind="usage")
    return [str(value) for value in told]


def count(what: str, value: Any) -> int:
    """A whole number that is not negative."""
    try:
        number = operator.index(value)
    except TypeError:
        number = -1
    if not 0 <= number < 1 << 63:
        raise UsageError(f"{what} is a whole number from 0, not {value!r}", kind="usage")
    return number


def _share(shard: Any) -> Tuple[int, int]:
    try:
        index, parts = shard
    except (TypeError, ValueError):
        raise UsageError(f"shard is (number, of how many), not {shard!r}", kind="usage") from None
    return count("the number of a shard", index), count("the number of shards", parts)


def _flag(what: str, value: Any) -> bool:
    if not isinstance(value, bool):
        raise UsageError(f"{what} is True or False, not {value!r}", kind="usage")
    return value


def _skips(on_error: str) -> bool:
    if on_error not in ("stop", "skip"):
        raise UsageError(f"on_error is 'stop' or 'skip', not {on_error!r}", kind="usage")
    return on_error == "skip"


def reading(data: Any, **how: "Unpack[Reading]") -> Tuple[_native.Plan, Dict[str, Any]]:
    """What is to be read, and the surroundings of the call."""
    around = ("allow_pipes", "allow_urls", "max_alloc", "threads")
    told: Dict[str, Any] = dict(how)
    surroundings = {name: told.pop(name) for name in around if name in told}
    return plan(data, **told), settings(**surroundings)


def plan(
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
) -> _native.Plan:
    """What is to be read."""
    paths: List[str] = []
    memory: Any = None
    data = _files.url(data) or data
    if isinstance(data, (bytes, bytearray, memoryview)):
        memory = ("bytes in memory", bytes(data))
    elif isinstance(data, _files.Url) or _files.is_file(data):
        memory = (_files.name(data), data)
    elif isinstance(data, (list, tuple)):
        paths = [path(one) for one in data]
    else:
        paths = [path(data)]
    if memory is not None and labels is not None:
        raise UsageError("labels join data that are named by a path", kind="usage")
    made = _native.Plan(
        paths,
        memory,
        format,
        _options(options),
        None if parts is None else names(parts),
        samples,
        None if shard is None else _share(shard),
        _skips(on_error),
    )
    if labels is None and utt2spk is None:
        return made
    return made.join(
        None if labels is None else path(labels),
        None,
        None if utt2spk is None else path(utt2spk),
        0,
    )


def wanted(
    output: PathLike,
    *,
    format: Optional[str] = None,
    options: Optional[Mapping[str, Any]] = None,
    allow_loss: Union[None, str, Iterable[str]] = None,
    dtype: Any = None,
    overwrite: bool = False,
    add: bool = False,
) -> Dict[str, Any]:
    """What is to be written."""
    return {
        "path": path(output),
        "format": format,
        "options": _options(options),
        "allow_loss": names(allow_loss),
        "dtype": None if dtype is None else _dtype(dtype),
        "overwrite": _flag("overwrite", overwrite),
        "add": _flag("add", add),
    }


def writing(
    output: Any,
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
) -> Tuple[Dict[str, Any], Dict[str, Any], Dict[str, Any]]:
    """What a job is to write, how it does that, and what it changes of the surroundings."""
    target = wanted(
        output,
        format=to,
        options=output_options,
        allow_loss=allow_loss,
        dtype=dtype,
        overwrite=overwrite,
        add=add,
    )
    conversion = {
        "labels_out": None if labels_out is None else path(labels_out),
        "dry_run": dry_run,
        "verify": verify,
        "hash": hash,
    }
    return target, conversion, {"threads": count("threads", threads), "sync": sync}


def _dtype(value: Any) -> str:
    """The name of an element type: ``f32``, ``float32``, ``numpy.float32``."""
    if not isinstance(value, str):
        import numpy as np

        value = str(np.dtype(value).name)
    name: str = value
    for long, short in (("float", "f"), ("uint", "u"), ("int", "i")):
        if name.startswith(long):
            return short + name[len(long) :]
    return name


def settings(
    *,
    allow_pipes: Optional[bool] = None,
    allow_urls: Union[bool, str, Iterable[str]] = False,
    max_alloc: Optional[int] = None,
    threads: int = 1,
    sync: bool = True,
) -> Dict[str, Any]:
    """The surroundings of a call."""
    return {
        "allow_pipes": allow_pipes,
        # None: all of them.
        "allow_urls": None if allow_urls is True else names(allow_urls or None),
        "max_alloc": None if max_alloc is None else count("max_alloc", max_alloc),
        "threads": count("threads", threads),
        "sync": sync,
    }
