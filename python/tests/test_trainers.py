"""What feeds trainers. A part whose framework is not installed is left out."""

import importlib.util
import os
import pickle
import subprocess
import sys
import types

import numpy as np
import pytest

import spr_convert as spr
from spr_convert import hf
from spr_convert.ray import columns


@pytest.fixture
def torch():
    return pytest.importorskip("torch")


def keys(loader):
    return [item["key"] for item in loader]


@pytest.mark.parametrize("workers,method", [(0, None), (2, "fork"), (2, "spawn"), (3, "fork")])
def test_torch_by_numbers(torch, fbank, ali, workers, method):
    data = spr.torch.Dataset(fbank, labels=ali)
    data[0]
    loader = torch.utils.data.DataLoader(
        data, batch_size=None, shuffle=True, num_workers=workers, multiprocessing_context=method
    )
    assert len(loader) == 12 and sorted(keys(loader)) == sorted(spr.load(fbank))
    item = data[3]
    assert item["features"].dtype == torch.float32
    assert item["labels"].shape == item["features"].shape[:1]
    item["features"] += 1


@pytest.mark.parametrize("workers,method", [(0, None), (2, "fork"), (2, "spawn"), (5, "fork")])
def test_torch_in_order(torch, fbank, workers, method):
    data = spr.torch.IterableDataset(spr.open(fbank).stage("shuffle(100,seed=1)"))
    loader = torch.utils.data.DataLoader(
        data, batch_size=None, num_workers=workers, multiprocessing_context=method
    )
    seen = keys(loader)
    assert len(seen) == 12 and sorted(seen) == sorted(spr.load(fbank))


@pytest.mark.parametrize("method,persistent", [("fork", False), ("spawn", False), ("fork", True)])
def test_torch_shuffles_every_pass_of_workers_otherwise(torch, fbank, method, persistent):
    def passes(data, count):
        torch.manual_seed(5)
        loader = torch.utils.data.DataLoader(
            data,
            batch_size=None,
            num_workers=2,
            multiprocessing_context=method,
            persistent_workers=persistent,
        )
        return [keys(loader) for _ in range(count)]

    stages = "shuffle(100,seed=1)"
    seen = passes(spr.torch.IterableDataset(spr.open(fbank).stage(stages)), 4)
    assert all(sorted(order) == sorted(seen[0]) for order in seen)
    assert len({tuple(order) for order in seen}) == 4
    # The seed of the loader fixes them all, and a number that was set its pass.
    assert passes(spr.torch.IterableDataset(spr.open(fbank).stage(stages)), 4) == seen
    data = spr.torch.IterableDataset(spr.open(fbank).stage(stages))
    data.set_epoch(7)
    one, other = passes(data, 2)
    data.set_epoch(7)
    assert one == passes(data, 1)[0] and one != other


def loader_of(torch, data, workers, persistent=False, seed=None):
    generator = None if seed is None else torch.Generator().manual_seed(seed)
    return torch.utils.data.DataLoader(
        data,
        batch_size=None,
        num_workers=workers,
        persistent_workers=persistent,
        generator=generator,
    )


@pytest.mark.parametrize("workers,persistent", [(0, False), (1, False), (2, True)])
def test_torch_orders_come_from_the_loaders_seed(torch, fbank, workers, persistent):
    """Without set_epoch no pass repeats another, and the seed fixes them all."""

    def passes(seed, count=3):
        torch.manual_seed(seed)
        data = spr.torch.IterableDataset(spr.open(fbank).stage("shuffle(100)"))
        loader = loader_of(torch, data, workers, persistent)
        return [keys(loader) for _ in range(count)]

    one, other = passes(5), passes(6)
    assert len({tuple(order) for order in one + other}) == 6
    assert passes(5) == one
    if workers:
        data = [spr.torch.IterableDataset(spr.open(fbank).stage("shuffle(100)")) for _ in range(3)]
        first = [keys(loader_of(torch, d, workers, seed=s)) for d, s in zip(data, (1, 1, 2))]
        assert first[0] == first[1] != first[2]


@pytest.mark.parametrize("workers,persistent", [(0, False), (2, False), (2, True)])
def test_torch_a_pass_that_is_left_is_over(torch, fbank, workers, persistent):
    data = spr.torch.IterableDataset(spr.open(fbank).stage("shuffle(100)"))
    loader = loader_of(torch, data, workers, persistent)
    some = iter(loader)
    left = [next(some)["key"] for _ in range(2)]
    del some
    whole = keys(loader)
    assert len(whole) == 12 and whole[:2] != left


def test_torch_sets_passes_of_persistent_workers(torch, fbank):
    data = spr.torch.IterableDataset(spr.open(fbank).stage("shuffle(100)"))
    loader = loader_of(torch, data, 2, persistent=True)
    seen = {}
    for epoch in (4, 2, 4, 3):
        data.set_epoch(epoch)
        order = keys(loader)
        assert seen.setdefault(epoch, order) == order
    assert len({tuple(order) for order in seen.values()}) == 3
    # New workers agree.
    data.set_epoch(2)
    assert keys(loader_of(torch, data, 2)) == seen[2]


def test_torch_goes_on_from_a_seed(torch, fbank):
    data = spr.torch.IterableDataset(spr.open(fbank).stage("shuffle(100)"))
    some = iter(data)
    begun = [next(some)["key"] for _ in range(5)]
    state = pickle.loads(pickle.dumps(data.state_dict()))
    rest = [item["key"] for item in some]
    other = spr.torch.IterableDataset(spr.open(fbank).stage("shuffle(100)"))
    other.load_state_dict(state)
    assert keys(other) == rest and len(begun + rest) == 12
    assert keys(other) == keys(data)


def test_torch_by_rank(torch, fbank, monkeypatch):
    monkeypatch.setenv("WORLD_SIZE", "3")
    seen = []
    for rank in range(3):
        monkeypatch.setenv("RANK", str(rank))
        loader = torch.utils.data.DataLoader(
            spr.torch.IterableDataset(fbank), batch_size=None, num_workers=2
        )
        seen.append(keys(loader))
    assert [len(share) for share in seen] == [4, 4, 4]
    assert sorted(sum(seen, [])) == sorted(spr.load(fbank))


def test_torch_goes_on(torch, fbank):
    data = spr.torch.IterableDataset(spr.open(fbank).stage("shuffle(5,seed=3)"))
    data.set_epoch(0)
    passes = [keys(data) for _ in range(3)]
    assert passes[0] != passes[1] and data.epoch == 3
    data.set_epoch(1)
    some = iter(data)
    begun = [next(some)["key"] for _ in range(4)]
    state = pickle.loads(pickle.dumps(data.state_dict()))
    other = spr.torch.IterableDataset(spr.open(fbank).stage("shuffle(5,seed=3)"))
    other.load_state_dict(state)
    assert begun + keys(other) == passes[1]
    assert keys(other) == passes[2]
    data = pickle.loads(pickle.dumps(other))
    assert data.state_dict() == other.state_dict()


def batch_keys(loader):
    return [key for batch in loader for key in batch["keys"]]


@pytest.mark.parametrize("workers,method", [(0, None), (1, "fork"), (2, "fork"), (2, "spawn")])
def test_torch_takes_batches(torch, fbank, ali, workers, method):
    ds = spr.open(fbank).join(labels=ali)
    data = spr.torch.IterableDataset(ds.shuffle(100).batches(frames=900, pad=-1))
    loader = torch.utils.data.DataLoader(
        data, batch_size=None, num_workers=workers, multiprocessing_context=method
    )
    seen = []
    for batch in loader:
        count, longest, _ = batch["features"].shape
        assert batch["features"].dtype == torch.float32
        assert count * longest <= 900 or count == 1
        assert batch["labels"].shape == (count, longest)
        for n, key in enumerate(batch["keys"]):
            length = int(batch["lengths"][n])
            own = ds[key]
            np.testing.assert_array_equal(batch["features"][n, :length].numpy(), own.features)
            np.testing.assert_array_equal(batch["labels"][n, :length].numpy(), own.labels)
            assert (batch["features"][n, length:] == -1).all()
            assert (batch["labels"][n, length:] == -100).all()
        seen += batch["keys"]
    assert sorted(seen) == sorted(spr.load(fbank))


@pytest.mark.parametrize("workers,persistent", [(0, False), (2, False), (2, True)])
def test_torch_batches_of_passes(torch, fbank, workers, persistent):
    data = spr.torch.IterableDataset(spr.open(fbank).shuffle(100).batches(utterances=2))
    loader = loader_of(torch, data, workers, persistent, seed=1)
    passes = [batch_keys(loader) for _ in range(3)]
    assert all(sorted(seen) == sorted(passes[0]) for seen in passes)
    assert len({tuple(seen) for seen in passes}) == 3
    data.set_epoch(5)
    fifth = batch_keys(loader)
    data.set_epoch(5)
    assert batch_keys(loader_of(torch, data, workers)) == fifth
    # What every worker gave is passed over by each.
    data.load_state_dict({"epoch": 5, "position": 1})
    rest = batch_keys(loader_of(torch, data, workers))
    assert rest == fifth[2 * max(workers, 1) :]


def test_torch_batches_by_rank(torch, fbank, monkeypatch):
    monkeypatch.setenv("WORLD_SIZE", "2")
    seen = []
    for rank in range(2):
        monkeypatch.setenv("RANK", str(rank))
        data = spr.torch.IterableDataset(spr.open(fbank).batches(utterances=2))
        seen.append(batch_keys(loader_of(torch, data, 2)))
    assert [len(share) for share in seen] == [6, 6]
    assert sorted(sum(seen, [])) == sorted(spr.load(fbank))


def test_torch_goes_on_with_a_batch(torch, fbank):
    def new():
        return spr.torch.IterableDataset(spr.open(fbank).shuffle(5).batches(utterances=5))

    data = new()
    some = iter(data)
    begun = next(some)["keys"]
    state = pickle.loads(pickle.dumps(data.state_dict()))
    other = new()
    other.load_state_dict(state)
    rest = batch_keys(other)
    assert batch_keys(some) == rest and sorted(begun + rest) == sorted(spr.load(fbank))


def test_torch_normalises_shares_as_the_whole(torch, fbank):
    ds = spr.open(fbank).cmvn("global", vars=True)
    whole = {utt.key: utt.features for utt in ds}
    data = spr.torch.IterableDataset(ds.batches(utterances=1))
    for batch in loader_of(torch, data, 2):
        np.testing.assert_array_equal(batch["features"][0].numpy(), whole[batch["keys"][0]])


@pytest.mark.parametrize("workers", [0, 2])
def test_torch_collates_by_numbers(torch, fbank, workers):
    data = spr.torch.Dataset(fbank, transform=None)
    loader = torch.utils.data.DataLoader(
        data, batch_size=5, shuffle=True, num_workers=workers, collate_fn=spr.torch.collate
    )
    assert len(loader) == 3
    seen = batch_keys(loader)
    assert sorted(seen) == sorted(spr.load(fbank)) and seen != batch_keys(loader)


def test_torch_a_killed_worker_is_told(torch, fbank):
    data = spr.torch.IterableDataset(
        spr.open(fbank).batches(utterances=1), transform=killed_at_the_third
    )
    with pytest.raises(RuntimeError, match="killed|exited unexpectedly"):
        list(loader_of(torch, data, 2))


def killed_at_the_third(batch):
    if batch.keys[0] in ("ann-003", "bob-001"):
        os.kill(os.getpid(), 9)
    return spr.torch.tensors(batch)


def test_torch_faults_in_workers_keep_their_place(torch, fbank):
    with spr.Writer("a.jsonl") as writer:
        writer["a"] = np.ones((1, 1), np.float32)
    with open("a.jsonl", "a") as file:
        file.write("{\n")
    data = spr.torch.IterableDataset(spr.open("a.jsonl").batches(utterances=2))
    with pytest.raises(Exception, match="a.jsonl:2"):
        list(loader_of(torch, data, 1))
    data = spr.torch.IterableDataset(spr.open(fbank).cmvn("speaker").batches(utterances=2))
    with pytest.raises(Exception, match="utterance ann-00[12]: nothing says who speaks it"):
        list(loader_of(torch, data, 2))


def test_torch_tells_at_once_what_is_wrong(torch, fbank):
    with pytest.raises(FileNotFoundError):
        spr.torch.IterableDataset("nowhere.scp")
    with pytest.raises(spr.UsageError):
        spr.torch.IterableDataset(spr.open(fbank).stage("shufle(3)"))
    with pytest.raises(spr.UsageError, match="by rank and worker"):
        spr.torch.IterableDataset(fbank, shard=(0, 2))
    # An error of a worker arrives as what it is.
    with spr.Writer("a.jsonl") as writer:
        writer["a"] = np.ones((1, 1), np.float32)
    with open("a.jsonl", "a") as file:
        file.write("{\n")
    loader = torch.utils.data.DataLoader(
        spr.torch.IterableDataset("a.jsonl"), batch_size=None, num_workers=1
    )
    with pytest.raises(Exception, match="a.jsonl:2"):
        list(loader)


def test_rows_for_hugging_face(fbank, ali):
    shards = pickle.loads(pickle.dumps(hf.plan(fbank, 3, labels=ali)))
    rows = list(hf.rows(shards))
    assert sorted(row["key"] for row in rows) == sorted(spr.load(fbank))
    assert all(len(row["labels"]) == len(row["features"]) for row in rows)
    # What datasets does: each process gets some of the list.
    assert rows[:4] and [row["key"] for row in hf.rows(shards[:1])] == [r["key"] for r in rows[:4]]
    with pytest.raises(spr.UsageError):
        hf.plan(fbank, 0)


def test_hugging_face(fbank, apart):
    datasets = pytest.importorskip("datasets")
    data = datasets.Dataset.from_generator(
        hf.rows, gen_kwargs={"shards": hf.plan(fbank, 4)}, num_proc=2, cache_dir="cache"
    )
    assert sorted(data["key"]) == sorted(spr.load(fbank))
    assert np.array(data[0]["features"]).shape[1] == 40


def test_columns_for_ray():
    utterances = [
        spr.Utterance("a", np.ones((2, 3), np.float32)),
        spr.Utterance("b", np.ones(4, np.float32), text="words"),
        spr.Utterance("c", audio=spr.Audio(8000, np.zeros((5, 2), np.int16))),
    ]
    table = columns(utterances)
    assert table["key"] == ["a", "b", "c"]
    assert (table["rows"], table["cols"]) == ([2, 4, None], [3, 1, None])
    assert table["features"][0].shape == (6,) and table["text"] == [None, "words", None]
    assert table["audio"][2].shape == (10,) and table["sampling_rate"] == [None, None, 8000]
    assert table["channels"] == [None, None, 2] and "label_cols" not in table


@pytest.mark.parametrize("shape", [(5,), (5, 2)])
def test_columns_for_ray_have_their_shapes(shape):
    array = np.arange(np.prod(shape), dtype=np.int16).reshape(shape)
    utt = spr.Utterance("a", labels=array.astype(np.int32), audio=spr.Audio(8000, array))
    table = columns([utt, spr.Utterance("b", labels=np.arange(3))])
    sound = table["audio"][0].reshape(-1, table["channels"][0])
    np.testing.assert_array_equal(sound if len(shape) == 2 else sound[:, 0], array)
    cols = table.get("label_cols", [None, None])
    assert cols == [shape[1] if len(shape) == 2 else None, None]
    labels = table["labels"][0]
    np.testing.assert_array_equal(labels if cols[0] is None else labels.reshape(-1, cols[0]), array)


def test_sound_files_for_ray():
    table = columns([spr.Utterance("a", audio=spr.EncodedAudio("flac", b"fLaC"))])
    assert table == {"key": ["a"], "audio_bytes": [b"fLaC"], "audio_format": ["flac"]}


@pytest.mark.parametrize(
    "parts,words",
    [
        ({"tiers": [spr.Tier("word", [spr.Segment(0.0, 1.0, "x")])]}, "has segments"),
        ({"object": spr.Object("posterior", [])}, "has an object"),
        ({"arrays": {"x": np.ones(3)}}, "has arrays"),
        ({"sequences": spr.Sequences(["a"], [1], [0], None)}, "has a batch"),
        ({"audio": spr.AudioReference("a.wav")}, "not loaded.*reference"),
    ],
)
def test_what_rows_would_lose_is_refused(parts, words):
    for work in (hf.row, lambda utt: columns([utt])):
        with pytest.raises(spr.UsageError, match=f"utterance a: .*{words}"):
            work(spr.Utterance("a", np.ones((1, 1)), **parts))


@pytest.mark.parametrize(
    "samples,floats",
    [
        (np.array([-32768, 16384], np.int16), [-1, 0.5]),
        (np.array([0, 128, 192], np.uint8), [-1, 0, 0.5]),
        (np.array([-(2**31), 1], np.int32), [-1, 2.0**-31]),
        (np.array([-1.0, 0.25], np.float32), [-1, 0.25]),
        (np.array([[-32768, 0], [16384, 0], [0, 0]], np.int16), [[-1, 0.5, 0], [0, 0, 0]]),
    ],
)
def test_sound_for_hugging_face(samples, floats):
    sound = hf.row(spr.Utterance("a", audio=spr.Audio(8000, samples)))["audio"]
    assert sound["array"].dtype.kind == "f" and sound["sampling_rate"] == 8000
    np.testing.assert_array_equal(sound["array"], floats)


def test_sound_files_for_hugging_face():
    row = hf.row(spr.Utterance("a", audio=spr.EncodedAudio("flac", b"fLaC")))
    assert row == {"key": "a", "audio": {"path": None, "bytes": b"fLaC"}}


def test_shares_are_dealt_out_once(fbank):
    with pytest.raises(spr.UsageError, match="once more"):
        hf.plan(fbank, 2, shard=(0, 2))
    assert [share["shard"] for share in hf.plan(fbank, 2, shard=None)] == [(0, 2), (1, 2)]


def test_torch_takes_no_arguments_for_what_is_open(fbank, ali, monkeypatch):
    if importlib.util.find_spec("torch") is None:
        # The module only names its classes before it refuses.
        data = types.SimpleNamespace(Dataset=object, IterableDataset=object)
        stub = types.SimpleNamespace(utils=types.SimpleNamespace(data=data))
        for name, module in (("", stub), (".utils", stub.utils), (".utils.data", data)):
            monkeypatch.setitem(sys.modules, f"torch{name}", module)
    spec = importlib.util.spec_from_file_location(
        "spr_convert._torch_of_a_test", os.path.join(spr.__path__[0], "torch.py")
    )
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    for ds in (spr.open(fbank), spr.open(fbank).batches(utterances=2)):
        with pytest.raises(spr.UsageError, match="labels, nonsense: .*open already"):
            module.IterableDataset(ds, labels=ali, nonsense=5)


RAY = """
import sys
import numpy as np, pyarrow.parquet as parquet, ray, spr_convert as spr

def centred(batch):
    # Each utterance less its own mean.
    shapes = zip(batch["features"], batch["rows"], batch["cols"])
    batch["features"] = [flat - np.tile(flat.reshape(r, c).mean(0), r) for flat, r, c in shapes]
    return batch

ray.init(include_dashboard=False, num_cpus=2, object_store_memory=200 << 20)
read = spr.ray.read_spr(sys.argv[1], 3)
read.map_batches(centred, batch_size=2, concurrency=2).write_parquet("out")
rows = {row["key"]: row for row in parquet.read_table("out").to_pylist()}
data = spr.load(sys.argv[1])
assert sorted(rows) == sorted(data), rows.keys()
for key, row in rows.items():
    got = np.array(row["features"], np.float32).reshape(row["rows"], row["cols"])
    want = data[key]
    assert np.allclose(got, want - want.mean(0), atol=1e-4), key
assert spr.ray.read_spr(sys.argv[1]).count() == len(rows)
print(len(rows), "utterances")
"""


def test_ray(fbank):
    pytest.importorskip("ray.data")
    environment = {**os.environ, "RAY_USAGE_STATS_ENABLED": "0"}
    run = subprocess.run(
        [sys.executable, "-c", RAY, fbank], env=environment, capture_output=True, text=True
    )
    assert run.returncode == 0, run.stderr
    assert run.stdout.endswith("12 utterances\n")
