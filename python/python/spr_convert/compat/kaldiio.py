"""The calls of kaldiio, over spr_convert: ``from spr_convert.compat import kaldiio``.

What differs is told in ``docs/coming-from-python.md``: arrays can be written to, a damaged file is an
error, pickles are refused, and commands that stand in script files run only where ``allow_pipes``, or
the environment's ``SPR_CONVERT_ALLOW_PIPES=1``, says so.
"""

from __future__ import annotations

import os
import re
import sys
import types
from contextlib import contextmanager
from typing import Any, Dict, Iterator, List, Mapping, Optional, Tuple, Union

from .._dataset import open as _open
from .._errors import DataError, KeyMissing, UsageError
from .._utterance import Utterance
from . import _sound
from ._names import open_like_kaldi, parse_specifier
from ._table import (
    ClosingWriter,
    Values,
    at,
    compression,
    encoded,
    entries,
    entry,
    is_sound,
    read,
    table,
    value_of,
)
from ._table import decoded as _decoded

__all__ = [
    "ReadHelper",
    "WriteHelper",
    "allow_pipes",
    "load_ark",
    "load_mat",
    "load_scp",
    "load_scp_sequential",
    "load_segments",
    "load_wav_scp",
    "matio",
    "open_like_kaldi",
    "parse_specifier",
    "read_kaldi",
    "read_token",
    "save_ark",
    "save_mat",
    "utils",
]

#: Whether commands that stand in script files run.
allow_pipes: bool = os.environ.get("SPR_CONVERT_ALLOW_PIPES", "") == "1"


def _is_open(file: Any) -> bool:
    return hasattr(file, "read") or hasattr(file, "write")


def load_ark(fname: Any) -> Iterator[Tuple[str, Any]]:
    """The entries of an archive: a path, a command with ``|`` or an open binary file."""
    with _opened(fname) as file:
        if file is not None and _sound.starts_with_frame(file):
            yield from _sound.read_frames(file)
            return
    yield from entries(read(fname, "ark", allow_pipes))


@contextmanager
def _opened(fname: Any) -> Iterator[Any]:
    """The file if it can be gone back in."""
    if _is_open(fname):
        yield fname if fname.seekable() else None
    elif os.path.isfile(fname):
        with open(fname, "rb") as file:
            yield file
    else:
        yield None


_PLACE = re.compile(r"(?P<path>.*?)(:(?P<byte>[0-9]+))?$")


def load_mat(ark_name: str, endian: str = "<", fd_dict: Any = None) -> Any:
    """What is at a place as script files name it: ``a.ark:1234``, ``a.ark:12[0:99]``, ``x.wav``,
    ``cmvn.mat``, ``sox x.flac -t wav - |``; an array, or ``(rate, samples)``."""
    _check_endian(endian)
    found = _PLACE.match(ark_name.strip())
    path = found.group("path") if found else ark_name
    if os.path.isfile(path):
        with open(path, "rb") as file:
            file.seek(int(found.group("byte") or 0) if found else 0)
            if _sound.is_frame(file):
                return _sound.read_frame(file)
    return value_of(at(ark_name, allow_pipes))


def _is_framed(path: Any) -> bool:
    """Whether the first entry of a script file is such sound."""
    if not isinstance(path, (str, os.PathLike)) or not os.path.isfile(path):
        return False
    for _, place in _places(path):
        found = _PLACE.match(place)
        if found is None or not os.path.isfile(found.group("path")):
            return False
        with open(found.group("path"), "rb") as file:
            file.seek(int(found.group("byte") or 0))
            return _sound.is_frame(file)
    return False


def _places(path: Any, separator: Optional[str] = None) -> Iterator[Tuple[str, str]]:
    """Keys and places of a script file, between which a blank or the separator stands."""
    with open_like_kaldi(os.fspath(path)) as lines:
        for number, line in enumerate(lines, 1):
            if line.strip():
                key, *place = line.strip().split(separator, 1)
                if not place:
                    message = f"the line has no {separator or 'blank'!r} behind a key"
                    raise DataError(message, kind="malformed", file=str(path), line=number)
                yield key.strip(), place[0].strip()


def load_segments(path: Any) -> List[Tuple[str, str, float, float]]:
    """The lines of a segments file: ``(key, recording, start, end)``."""
    with open(path, encoding="utf-8") as lines:
        words = [line.split() for line in lines if line.strip()]
    return [(key, recording, float(start), float(end)) for key, recording, start, end in words]


class _Listed(Mapping):  # type: ignore[type-arg]
    """A mapping like :class:`spr_convert.Table`, whose values are read here."""

    # As tables do, by identity.
    __eq__ = object.__eq__
    __hash__ = object.__hash__

    def __init__(self, told: Dict[str, Any], *made_from: Any) -> None:
        self._told, self._made_from = told, made_from

    def _of(self, key: str) -> Any:
        """What is known of a key."""
        if key not in self._told:
            raise KeyMissing("there is no such utterance", kind="missing", key=key)
        return self._told[key]

    def __iter__(self) -> Iterator[str]:
        return iter(self._told)

    def __len__(self) -> int:
        return len(self._told)

    def __contains__(self, key: object) -> bool:
        return key in self._told

    def at(self, index: int) -> str:
        """The key of a number, counted from 0, or back from the end."""
        return list(self._told)[index]

    def utterance(self, key: str) -> Utterance:
        """The whole utterance of a key."""
        return entry(key, self[key])

    def __reduce__(self) -> Tuple[Any, ...]:
        return type(self), self._made_from

    def __repr__(self) -> str:
        return f"<Table of {' by '.join(str(part) for part in self._made_from if part)}>"


class _Places(_Listed):
    """A script file whose entries are sound files inside archives, or that has a separator."""

    def __init__(self, script: Any, separator: Optional[str] = None) -> None:
        super().__init__(dict(_places(script, separator)), script, separator)

    def __getitem__(self, key: str) -> Any:
        return load_mat(self._of(key))


class _Segments(_Listed):
    """The segments of a segments file, cut out of the recordings of a script file."""

    def __init__(self, script: Any, segments: Any, separator: Optional[str] = None) -> None:
        cuts = {key: (of, start, end) for key, of, start, end in load_segments(segments)}
        super().__init__(cuts, script, segments, separator)
        self._recordings = load_scp(script, separator=separator)
        self._last: Tuple[Optional[str], Any] = (None, None)

    def __getitem__(self, key: str) -> Tuple[int, Any]:
        recording, start, end = self._of(key)
        if self._last[0] != recording:
            self._last = (recording, self._recordings[recording])
        value = self._last[1]
        if not is_sound(value):
            raise ValueError(f"{recording} is not sound, of which segments can be cut")
        rate, samples = value
        last = len(samples) if end < 0 else int(end * rate)
        return rate, samples[int(start * rate) : last]


def _check_endian(endian: str) -> None:
    if endian != "<":
        raise UsageError("numbers are little endian: endian is '<'", kind="usage")


def load_scp(
    fname: Any,
    endian: str = "<",
    separator: Optional[str] = None,
    segments: Optional[str] = None,
    max_cache_fd: int = 0,
) -> Union[Values, _Listed]:
    """A script file as a lazy mapping. With ``segments`` its keys are those of the segments.

    :param separator: what stands between key and place in a line; a blank if nothing is said.
    """
    _check_endian(endian)
    if segments is not None:
        return _Segments(fname, segments, separator)
    if separator is not None or _is_framed(fname):
        return _Places(fname, separator)
    return table(fname, allow_pipes)


def load_scp_sequential(
    fname: Any,
    endian: str = "<",
    separator: Optional[str] = None,
    segments: Optional[str] = None,
) -> Iterator[Tuple[str, Any]]:
    """The entries of a script file in their order; arguments as :func:`load_scp` has them."""
    _check_endian(endian)
    if segments is not None:
        return iter(_Segments(fname, segments, separator).items())
    if separator is not None or _is_framed(fname):
        return ((key, load_mat(place)) for key, place in _places(fname, separator))
    return entries(read(fname, "scp", allow_pipes))


def load_wav_scp(
    fname: Any, segments: Optional[str] = None, separator: Optional[str] = None, **unused: Any
) -> Union[Values, _Listed]:
    """The same as :func:`load_scp`."""
    return load_scp(fname, separator=separator, segments=segments)


class ReadHelper:
    """The entries of an rspecifier: ``ark:feats.ark``, ``scp:feats.scp``, ``ark:cmd |``, ``ark:-``."""

    def __init__(self, rspecifier: str, segments: Optional[str] = None) -> None:
        told = parse_specifier(rspecifier)
        if told["ark"] is not None and told["scp"] is not None:
            raise ValueError(f"{rspecifier!r} names two inputs")
        if segments is not None and told["scp"] is None:
            raise ValueError("segments are cut out of what a script file names: scp:wav.scp")
        self._rspecifier, self._segments, self._told = rspecifier, segments, told
        self.closed = False

    def __iter__(self) -> Iterator[Tuple[str, Any]]:
        scp, ark = self._told["scp"], self._told["ark"]
        if self._told["p"] or "-" in (scp, ark):
            return entries(_open(self._rspecifier, allow_pipes=allow_pipes or None))
        if scp is not None:
            return load_scp_sequential(scp, segments=self._segments)
        return load_ark(ark)

    def close(self) -> None:
        """Ends it."""
        self.closed = True

    def __enter__(self) -> "ReadHelper":
        return self

    def __exit__(self, kind: Any, error: Any, trace: Any) -> None:
        self.close()


class WriteHelper(ClosingWriter):
    """Writes to a wspecifier: ``with WriteHelper("ark,scp:a.ark,a.scp") as w: w("key", array)``, or
    ``w["key"] = array``."""

    def __init__(
        self,
        wspecifier: str,
        compression_method: Optional[int] = None,
        write_function: Optional[str] = None,
        write_kwargs: Optional[Dict[str, Any]] = None,
    ) -> None:
        told = parse_specifier(wspecifier)
        if told["ark"] is None:
            raise ValueError(f"{wspecifier!r} names no archive to write")
        self._frames: Optional[_sound.Frames] = None
        if write_function is not None:
            self._process, self._writer = os.getpid(), None
            self._frames = _sound.Frames(told["ark"], told["scp"], write_function, write_kwargs)
            return
        super().__init__(wspecifier, options=compression(compression_method))

    def _is_open(self) -> bool:
        return super()._is_open() or getattr(self, "_frames", None) is not None

    def write(self, key: str, value: Any) -> None:
        if self._frames is not None:
            self._frames.write(key, value)
        else:
            super().write(key, value)

    def close(self) -> None:
        frames, self._frames = self._frames, None
        if frames is not None:
            frames.close()
        super().close()

    def __exit__(self, kind: Any, error: Any, trace: Any) -> None:
        if kind is not None and self._frames is not None:
            self._frames.abandon()
            self._frames = None
        super().__exit__(kind, error, trace)


def save_ark(
    ark: Union[str, Any],
    array_dict: Dict[str, Any],
    scp: Union[None, str, Any] = None,
    append: bool = False,
    text: bool = False,
    endian: str = "<",
    compression_method: Optional[int] = None,
    write_function: Optional[str] = None,
    write_kwargs: Optional[Dict[str, Any]] = None,
) -> None:
    """Writes a dictionary to an archive and its script file: paths, or files that are open. What is
    appended is there entry by entry."""
    _check_endian(endian)
    if not append and not _is_open(ark) and (scp is None or not _is_open(scp)):
        kinds = "ark" + ("" if scp is None else ",scp") + (",t" if text else "")
        names = ark if scp is None else f"{ark},{scp}"
        with WriteHelper(
            f"{kinds}:{names}", compression_method, write_function, write_kwargs
        ) as writer:
            for key, value in array_dict.items():
                writer(key, value)
        return
    mode = "ab" if append else "wb"
    file: Any = ark if _is_open(ark) else open(ark, mode)
    script: Any = scp if scp is None or _is_open(scp) else open(scp, mode)
    try:
        for key, value in array_dict.items():
            if write_function is not None:
                data = _sound.frame(key, value, write_kwargs)
            else:
                whole = encoded(entry(key, value), text, compression_method)
                data = whole[len(key.encode("utf-8", "surrogateescape")) + 1 :]
            _sound.append(file, script, key, data, getattr(file, "name", str(ark)))
    finally:
        if file is not ark:
            file.close()
        if script is not None and script is not scp:
            script.close()


def save_mat(
    fname: str, array: Any, endian: str = "<", compression_method: Optional[int] = None
) -> None:
    """Writes one matrix or vector without a key, such as Kaldi's tools take as ``cmvn.mat``."""
    _check_endian(endian)
    data = encoded(entry("x", array), False, compression_method)[len("x ") :]
    with open(fname, "wb") as file:
        file.write(data)


def read_kaldi(fd: Any, endian: str = "<", return_size: bool = False) -> Any:
    """The object that stands next in an open file; with ``return_size`` also how long it is."""
    _check_endian(endian)
    start = fd.tell()
    value = _sound.read_frame(fd) if _sound.is_frame(fd) else value_of(_decoded(fd))
    return (value, fd.tell() - start) if return_size else value


def read_token(fd: Any) -> Optional[str]:
    """The key that stands next in an open archive; ``None`` at the end."""
    return _sound.read_key(fd)


def _module(name: str, **members: Any) -> types.ModuleType:
    module = types.ModuleType(f"{__name__}.{name}", "Names that code reaches for.")
    vars(module).update(members)
    sys.modules[module.__name__] = module
    return module


matio = _module(
    "matio",
    read_kaldi=read_kaldi,
    read_token=read_token,
    load_ark=load_ark,
    load_mat=load_mat,
    load_scp=load_scp,
    load_scp_sequential=load_scp_sequential,
    save_ark=save_ark,
    save_mat=save_mat,
    _load_mat=lambda fd, offset=0, endian="<": (fd.seek(offset), read_kaldi(fd, endian))[1],
)
utils = _module("utils", open_like_kaldi=open_like_kaldi, parse_specifier=parse_specifier)
