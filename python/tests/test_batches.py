"""Padded batches against a plain collate of NumPy's, and where they are made."""

import gc
import multiprocessing
import os
import pickle
import subprocess
import sys
import threading
import time

import numpy as np
import pytest

import spr_convert as spr


def padded(arrays, value):
    """What a trainer writes by hand."""
    longest = max(len(array) for array in arrays)
    out = np.full((len(arrays), longest, *arrays[0].shape[1:]), value, arrays[0].dtype)
    for place, array in zip(out, arrays):
        place[: len(array)] = array
    return out


def grouped(utterances, frames, buckets):
    """Utterances of similar length, as many as fit with their padding."""
    bins = [[] for _ in range(len(buckets) + 1)]
    for utt in utterances:
        own = bins[sum(len(utt.features) > most for most in buckets)]
        if own and max(len(u.features) for u in [*own, utt]) * (len(own) + 1) > frames:
            yield list(own)
            own.clear()
        own.append(utt)
        if max(len(u.features) for u in own) * (len(own) + 1) > frames:
            yield list(own)
            own.clear()
    yield from (own for own in bins if own)


@pytest.mark.parametrize("ahead", [0, 1, 3])
@pytest.mark.parametrize("frames,buckets", [(1, []), (900, []), (1000, [230, 290]), (10**6, [])])
def test_as_a_collate_of_numpy(fbank, ali, frames, buckets, ahead):
    ds = spr.open(fbank).join(labels=ali).shuffle(seed=4)
    expected = list(grouped(ds, frames, buckets))
    # The same pass again.
    ds.set_epoch(0)
    batches = list(ds.batches(frames=frames, buckets=buckets, pad=-7.5, pad_labels=-1, ahead=ahead))
    assert len(batches) == len(expected)
    for batch, utterances in zip(batches, expected):
        assert batch.keys == [utt.key for utt in utterances]
        np.testing.assert_array_equal(
            batch.features, padded([utt.features for utt in utterances], -7.5)
        )
        np.testing.assert_array_equal(batch.labels, padded([utt.labels for utt in utterances], -1))
        lengths = [len(utt.features) for utt in utterances]
        assert batch.lengths.dtype == np.int64
        assert batch.lengths.tolist() == batch.label_lengths.tolist() == lengths
        assert (batch.audio, batch.rate, batch.text) == (None, None, None)


def test_sound_and_text(apart):
    rng = np.random.default_rng(1)
    sounds = [rng.integers(-9, 9, n).astype(np.int16) for n in (800, 300, 500)]
    with spr.Writer("a.jsonl") as writer:
        for number, sound in enumerate(sounds):
            text = f"words {number}" if number else None
            writer.write(f"u{number}", audio=spr.Audio(8000, sound), text=text)
    one, two = spr.open("a.jsonl").batches(seconds=0.2)
    assert (one.rate, one.text, two.text) == (8000, [None, "words 1"], ["words 2"])
    np.testing.assert_array_equal(one.audio, padded(sounds[:2], 0))
    assert one.audio_lengths.tolist() == [800, 300] and one.features is None
    (all_,) = spr.open("a.jsonl").batches(utterances=3, seconds=60)
    np.testing.assert_array_equal(all_.audio, padded(sounds, 0))
    short, long = spr.open("a.jsonl").batches(seconds=60, buckets=[0.08])
    assert (short.keys, long.keys) == (["u1", "u2"], ["u0"])
    with pytest.raises(spr.DataError, match="has no frames"):
        list(spr.open("a.jsonl").batches(frames=100))


def test_arrays_are_shared_and_writable(fbank):
    batch = next(iter(spr.open(fbank).batches(utterances=4)))
    # NumPy 1.22 has it under another name.
    from_dlpack = np.from_dlpack if hasattr(np, "from_dlpack") else np._from_dlpack
    again = from_dlpack(batch.features)
    assert np.shares_memory(again, batch.features)
    assert batch.features.flags.c_contiguous and batch.features.flags.writeable
    batch.features[:] += 1
    before = batch.features.copy()
    for other in spr.open(fbank).batches(utterances=4):
        other.features[:] = 0
    np.testing.assert_array_equal(batch.features, before)
    assert "features=<float32 (4, 293, 40)>" in repr(batch)
    assert pickle.loads(pickle.dumps(batch)).keys == batch.keys


def test_frames_without_padding(fbank, ali):
    """Exactly so many frames, for which utterances are cut, as PDNN does it."""
    ds = spr.open(fbank).join(labels=ali)
    features = np.concatenate([utt.features for utt in ds])
    labels = np.concatenate([utt.labels for utt in ds])
    batches = list(ds.batches(frames=1000, pad=None))
    assert [batch.features.shape for batch in batches] == [(1000, 40)] * 3 + [(111, 40)]
    np.testing.assert_array_equal(np.concatenate([b.features for b in batches]), features)
    np.testing.assert_array_equal(np.concatenate([b.labels for b in batches]), labels)
    assert batches[0].keys is None and len(list(ds.batches(frames=1000, pad=None, drop=True))) == 3
    assert next(ds.batches(frames=1000, pad=None).resume(0, 3)).features.shape == (111, 40)


def test_passes_and_resumption(fbank):
    batches = spr.open(fbank).shuffle(seed=3).batches(frames=800)
    first, second = ([batch.keys for batch in batches] for _ in range(2))
    assert sorted(sum(first, [])) == sorted(sum(second, [])) and first != second
    for position in range(len(second) + 2):
        rest = [batch.keys for batch in batches.resume(1, position)]
        assert rest == second[position:]
    # The next pass is the one after that which was resumed.
    batches.set_epoch(0)
    assert [batch.keys for batch in batches] == first
    assert [batch.keys for batch in pickle.loads(pickle.dumps(batches))] != first
    other = spr.open(fbank).shuffle(seed=3).batches(frames=800)
    assert other == batches and hash(other) == hash(batches)
    assert other != spr.open(fbank).shuffle(seed=3).batches(frames=801)
    assert "frames=800" in repr(batches) and "shuffle(seed=3)" in repr(batches)


def test_sizes_are_checked_at_once(fbank):
    ds = spr.open(fbank)
    for how in [
        {},
        {"frames": 0},
        {"utterances": 0},
        {"seconds": -1.0},
        {"seconds": float("nan")},
        {"frames": 10, "buckets": [3, 2]},
        {"pad": None, "utterances": 3},
        {"pad": None, "frames": 3, "buckets": [2]},
    ]:
        with pytest.raises(spr.UsageError):
            ds.batches(**how)
    with pytest.raises(spr.DataError, match="frame shift") as caught:
        list(ds.batches(seconds=1))
    assert caught.value.key == "ann-001"
    # Where the shift is known, frames last as long as they do.
    shapes = [b.features.shape for b in ds.stage("frame-shift(0.01)").batches(seconds=9)]
    assert len(shapes) == 5 and all(count * longest <= 900 for count, longest, _ in shapes)


def test_what_does_not_fit(fbank, apart):
    with spr.Writer("a.npz") as writer:
        for key, cols in [("a", 3), ("b", 2), ("c", 3)]:
            writer[key] = np.ones((4, cols), np.float32)
    with pytest.raises(spr.DataError, match="rows of 2 f32 as features, the batch rows of 3") as e:
        list(spr.open("a.npz").batches(utterances=3))
    assert e.value.key == "b"
    stream = iter(spr.open("a.npz").batches(utterances=3))
    with pytest.raises(spr.DataError):
        next(stream)
    assert [batch.keys for batch in stream] == [["a", "c"]], "the next call goes on"
    with pytest.warns(spr.SkippedWarning, match="utterance b"):
        (batch,) = spr.open("a.npz", on_error="skip").batches(utterances=3)
    assert batch.keys == ["a", "c"]
    labels = np.ones(3, np.uint8)
    with pytest.raises(spr.DataError, match="can't be padded with -100"):
        spr.collate([spr.Utterance("a", labels=labels)])
    assert spr.collate([spr.Utterance("a", labels=labels)], pad_labels=255).labels.shape == (1, 3)
    with pytest.raises(spr.LimitError):
        list(spr.open(fbank, max_alloc=100_000).batches(utterances=3))


def test_faults_keep_their_place(apart):
    with spr.Writer("a.jsonl") as writer:
        writer["a"] = np.ones((1, 1), np.float32)
    with open("a.jsonl", "a") as file:
        file.write("{\n")
    for ahead in (0, 2):
        with pytest.raises(spr.DataError, match="a.jsonl:2"):
            list(spr.open("a.jsonl").batches(utterances=1, ahead=ahead))


def test_collates_utterances(fbank, ali):
    utterances = list(spr.open(fbank).join(labels=ali).first(3))
    batch = spr.collate(utterances, pad=2, pad_labels=-5)
    np.testing.assert_array_equal(batch.features, padded([u.features for u in utterances], 2))
    np.testing.assert_array_equal(batch.labels, padded([u.labels for u in utterances], -5))


def threads(expected=None):
    """The threads of this process; one that has ended is listed for a moment."""
    for _ in range(100):
        count = len(os.listdir("/proc/self/task"))
        if expected in (None, count):
            break
        time.sleep(0.01)
    return count


needs_proc = pytest.mark.skipif(not os.path.exists("/proc/self/task"), reason="needs /proc")


@needs_proc
def test_no_thread_is_left(fbank):
    batches = spr.open(fbank).batches(utterances=1)
    gc.collect()
    before = threads()
    stream = iter(batches)
    assert threads() == before, "none before the first batch"
    next(stream)
    assert threads() == before + 1
    batches.close()
    assert threads(before) == before and list(stream) == []
    for _ in batches:
        break
    gc.collect()
    stream = iter(batches)
    next(stream)
    del stream, _
    batches.close()
    assert len(list(batches)) == 12 and threads(before) == before
    with pytest.raises(spr.DataError):
        list(spr.open(fbank).batches(seconds=1))
    gc.collect()
    assert threads(before) == before


def keys_of(batches):
    return [batch.keys for batch in batches]


@pytest.mark.filterwarnings("ignore::DeprecationWarning")
@pytest.mark.parametrize("method", ["fork", "spawn"])
def test_other_processes_begin_at_the_start(fbank, method):
    batches = spr.open(fbank).batches(utterances=5)
    expected = keys_of(batches)
    running = iter(batches)
    next(running)
    with multiprocessing.get_context(method).Pool(2) as pool:
        assert pool.map(keys_of, [batches] * 4) == [expected] * 4
    assert len(keys_of(running)) == 2, "the parent goes on"


@pytest.mark.filterwarnings("ignore::DeprecationWarning")
def test_a_fork_leaves_the_pass_to_the_parent(fbank):
    running = iter(spr.open(fbank).batches(utterances=5))
    next(running)
    child = os.fork()
    if child == 0:
        try:
            next(running)
        except spr.UsageError:
            del running
            os._exit(7)
        finally:
            os._exit(1)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 7
    assert len(keys_of(running)) == 2


def test_threads_share_a_pass(fbank):
    stream, seen = iter(spr.open(fbank).batches(utterances=1)), []
    workers = [threading.Thread(target=lambda: seen.extend(keys_of(stream))) for _ in range(4)]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()
    assert sorted(sum(seen, [])) == spr.open(fbank).keys()


INTERRUPTED = """
import os, signal, sys, threading, time
import spr_convert as spr

# An utterance, and then none for a long time.
spr.open(sys.argv[1]).first(1).write("a.ark")
stream = iter(spr.open("ark:cat a.ark; exec sleep 20 2>/dev/null |").batches(utterances=5))
signal.signal(signal.SIGINT, signal.default_int_handler)
threading.Timer(0.5, os.kill, [os.getpid(), signal.SIGINT]).start()
begun = time.monotonic()
try:
    next(stream)
except KeyboardInterrupt:
    print("interrupted", time.monotonic() - begun < 3, flush=True)
os._exit(0)
"""


def test_ctrl_c_ends_it_at_once(fbank):
    run = subprocess.run(
        [sys.executable, "-c", INTERRUPTED, fbank], capture_output=True, text=True, timeout=60
    )
    assert run.stdout == "interrupted True\n", run.stderr


LEFT = """
import sys
import spr_convert as spr
stream = iter(spr.open(sys.argv[1]).batches(utterances=1, ahead=1))
print(next(stream).keys[0])
"""


def test_python_ends_with_a_pass_under_way(fbank):
    for _ in range(5):
        run = subprocess.run(
            [sys.executable, "-c", LEFT, fbank], capture_output=True, text=True, timeout=60
        )
        assert (run.returncode, run.stdout, run.stderr) == (0, "ann-001\n", "")


def test_a_format_in_python_is_read_by_the_thread(apart):
    """Its generator runs with Python's lock, which the caller has let go of."""

    def read(file):
        for number in range(5):
            yield spr.Utterance(str(number), np.full((number + 1, 2), number, np.float32))

    spr.register("batchy", "batchy", open=read)
    (apart / "a.batchy").write_bytes(b"x")
    batches = spr.open("a.batchy").batches(utterances=2)
    assert [batch.lengths.tolist() for batch in batches] == [[1, 2], [3, 4], [5]]
    stream = iter(batches)
    next(stream)
    batches.close()


def test_python_is_free_meanwhile(fbank):
    counted, stop = [0], threading.Event()

    def count():
        while not stop.is_set():
            counted[0] += 1
            time.sleep(0)

    worker = threading.Thread(target=count)
    worker.start()
    for _ in range(20):
        list(spr.open(fbank).batches(utterances=4))
    stop.set()
    worker.join()
    assert counted[0] > 20
