"""Kaldi's names of files: specifiers, and commands in the place of files."""

from __future__ import annotations

import io
import subprocess
import sys
from typing import Any, Dict

_FLAGS = ("t", "o", "p", "f", "s", "cs")


def parse_specifier(rwspecifier: str) -> Dict[str, Any]:
    """The parts of ``ark,scp,t:a,b``: ``ark`` and ``scp`` are paths or ``None``, flags are booleans."""
    kinds, colon, rest = rwspecifier.strip().partition(":")
    words = [word.strip() for word in kinds.split(",")]
    tables = [word for word in words if word in ("ark", "scp")]
    unknown = [word for word in words if word not in (*_FLAGS, "ark", "scp")]
    if not colon or not tables or unknown or len(set(tables)) < len(tables):
        raise ValueError(f"{rwspecifier!r} is not a specifier such as ark,scp:feats.ark,feats.scp")
    paths = rest.split(",", 1) if len(tables) == 2 else [rest]
    if len(paths) < len(tables):
        raise ValueError(f"{rwspecifier!r} names {len(tables)} files and gives one")
    told: Dict[str, Any] = {"ark": None, "scp": None}
    told.update({name: path.strip() for name, path in zip(tables, paths)})
    told.update({flag: flag in words for flag in _FLAGS})
    return told


class _Pipe(io.BufferedReader):
    """What a command writes; closing it checks that the command did not fail."""

    def __init__(self, command: str) -> None:
        self._process = subprocess.Popen(command, shell=True, stdout=subprocess.PIPE)
        super().__init__(self._process.stdout)  # type: ignore[arg-type]

    def close(self) -> None:
        if not self.closed:
            ended = not self.peek(1)
            super().close()
            if self._process.wait() != 0 and ended:
                raise OSError(f"{self._process.args!r} failed")


class _Sink(io.BufferedWriter):
    """What a command reads; closing it waits for the command."""

    def __init__(self, command: str) -> None:
        self._process = subprocess.Popen(command, shell=True, stdin=subprocess.PIPE)
        super().__init__(self._process.stdin)  # type: ignore[arg-type]

    def close(self) -> None:
        if not self.closed:
            super().close()
            if self._process.wait() != 0:
                raise OSError(f"{self._process.args!r} failed")


def open_like_kaldi(name: str, mode: str = "r") -> Any:
    """Opens a file, standard input or output (``-``), or a command (``cmd |``, ``| cmd``)."""
    name = name.strip()
    binary: Any
    if name.endswith("|"):
        binary = _Pipe(name[:-1])
    elif name.startswith("|"):
        binary = _Sink(name[1:])
    elif name == "-":
        binary = sys.stdin.buffer if "r" in mode else sys.stdout.buffer
    else:
        return open(name, mode, encoding=None if "b" in mode else "utf-8")
    return binary if "b" in mode else io.TextIOWrapper(binary, encoding="utf-8")
