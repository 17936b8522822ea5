#!/usr/bin/env python3
"""Padded batches for training: spr_convert beside a collate_fn over kaldi_native_io, in PyTorch's loader.

    python batches.py [--size 128] [--rounds 5] [--workers 2] [--folder DIR]

Each measurement is a process of its own, which reads an epoch of batches from an archive on so many
workers, or in the package's own thread, without any; all take turns, and of each the least wall time, and
the least CPU time of the process and its workers, counts. Where PyTorch is not installed, the workers are processes that send the arrays
through a queue, as the loader does it. Files are in the page cache.
"""

import argparse
import json
import os
import resource
import subprocess
import sys
import tempfile
import time

#: What is read: the longest utterance in frames, columns, utterances a batch.
SORTS = {"features of 40": (1000, 40, 32), "features of 80": (1000, 80, 32), "small": (60, 13, 64)}
PACKAGES = ["spr_convert", "spr_convert, a thread", "kaldi_native_io"]


def lengths_of(longest, count):
    import random

    draw = random.Random(1)
    return [draw.randint(longest // 4, longest) for _ in range(count)]


def make(folder, name, size):
    """An archive of utterances of different lengths for each of the workers, in one file."""
    import numpy as np

    import spr_convert

    longest, cols, _ = SORTS[name]
    count = (size << 20) // (longest * 5 // 8 * cols * 4)
    values = np.random.default_rng(1).normal(12, 3, (longest, cols)).astype(np.float32)
    path = f"{folder}/{name.split()[-1]}.ark"
    with spr_convert.Writer(path, sync=False) as writer:
        for number, length in enumerate(lengths_of(longest, count)):
            writer[f"utterance-{number:07}"] = values[:length]
    return path, count


class Native:
    """What a trainer writes over kaldi_native_io: every worker takes its share, and pads it."""

    def __init__(self, path, utterances):
        self.path, self.utterances = path, utterances

    def batches(self, worker, workers, stack):
        import kaldi_native_io

        held = []
        for number, (key, value) in enumerate(
            kaldi_native_io.SequentialFloatMatrixReader(f"ark:{self.path}")
        ):
            if number % workers == worker:
                # A view of what the next one is read into.
                held.append((key, value.copy()))
            if len(held) == self.utterances:
                yield stack(held)
                held = []
        if held:
            yield stack(held)


def stacked(held):
    """A collate_fn of NumPy's."""
    import numpy as np

    lengths = np.array([len(value) for _, value in held])
    features = np.zeros((len(held), lengths.max(), held[0][1].shape[1]), np.float32)
    for place, (_, value) in zip(features, held):
        place[: len(value)] = value
    return [key for key, _ in held], features, lengths


def of_torch(held):
    """A collate_fn of PyTorch's."""
    import torch

    values = [torch.from_numpy(value) for _, value in held]
    features = torch.nn.utils.rnn.pad_sequence(values, batch_first=True)
    return [key for key, _ in held], features, torch.tensor([len(value) for value in values])


def torch_epoch(package, path, utterances, workers):
    """The utterances of an epoch through PyTorch's loader."""
    import torch.utils.data

    torch.set_num_threads(1)
    if package.startswith("spr_convert"):
        import spr_convert

        workers = workers if package == "spr_convert" else 0
        data = spr_convert.torch.IterableDataset(
            spr_convert.open(path).batches(utterances=utterances)
        )
        loader = torch.utils.data.DataLoader(data, batch_size=None, num_workers=workers)
        return sum(len(batch["features"]) for batch in loader)

    class Data(torch.utils.data.IterableDataset):
        def __iter__(self):
            me = torch.utils.data.get_worker_info()
            return Native(path, utterances).batches(me.id, me.num_workers, of_torch)

    loader = torch.utils.data.DataLoader(Data(), batch_size=None, num_workers=workers)
    return sum(len(features) for _, features, _ in loader)


def work(package, path, utterances, worker, workers, queue):
    """What a process of an epoch does without PyTorch."""
    if package == "spr_convert":
        import spr_convert

        batches = spr_convert.open(path, shard=(worker, workers)).batches(utterances=utterances)
        for batch in batches:
            queue.put((batch.keys, batch.features, batch.lengths))
    else:
        for batch in Native(path, utterances).batches(worker, workers, stacked):
            queue.put(batch)
    queue.put(None)


def plain_epoch(package, path, utterances, workers):
    import multiprocessing

    if package.endswith("thread"):
        import spr_convert

        batches = spr_convert.open(path).batches(utterances=utterances)
        return sum(len(batch.features) for batch in batches)
    queue, seen, left = multiprocessing.Queue(2 * workers), 0, workers
    for worker in range(workers):
        args = (package, path, utterances, worker, workers, queue)
        multiprocessing.Process(target=work, args=args).start()
    while left:
        batch = queue.get()
        if batch is None:
            left -= 1
        else:
            seen += len(batch[1])
    return seen


def one(args):
    """An epoch in this process; prints its CPU and wall seconds."""
    __import__(args.package.split(",")[0])
    try:
        import torch  # noqa: F401

        epoch = torch_epoch
    except ImportError:
        epoch = plain_epoch

    def cpu():
        used = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
        return sum(one.ru_utime + one.ru_stime for one in used)

    wall, before = time.perf_counter(), cpu()
    seen = epoch(args.package, args.path, args.utterances, args.workers)
    print(json.dumps([cpu() - before, time.perf_counter() - wall]))
    assert seen == args.count, (seen, args.count)


def run(args, package, path, count, utterances):
    command = [sys.executable, __file__, "--package", package, "--path", path]
    command += ["--count", str(count), "--utterances", str(utterances)]
    command += ["--workers", str(args.workers)]
    environment = {**os.environ, "OPENBLAS_NUM_THREADS": "1", "OMP_NUM_THREADS": "1"}
    done = subprocess.run(command, check=True, capture_output=True, text=True, env=environment)
    return json.loads(done.stdout)


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--size", type=int, default=128, help="MiB of an archive (default: 128)")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--folder", help="where files are made (default: a temporary folder)")
    for hidden in ("package", "path"):
        parser.add_argument(f"--{hidden}", help=argparse.SUPPRESS)
    for hidden in ("count", "utterances"):
        parser.add_argument(f"--{hidden}", type=int, help=argparse.SUPPRESS)
    args = parser.parse_args()
    if args.package:
        return one(args)
    print(
        f"{args.size} MiB, {args.workers} workers, least of {args.rounds} rounds: wall ms / CPU ms, and "
        "how many times as fast as kaldi_native_io\n"
    )
    print(f"| batches | {' | '.join(PACKAGES)} |\n|---|---|---|---|")
    for name, (longest, cols, utterances) in SORTS.items():
        with tempfile.TemporaryDirectory(dir=args.folder) as folder:
            path, count = make(folder, name, args.size if name != "small" else args.size // 8)
            best = {}
            for _ in range(args.rounds):
                for package in PACKAGES:
                    took = run(args, package, path, count, utterances)
                    best[package] = [min(pair) for pair in zip(took, best.get(package, took))]
        cells = []
        for package in PACKAGES:
            (cpu, wall), (cpu_of, wall_of) = best[package], best["kaldi_native_io"]
            times = f"{wall_of / wall:.1f}× / {cpu_of / cpu:.1f}×"
            cells.append(f"{1000 * wall:.0f} / {1000 * cpu:.0f}, {times}")
        what = f"{count} of {longest // 4} to {longest} x {cols}, {utterances} each"
        print(f"| {what} | {' | '.join(cells)} |")


if __name__ == "__main__":
    sys.exit(main())
