"""Files that have no path: file objects of Python, bytes, and what fsspec opens."""

from __future__ import annotations

import errno
import io
import os
import re
from contextlib import contextmanager
from typing import Any, BinaryIO, Iterator, NamedTuple, Optional

from . import _native
from ._errors import Error, NotFound, UsageError

#: URLs of these are read and written without fsspec, in a package that is built so.
_OWN = ("s3", "s3a", "gs", "az", "https", "http")

_URL = re.compile(r"([A-Za-z][A-Za-z0-9+.-]*)(://|::)")


class Url(NamedTuple):
    """A file of fsspec that is opened for each use, from the start."""

    url: str
    #: How to open it, if it was given as that and not by its name.
    file: Any = None

    def open(self, mode: str = "rb") -> Any:
        """The file that is there, or that is made."""
        import fsspec

        try:
            opened = (self.file or fsspec.open(self.url, mode)).open()
        except FileNotFoundError:
            message = "cannot open: there is no such file"
            raise NotFound(message, kind="missing", file=self.url) from None
        if isinstance(opened, io.BytesIO) and mode == "rb":
            # Files in memory share one place where they are read.
            return io.BytesIO(opened.getvalue())
        return opened

    def exists(self) -> bool:
        """Whether there is a file already."""
        import fsspec

        file = self.file or fsspec.open(self.url)
        return bool(file.fs.exists(file.path))


def url(data: Any) -> Optional[Url]:
    """What fsspec is to open: a file of its own, or a URL that only it knows, if it is installed."""
    if hasattr(data, "fs") and hasattr(data, "open"):
        return Url(data.full_name, data)
    found = _URL.match(data) if isinstance(data, str) else None
    scheme = found.group(1).lower() if found else ""
    if not scheme or data.endswith("|") or (_native.has_urls and scheme in _OWN):
        return None
    try:
        import fsspec
    except ImportError:
        return None
    return Url(data) if scheme in fsspec.available_protocols() else None


def is_file(data: Any) -> bool:
    """Whether it is an open file."""
    return hasattr(data, "read") or hasattr(data, "write")


def name(file: Any) -> str:
    """What a file is called."""
    told = file.url if isinstance(file, Url) else getattr(file, "name", None)
    return told if isinstance(told, str) else "a file object"


class Delivery:
    """A file that is written apart, and handed on once it is whole."""

    def __init__(self, output: Any, overwrite: bool) -> None:
        import tempfile

        self._output = output
        self._process = os.getpid()
        if isinstance(output, Url) and not overwrite and output.exists():
            raise UsageError(
                "exists already",
                kind="usage",
                file=output.url,
                hint="replace it with overwrite=True",
            )
        self._folder: Optional[str] = tempfile.mkdtemp(prefix="spr-convert-")
        #: What it is called.
        self.name = name(output)
        self._name = _plain(self.name)
        #: Where it is written.
        self.path = os.path.join(self._folder, self._name)

    @contextmanager
    def naming(self) -> Iterator[None]:
        """Gives errors the name of the output; what fails removes it."""
        try:
            yield
        except BaseException as error:
            if isinstance(error, Error) and error.file and self._folder:
                error.file = error.file.replace(self.path, self.name)
            self.abandon()
            raise

    def finish(self) -> None:
        """Hands it on. What was opened here is closed; a file of the caller's stays open."""
        if self._folder is None:
            return
        try:
            made = os.listdir(self._folder)
            if made != [self._name]:
                message = f"takes one file, and {len(made)} were written"
                raise UsageError(message, kind="usage", file=self.name)
            with open(self.path, "rb") as file:
                if isinstance(self._output, Url):
                    with self._output.open("wb") as into:
                        _copy(file, into)
                else:
                    _copy(file, self._output)
        finally:
            self.abandon()

    def abandon(self) -> None:
        """Removes it."""
        import shutil

        folder, self._folder = self._folder, None
        if folder is not None:
            shutil.rmtree(folder, ignore_errors=True)

    def __del__(self) -> None:
        if getattr(self, "_folder", None) is not None and self._process == os.getpid():
            self.abandon()


def _copy(file: BinaryIO, into: Any) -> None:
    """Writes all of a file, to one that may take less than it is given."""
    while chunk := file.read(1 << 20):
        while chunk:
            taken = into.write(chunk)
            if taken is None and isinstance(into, io.RawIOBase):
                raise BlockingIOError(errno.EAGAIN, "the file takes no more for now")
            # What says nothing, and is no file of io, took all.
            chunk = b"" if taken is None else chunk[taken:]


def delivery(output: Any, overwrite: bool, format: Optional[str]) -> Optional[Delivery]:
    """How an output that is no path is written."""
    found = url(output)
    if found is None and not is_file(output):
        return None
    if format is None and "." not in name(found or output):
        message = "nothing says which format to write"
        raise UsageError(message, kind="usage", hint="name the format of a file object")
    return Delivery(found or output, overwrite)


@contextmanager
def fetched(plan: _native.Plan) -> Iterator[_native.Plan]:
    """What is asked for, with a path for data that have none."""
    import shutil
    import tempfile

    memory = plan.data
    if memory is None:
        yield plan
        return
    told, data = memory
    with tempfile.TemporaryDirectory(prefix="spr-convert-") as folder:
        path = os.path.join(folder, _plain(told))
        with open(path, "wb") as file:
            if isinstance(data, bytes):
                file.write(data)
            elif isinstance(data, Url):
                with data.open() as opened:
                    shutil.copyfileobj(opened, file)
            else:
                shutil.copyfileobj(data, file)
        yield plan.at_path(path)


def _plain(told: str) -> str:
    """The last part of a name, without letters that mean something in arguments."""
    last = re.split(r"[/\\]", told.rstrip("/"))[-1]
    return re.sub(r"[^\w.-]", "_", last) or "data"
