"""Threads, forks, spawned processes, memory, signals."""

import multiprocessing
import os
import pickle
import subprocess
import sys
import threading
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

import spr_convert as spr


def total(data):
    """The sum of all features of a reader or a table."""
    values = data.values() if isinstance(data, spr.Table) else (utt.features for utt in data)
    return float(sum(value.sum(dtype=np.float64) for value in values))


@pytest.mark.parametrize("method", ["fork", "spawn"])
def test_readers_go_to_other_processes(fbank, method):
    reader, table = spr.open(fbank), spr.load(fbank)
    expected = total(spr.open(fbank))
    table["ann-001"]
    context = multiprocessing.get_context(method)
    with context.Pool(2) as pool:
        assert pool.map(total, [reader, table, reader, table]) == [expected] * 4


def in_child(work):
    """What a function gives in a fork of this process."""
    ours, theirs = os.pipe()
    child = os.fork()
    if child == 0:
        try:
            os.write(theirs, pickle.dumps(work()))
        except BaseException as error:
            os.write(theirs, pickle.dumps(error))
        finally:
            os._exit(0)
    os.waitpid(child, 0)
    os.close(theirs)
    with os.fdopen(ours, "rb") as pipe:
        return pickle.loads(pipe.read())


@pytest.mark.filterwarnings("ignore::DeprecationWarning")
def test_forks_after_a_read(fbank):
    reader, table = spr.open(fbank), spr.load(fbank)
    stream = iter(reader)
    next(stream)
    table["ann-001"]
    expected = total(spr.open(fbank))
    assert in_child(lambda: total(table)) == expected
    assert in_child(lambda: total(reader)) == expected
    # What was begun here is ours alone.
    error = in_child(lambda: next(stream))
    assert isinstance(error, spr.UsageError) and "forked" in error.message
    assert sum(1 for _ in stream) == 11
    assert table["bob-001"].ndim == 2


@pytest.mark.filterwarnings("ignore::DeprecationWarning")
def test_forks_leave_what_the_parent_writes_and_runs(apart):
    from spr_convert.compat import kaldiio

    with spr.Writer("ark:a.in") as writer:
        writer["a"] = np.ones((1, 1), np.float32)
    things = {
        "writer": spr.Writer("a.ark"),
        "helper": kaldiio.WriteHelper("ark:b.ark"),
        "stream": iter(spr.open("ark:cat a.in; sleep 0.2; cat a.in |")),
    }
    things["writer"]["a"] = things["helper"]["a"] = np.ones((1, 1), np.float32)
    error = in_child(lambda: things["writer"].close())
    assert isinstance(error, spr.UsageError) and "forked" in error.message
    in_child(things.clear)
    things["writer"].close()
    things["helper"].close()
    assert sorted(os.listdir()) == ["a.ark", "a.in", "b.ark"]
    assert sum(1 for _ in things["stream"]) == 2


def looked_at(ds):
    """A data set in all the ways there are."""
    by_number = [ds[i].key for i in range(len(ds))]
    return by_number, total(ds), ds["bob-001"].features.shape, ds.keys(), ds.table("key")


@pytest.mark.filterwarnings("ignore::DeprecationWarning")
@pytest.mark.parametrize("method", ["fork", "spawn", "threads"])
def test_data_sets_go_to_others_at_any_time(fbank, ali, method):
    whole = spr.open(fbank)
    merged = [whole.select("ann-*").context(1), whole.select("bob-*").context(1)]
    sets = [whole.context(1), whole.join(labels=ali).shuffle(seed=3), spr.merge(merged)]
    for ds in sets[:2]:
        next(iter(ds))
        ds["bob-001"]
    # What is drawn at random is drawn otherwise in each pass, but by number and key.
    expected = [looked_at(ds) for ds in sets]
    if method == "threads":
        with ThreadPoolExecutor(4) as pool:
            assert list(pool.map(looked_at, sets * 3)) == expected * 3
    else:
        with multiprocessing.get_context(method).Pool(2) as pool:
            assert pool.map(looked_at, sets * 2) == expected * 2
    if method == "fork":
        assert [in_child(lambda ds=ds: looked_at(ds)) for ds in sets] == expected
    assert [looked_at(ds) for ds in sets] == expected


KILLED = """
import os, sys
import spr_convert as spr

class Mine:
    def __init__(self, file):
        self.file, self.count = file, 0

    def write(self, utt):
        self.file.write(bytes(1 << 20))
        self.count += 1
        if self.count == 5:
            os.kill(os.getpid(), 9)

spr.register("dying", create=Mine)
spr.open(sys.argv[1]).write(sys.argv[2], to="dying")
"""


def test_what_a_kill_leaves_is_no_output_and_is_told(fbank):
    for name in ("a.dying", "b.dying"):
        run = subprocess.run([sys.executable, "-c", KILLED, fbank, name])
        assert run.returncode == -9 and not os.path.exists(name)
    with pytest.warns(spr.DataWarning, match="a.dying from a run that was killed"):
        spr.open(fbank).write("ark:a.dying")
    assert os.path.exists("a.dying")


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="there is no /dev/full")
def test_a_full_disk_is_told(fbank):
    with pytest.raises(spr.SystemFailure, match="[Nn]o space"):
        spr.open(fbank).write("ark:/dev/full")
    with pytest.raises(spr.SystemFailure, match="[Nn]o space"):
        spr.merge([fbank]).write("jsonl:/dev/full")


def test_one_reader_for_several_threads(fbank):
    stream, keys, lock = iter(spr.open(fbank)), [], threading.Lock()

    def work():
        for utt in stream:
            with lock:
                keys.append(utt.key)

    threads = [threading.Thread(target=work) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(keys) == 12 == len(set(keys))


def test_pickles(fbank):
    for thing in (spr.open(fbank).select("ann-*"), spr.load(fbank), next(iter(spr.open(fbank)))):
        back = pickle.loads(pickle.dumps(thing))
        assert type(back) is type(thing)
    assert len(list(pickle.loads(pickle.dumps(spr.open(fbank).select("ann-*"))))) == 4


def memory():
    """Bytes of memory that this process has."""
    with open("/proc/self/statm") as file:
        return int(file.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")


@pytest.mark.skipif(not os.path.exists("/proc/self/statm"), reason="reads /proc")
def test_memory_is_flat(apart):
    utterance = np.zeros((25, 8), np.float32)
    with spr.Writer("ark,scp:a.ark,a.scp", threads=1) as writer:
        for i in range(100_000):
            writer.write(f"{i:06}", utterance)
    held = []
    for i, _ in enumerate(spr.open("a.ark")):
        if i % 10_000 == 5_000:
            held.append(memory())
    assert len(held) == 10 and held[-1] - held[1] < 2 << 20
    table = spr.load("a.scp")
    held = []
    for i in range(20_000):
        table[f"{i:06}"]
        if i % 2_000 == 1_000:
            held.append(memory())
    assert held[-1] - held[1] < 2 << 20


INTERRUPTED = """
import os, signal, sys, threading
import spr_convert as spr

# A shell that puts its jobs in the background lets them ignore it.
signal.signal(signal.SIGINT, signal.default_int_handler)
os.chdir(sys.argv[1])
JOBS = {
    "convert": lambda: spr.convert("big.ark", "big.txt", to="jsonl"),
    "check": lambda: spr.check("big.ark"),
    "diff": lambda: spr.diff("big.ark", "big.ark"),
    "load": lambda: spr.load("big.ark", options={"dtype": "f64"}).keys() - {"x"},
    "sort": lambda: next(iter(spr.open("big.ark").sort(memory="1m"))),
    "write": lambda: spr.open("big.ark").context(2).write("big.txt", to="jsonl"),
    "split": lambda: spr.open("big.ark").split("{part}.txt", parts=2, to="jsonl"),
    "repair": lambda: spr.repair("big.ark", "big.txt", to="jsonl"),
    "stats": lambda: spr.open("big.ark").stats(),
    "length": lambda: len(spr.open("big.ark").context(1)),
    "table": lambda: spr.open("big.ark").table(),
    "found": lambda: spr.open("big.ark").rename(prefix="x")[7],
    "mine": lambda: spr.convert("big.ark", "mine:big.txt"),
}

class Mine:
    def __init__(self, file):
        self.file = file

    def write(self, utt):
        self.file.write(str(utt.features.tolist()).encode())

spr.register("mine", create=Mine)
# Soon after the job began; it takes seconds.
threading.Timer(0.15, os.kill, (os.getpid(), signal.SIGINT)).start()
try:
    while True:
        JOBS[sys.argv[2]]()
        for name in set(os.listdir()) - {"big.ark"}:
            os.remove(name)
except KeyboardInterrupt:
    print(sorted(os.listdir()))
"""


JOBS = ["convert", "check", "diff", "load", "sort", "write", "split", "repair", "stats", "length"]


@pytest.fixture(scope="module")
def big(tmp_path_factory):
    """A folder with half a gigabyte of features, and nothing else."""
    folder = tmp_path_factory.mktemp("big")
    with spr.Writer(folder / "big.ark", threads=1, sync=False) as writer:
        for i in range(3000):
            writer.write(str(i), np.zeros((1000, 40), np.float32))
    yield folder
    os.remove(folder / "big.ark")


@pytest.mark.parametrize("job", [*JOBS, "table", "found", "mine"])
def test_interrupts_end_a_job(big, job):
    run = subprocess.run(
        [sys.executable, "-c", INTERRUPTED, big, job], capture_output=True, text=True, timeout=60
    )
    assert run.stdout == "['big.ark']\n", run.stderr


def test_import_is_light():
    code = "import sys, spr_convert; sys.exit('numpy' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code]).returncode == 0


def test_the_program(fbank):
    def run(*arguments):
        command = [sys.executable, "-m", "spr_convert", *arguments]
        return subprocess.run(command, capture_output=True, text=True)

    done = run(fbank, "a.pfile")
    assert (done.returncode, done.stdout) == (0, "") and "12 utterances" in done.stderr
    done = run("nowhere.ark", "b.pfile")
    assert done.returncode == 2 and "cannot open" in done.stderr
    assert run("--version").stdout.split()[1] == spr.__version__


def test_versions_are_one():
    manifest = (pathlib_root() / "Cargo.toml").read_text()
    own = (pathlib_root() / "python" / "Cargo.toml").read_text()
    version = f'version = "{spr.__version__}"'
    assert manifest.split("[workspace.package]")[1].split("\n")[1] == version
    assert own.count(version) == 2


def pathlib_root():
    from conftest import ROOT

    return ROOT
