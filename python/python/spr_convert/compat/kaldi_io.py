"""The calls of kaldi_io, over spr_convert: ``from spr_convert.compat import kaldi_io``.

Commands that the caller names run; those inside script files run only where ``allow_pipes`` says so.
"""

from __future__ import annotations

import re
from typing import Any, BinaryIO, Iterator, List, Optional, Tuple

from .._errors import DataError
from .._utterance import Object, Utterance
from . import _sound
from ._names import open_like_kaldi
from ._table import at, decoded, encoded, entries, plain, read, value_of

__all__ = [
    "allow_pipes",
    "open_or_fd",
    "read_ali_ark",
    "read_key",
    "read_mat",
    "read_mat_ark",
    "read_mat_scp",
    "read_post",
    "read_post_ark",
    "read_post_scp",
    "read_vec_flt",
    "read_vec_flt_ark",
    "read_vec_flt_scp",
    "read_vec_int",
    "read_vec_int_ark",
    "read_vec_int_scp",
    "write_mat",
    "write_post",
    "write_vec_flt",
    "write_vec_int",
]

#: Whether commands that stand in script files run.
allow_pipes: bool = False

_PREFIX = re.compile(r"^(ark|scp)(,[a-z]+)*:")
_PLACE = re.compile(r"^(?P<path>.*):(?P<byte>[0-9]+)$")


def _plain(name: str) -> str:
    """A name without ``ark:`` or ``scp:``, which old code puts before it."""
    return _PREFIX.sub("", name.strip())


def open_or_fd(file: Any, mode: str = "rb") -> Any:
    """Opens a path, a place in a file (``a.ark:12``) or a command; what is open stays as it is."""
    if not isinstance(file, str):
        return file
    name = _plain(file)
    place = _PLACE.match(name)
    if place is None or name.endswith("|"):
        if name.endswith(".gz") and "|" not in name:
            import gzip

            return gzip.open(name, mode)
        return open_like_kaldi(name, mode)
    opened = open_like_kaldi(place.group("path"), mode)
    opened.seek(int(place.group("byte")))
    return opened


def read_key(fd: BinaryIO) -> Optional[str]:
    """The key that stands next; ``None`` at the end."""
    return _sound.read_key(fd)


def _one(file_or_fd: Any) -> Any:
    """The one object of a place or of an open file."""
    if isinstance(file_or_fd, str):
        return value_of(at(_plain(file_or_fd), allow_pipes or _plain(file_or_fd).endswith("|")))
    return value_of(decoded(file_or_fd))


def _all(file_or_fd: Any, sort: str) -> Iterator[Tuple[str, Any]]:
    name = _plain(file_or_fd) if isinstance(file_or_fd, str) else file_or_fd
    return entries(read(name, sort, allow_pipes))


def _checked(pairs: Iterator[Tuple[str, Any]], kind: str, ndim: int) -> Iterator[Tuple[str, Any]]:
    for key, value in pairs:
        yield key, _of(key, value, kind, ndim)


def _of(key: str, value: Any, kind: str, ndim: int) -> Any:
    """The value if it is of that sort; an empty vector is of any."""
    shaped = getattr(value, "ndim", None) == ndim and value.dtype.kind == kind
    if not shaped:
        if getattr(value, "size", None) == 0:
            import numpy as np

            return np.zeros((0,) * ndim, np.float32 if kind == "f" else np.int32)
        what = {("f", 2): "a matrix", ("f", 1): "a vector", ("i", 1): "a vector of integers"}
        raise DataError(f"is not {what[kind, ndim]}", kind="unfit", key=key)
    return value


def read_mat(file_or_fd: Any) -> Any:
    """One matrix of a place or of an open file."""
    return _of("x", _one(file_or_fd), "f", 2)


def read_vec_flt(file_or_fd: Any) -> Any:
    """One vector of floats."""
    return _of("x", _one(file_or_fd), "f", 1)


def read_vec_int(file_or_fd: Any) -> Any:
    """One vector of integers."""
    return _of("x", _one(file_or_fd), "i", 1)


def read_mat_scp(file_or_fd: Any) -> Iterator[Tuple[str, Any]]:
    """The matrices of a script file."""
    return _checked(_all(file_or_fd, "scp"), "f", 2)


def read_mat_ark(file_or_fd: Any) -> Iterator[Tuple[str, Any]]:
    """The matrices of an archive, or of what a command writes."""
    return _checked(_all(file_or_fd, "ark"), "f", 2)


def read_vec_flt_scp(file_or_fd: Any) -> Iterator[Tuple[str, Any]]:
    """The vectors of a script file."""
    return _checked(_all(file_or_fd, "scp"), "f", 1)


def read_vec_flt_ark(file_or_fd: Any) -> Iterator[Tuple[str, Any]]:
    """The vectors of an archive."""
    return _checked(_all(file_or_fd, "ark"), "f", 1)


def read_vec_int_scp(file_or_fd: Any) -> Iterator[Tuple[str, Any]]:
    """The vectors of integers of a script file."""
    return _checked(_all(file_or_fd, "scp"), "i", 1)


def read_vec_int_ark(file_or_fd: Any) -> Iterator[Tuple[str, Any]]:
    """The vectors of integers of an archive."""
    return _checked(_all(file_or_fd, "ark"), "i", 1)


read_ali_ark = read_vec_int_ark


def read_post(file_or_fd: Any) -> List[List[Tuple[int, float]]]:
    """One posterior: for each frame ``(state, weight)``."""
    value: List[List[Tuple[int, float]]] = _one(file_or_fd)
    return value


def read_post_scp(file_or_fd: Any) -> Iterator[Tuple[str, List[List[Tuple[int, float]]]]]:
    """The posteriors of a script file."""
    return _all(file_or_fd, "scp")


def read_post_ark(file_or_fd: Any) -> Iterator[Tuple[str, List[List[Tuple[int, float]]]]]:
    """The posteriors of an archive."""
    return _all(file_or_fd, "ark")


def _put(file_or_fd: Any, utt: Utterance) -> None:
    """Writes an entry to an open file, or a new one; without a key if that is empty."""
    key = utt.key
    utt.key = key or "x"
    data = encoded(utt)
    data = data if key else data[len("x ") :]
    file = open_or_fd(file_or_fd, "wb")
    try:
        file.write(data)
    finally:
        if file is not file_or_fd:
            file.close()


def write_mat(file_or_fd: Any, m: Any, key: str = "") -> None:
    """Writes a matrix of floats, with a key if it is one of an archive."""
    import numpy as np

    m = plain(m, key or "x")
    if m.ndim != 2 or m.dtype not in (np.float32, np.float64):
        raise TypeError(f"a matrix of float32 or float64 is expected, not {m.ndim}-D {m.dtype}")
    _put(file_or_fd, Utterance(key, m))


def write_vec_flt(file_or_fd: Any, v: Any, key: str = "") -> None:
    """Writes a vector of floats."""
    import numpy as np

    v = plain(v, key or "x")
    if v.ndim != 1 or v.dtype not in (np.float32, np.float64):
        raise TypeError(f"a vector of float32 or float64 is expected, not {v.ndim}-D {v.dtype}")
    _put(file_or_fd, Utterance(key, v))


def write_vec_int(file_or_fd: Any, v: Any, key: str = "") -> None:
    """Writes a vector of integers."""
    import numpy as np

    v = plain(v, key or "x")
    if v.ndim != 1 or (v.size and v.dtype.kind not in "iu"):
        raise TypeError(f"a vector of integers is expected, not {v.ndim}-D {v.dtype}")
    _put(file_or_fd, Utterance(key, labels=v if v.size else v.astype(np.int32)))


def write_post(file_or_fd: Any, post: List[List[Tuple[int, float]]], key: str = "") -> None:
    """Writes a posterior."""
    _put(file_or_fd, Utterance(key, object=Object("posterior", post)))
