"""Data that are no files of the disk: file objects, what fsspec opens, URLs."""

import http.server
import io
import os
import pathlib
import pickle
import signal
import subprocess
import sys
import tempfile
import threading
import time

import numpy as np
import pytest

import spr_convert as spr
from conftest import SAMPLES
from spr_convert import _native
from test_processes import in_child, total

ARK = (SAMPLES / "fbank.ark").read_bytes()


@pytest.fixture
def memory():
    """The files in memory of fsspec, by their names."""
    fsspec = pytest.importorskip("fsspec")
    files = fsspec.filesystem("memory")
    files.store.clear()
    files.pipe("/data/fbank.ark", ARK)
    yield files
    files.store.clear()


def leftovers():
    return [name for name in os.listdir(tempfile.gettempdir()) if name.startswith("spr-convert-")]


def test_fsspec_in(memory, fbank):
    import fsspec

    expected = total(spr.open(fbank))
    place = "memory://data/fbank.ark"
    for data in (spr.open(place), spr.open(fsspec.open(place))):
        assert [total(data), total(data)] == [expected, expected]
        assert total(pickle.loads(pickle.dumps(data))) == expected
        assert data.stats()["frames"] == 3111 and data.info()["utterances"] == 12
        assert data.write("out.ark", overwrite=True).frames == 3111
        (part,) = {part["utterances"] for part in data.split("{part}.ark", parts=2).parts}
        assert part == 6
        for name in ("0.ark", "1.ark"):
            os.remove(name)
    assert spr.open(place) == spr.open(place) and hash(spr.open(place)) == hash(spr.open(place))
    with fsspec.open(place) as file:
        once = spr.open(file)
        assert total(once) == expected
        with pytest.raises(spr.UsageError, match="only once"):
            once.write("again.ark")
    with pytest.raises(FileNotFoundError) as caught:
        spr.open("memory://data/nowhere.ark")
    assert isinstance(caught.value, spr.NotFound) and "nowhere.ark" in str(caught.value)
    # Those that the program knows need no fsspec, and others are no URLs.
    with pytest.raises(spr.NotFound):
        spr.open("nosuchscheme://data/fbank.ark")
    assert leftovers() == []


def test_fsspec_out(memory, fbank):
    import fsspec

    with spr.Writer("memory://out/a.npz") as writer:
        writer["a"] = np.ones((2, 3), np.float32)
        assert not memory.exists("/out/a.npz")
    assert next(iter(spr.open("memory://out/a.npz"))).features.shape == (2, 3)
    with pytest.raises(spr.UsageError, match="overwrite=True"):
        spr.open(fbank).write("memory://out/a.npz")
    assert spr.open(fbank).write("memory://out/a.npz", overwrite=True).utterances == 12
    assert spr.convert(fbank, fsspec.open("memory://out/b.ark.gz", "wb")).frames == 3111
    assert total(spr.open("memory://out/b.ark.gz")) == total(spr.open(fbank))
    # An error, or an exception in the block, leaves nothing.
    with pytest.raises(spr.LossError, match="memory://out/c.ark: kaldi can't hold"):
        spr.convert(fbank, "memory://out/c.ark", labels=str(SAMPLES / "ali.txt"))
    with pytest.raises(ZeroDivisionError), spr.Writer("memory://out/c.ark") as writer:
        writer["a"] = np.ones(1 // 0)
    assert sorted(memory.ls("/out", detail=False)) == ["/out/a.npz", "/out/b.ark.gz"]
    assert spr.open(fbank).write("memory://out/c.ark", dry_run=True).utterances == 12
    with pytest.raises(spr.UsageError, match="several files"):
        spr.open(fbank).split("memory://out/{part}.ark", parts=2)
    assert leftovers() == []


def test_file_objects(fbank):
    into = io.BytesIO()
    with spr.Writer(into, format="npz") as writer:
        writer["a"] = np.ones((2, 3), np.float32)
    assert next(iter(spr.open(into.getvalue()))).features.shape == (2, 3)
    with open("x.ark", "wb") as file:
        assert spr.open(fbank).write(file).utterances == 12
        # It stays open, and is the caller's.
        assert not file.closed
    assert total(spr.open("x.ark")) == total(spr.open(fbank))
    assert spr.convert(io.BytesIO(ARK), "y.ark").frames == 3111
    assert spr.convert(ARK, "z.ark").frames == 3111
    for call in (lambda: spr.Writer(io.BytesIO()), lambda: spr.convert(fbank, io.BytesIO())):
        with pytest.raises(spr.UsageError, match="which format"):
            call()
    spr.Writer(io.BytesIO(), format="npz")
    assert leftovers() == []


class Server(http.server.BaseHTTPRequestHandler):
    """Serves the files of a dictionary, ranges of them too, and takes new ones."""

    protocol_version = "HTTP/1.1"
    files = {}
    #: What is answered late: all, or what is read behind the first bytes.
    slow = ""

    def do_GET(self):
        wanted = self.headers.get("Range")
        if self.slow == "all" or (self.slow and wanted and wanted != "bytes=0-65535"):
            time.sleep(30)
        data = self.files.get(self.path)
        if data is None:
            self.answer(404, b"", {})
            return
        headers, status = {"Accept-Ranges": "bytes"}, 200
        if wanted:
            first, _, last = wanted.partition("=")[2].partition("-")
            end = min(int(last or len(data)), len(data) - 1)
            headers["Content-Range"] = f"bytes {first}-{end}/{len(data)}"
            data, status = data[int(first) : end + 1], 206
        self.answer(status, data, headers)

    do_HEAD = do_GET

    def do_PUT(self):
        new = self.path not in self.files
        self.files[self.path] = self.rfile.read(int(self.headers["Content-Length"]))
        self.answer(201 if new else 204, b"", {})

    def answer(self, status, data, headers):
        self.send_response(status)
        for name, value in {"ETag": '"1"', "Content-Length": len(data), **headers}.items():
            self.send_header(name, str(value))
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(data)

    def log_message(self, *words):
        pass


@pytest.fixture
def served():
    """The address of a server, which has the samples."""
    if not _native.has_urls:
        pytest.skip("the package was built without URLs")
    Server.files = {f"/{path.name}": path.read_bytes() for path in SAMPLES.iterdir()}
    Server.slow = ""
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), Server) as server:
        server.daemon_threads = True
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}"
        server.shutdown()


@pytest.mark.filterwarnings("ignore::DeprecationWarning")
def test_urls(served, fbank):
    expected = total(spr.open(fbank))
    ds = spr.open(f"{served}/fbank.ark")
    assert total(ds) == expected and ds.info()["frames"] == 3111
    # A script file that lies beside the archive, and one on the disk, which is not trusted at once.
    assert total(spr.open(f"{served}/fbank.scp")) == expected
    assert spr.load(f"{served}/fbank.scp")["bob-002"].shape == (290, 40)
    lines = pathlib.Path(fbank).read_text().replace(" fbank.ark", f" {served}/fbank.ark")
    pathlib.Path("far.scp").write_text(lines)
    with pytest.raises(spr.Error, match="allow_urls="):
        total(spr.open("far.scp"))
    host = served.partition("//")[2]
    assert total(spr.open("far.scp", allow_urls=host)) == expected
    assert total(spr.open("far.scp", allow_urls=True)) == expected
    assert ds.write(f"{served}/new.ark").utterances == 12
    assert Server.files["/new.ark"] == ARK
    with pytest.raises(spr.NotFound):
        spr.open(f"{served}/nowhere.ark")
    # A forked process has its own connections.
    assert in_child(lambda: total(spr.open(f"{served}/fbank.ark"))) == expected


@pytest.mark.parametrize("call", ["open({!r})", "convert({!r}, 'out.ark')"])
def test_an_interrupt_ends_the_wait_for_a_server(served, call):
    Server.slow = "read" if "convert" in call else "all"
    call = call.format(f"{served}/fbank.ark")
    # Those that are started in the background are told to ignore it.
    code = "import signal; signal.signal(signal.SIGINT, signal.default_int_handler)\n"
    code += f"import spr_convert as spr; print('reads', flush=True); spr.{call}"
    with subprocess.Popen([sys.executable, "-c", code], stdout=-1, stderr=-1, text=True) as child:
        assert child.stdout.readline() == "reads\n"
        time.sleep(0.5)
        start = time.monotonic()
        child.send_signal(signal.SIGINT)
        _, told = child.communicate(timeout=20)
    assert time.monotonic() - start < 5 and "KeyboardInterrupt" in told
    assert os.listdir() == []
