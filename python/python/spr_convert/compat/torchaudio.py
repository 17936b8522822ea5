"""The calls of torchaudio.kaldi_io, which is no more, over spr_convert: tensors by their keys.

``from spr_convert.compat import torchaudio as kaldi_io``; PyTorch is imported when the first entry is
read.
"""

from __future__ import annotations

from typing import Any, Iterator, Tuple

from . import kaldi_io as _arrays

__all__ = [
    "read_mat_ark",
    "read_mat_scp",
    "read_vec_flt_ark",
    "read_vec_flt_scp",
    "read_vec_int_ark",
]


def _tensors(pairs: Iterator[Tuple[str, Any]]) -> Iterator[Tuple[str, Any]]:
    import torch

    for key, value in pairs:
        yield key, torch.from_numpy(value)


def read_vec_int_ark(file_or_fd: Any) -> Iterator[Tuple[str, Any]]:
    """Vectors of integers of an archive."""
    return _tensors(_arrays.read_vec_int_ark(file_or_fd))


def read_vec_flt_scp(file_or_fd: Any) -> Iterator[Tuple[str, Any]]:
    """Vectors of a script file."""
    return _tensors(_arrays.read_vec_flt_scp(file_or_fd))


def read_vec_flt_ark(file_or_fd: Any) -> Iterator[Tuple[str, Any]]:
    """Vectors of an archive."""
    return _tensors(_arrays.read_vec_flt_ark(file_or_fd))


def read_mat_scp(file_or_fd: Any) -> Iterator[Tuple[str, Any]]:
    """Matrices of a script file."""
    return _tensors(_arrays.read_mat_scp(file_or_fd))


def read_mat_ark(file_or_fd: Any) -> Iterator[Tuple[str, Any]]:
    """Matrices of an archive."""
    return _tensors(_arrays.read_mat_ark(file_or_fd))
