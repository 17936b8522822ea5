"""Data sets for PyTorch: ``torch.utils.data.DataLoader(spr_convert.torch.IterableDataset(...))``.

PyTorch is imported with this module. Workers and ranks share the data out among themselves; arrays
become tensors without a copy.
"""

from __future__ import annotations

import os
from typing import Any, Callable, Dict, Iterator, List, Optional, Tuple

import torch
import torch.utils.data

from . import _mapping
from ._errors import UsageError
from ._reader import Reader
from ._reader import open as _open
from ._utterance import Audio, Utterance


def tensors(utt: Utterance) -> Dict[str, Any]:
    """What there is of an utterance, its arrays as tensors over the same memory."""
    parts: Dict[str, Any] = {"key": utt.key}
    for name in Utterance.__slots__[1:]:
        part = getattr(utt, name)
        if isinstance(part, Audio):
            parts["rate"], parts["audio"] = part.rate, torch.from_numpy(part.samples)
        elif hasattr(part, "dtype"):
            parts[name] = torch.from_numpy(part)
        elif part is not None:
            parts[name] = part
    return parts


def shares() -> Tuple[int, int]:
    """Which share of the data this process has, of how many: by rank, then by worker."""
    rank, ranks = int(os.environ.get("RANK", "0")), int(os.environ.get("WORLD_SIZE", "1"))
    if torch.distributed.is_available() and torch.distributed.is_initialized():
        rank, ranks = torch.distributed.get_rank(), torch.distributed.get_world_size()
    worker = torch.utils.data.get_worker_info()
    if worker is None:
        return rank, ranks
    return rank * worker.num_workers + worker.id, ranks * worker.num_workers


class Dataset(torch.utils.data.Dataset):  # type: ignore[type-arg,misc,unused-ignore]
    """A data set by numbers, in the order of its keys; each worker opens it for itself.

    :param data: as :func:`spr_convert.load` takes it, and so are further arguments.
    :param transform: what is made of each :class:`~spr_convert.Utterance`, :func:`tensors` if nothing
        is said.
    """

    def __init__(
        self, data: Any, *, transform: Callable[[Utterance], Any] = tensors, **how: Any
    ) -> None:
        self.table = _mapping.load(data, **how)
        self.keys: List[str] = list(self.table)
        self.transform = transform

    def __len__(self) -> int:
        return len(self.keys)

    def __getitem__(self, index: int) -> Any:
        return self.transform(self.table.utterance(self.keys[index]))


class IterableDataset(torch.utils.data.IterableDataset):  # type: ignore[type-arg,misc,unused-ignore]
    """A data set from front to back, of which each rank and worker reads its own share.

    What goes over the shares is said by :class:`~spr_convert.Reader`'s stages, as text:
    ``stages="shuffle(1000,seed=1)|context(5)|batch(20000)"``. Every pass is shuffled otherwise. New
    workers can't count passes: theirs, from the second on, follow the seed that the loader draws for
    each, which ``torch.manual_seed`` fixes. A pass that was set by :meth:`set_epoch` is the one of that
    number.

    To resume, keep :meth:`state_dict` beside the model, and load it before the first pass. Without
    workers it knows how far a pass is; with workers, which are ahead of the trainer, call
    :meth:`set_epoch` before each pass. One that was begun begins again, unless the trainer counts what
    it was given and sets ``position``.

    :param data: as :func:`spr_convert.open` takes it, and so are further arguments.
    :param transform: what is made of each utterance or batch, :func:`tensors` if nothing is said.
    """

    def __init__(
        self,
        data: Any,
        *,
        stages: Optional[str] = None,
        transform: Callable[[Utterance], Any] = tensors,
        **how: Any,
    ) -> None:
        if "shard" in how:
            raise UsageError("shares are dealt out by rank and worker", kind="usage")
        # What is wrong is told here, and not in a worker.
        reader = _open(data, **how)
        if stages is not None:
            reader = reader.stage(stages)
        reader.close()
        self._data, self._how, self._stages = data, how, stages
        self._transform = transform
        #: The pass that comes next, or that is under way, from 0.
        self.epoch = 0
        #: What this share has given of it.
        self.position = 0
        # The loader's seed in the pass that was set, in memory that workers share; 0 before it.
        self._first = torch.zeros(1, dtype=torch.int64).share_memory_()

    def set_epoch(self, epoch: int) -> None:
        """Begins the pass of a number, counted from 0."""
        self.epoch, self.position = epoch, 0
        self._first.zero_()

    def state_dict(self) -> Dict[str, int]:
        """Where it is."""
        return {"epoch": self.epoch, "position": self.position}

    def load_state_dict(self, state: Dict[str, int]) -> None:
        """Goes on where a state was taken."""
        self.epoch, self.position = state["epoch"], state["position"]
        self._first.zero_()

    def _pass(self) -> Tuple[int, int]:
        """The pass that begins, and what was given of it."""
        worker = torch.utils.data.get_worker_info()
        if worker is None:
            return self.epoch, self.position
        # All workers of a pass have the same; it is never 0, which stands for none.
        seed = (worker.seed - worker.id) % 2**31 + 1
        if not self._first.item():
            self._first.fill_(seed)
        if self._first.item() == seed:
            return self.epoch, self.position
        return self.epoch + seed, 0

    def _reader(self) -> Reader:
        reader = _open(self._data, shard=shares(), **self._how)
        return reader if self._stages is None else reader.stage(self._stages)

    def __iter__(self) -> Iterator[Any]:
        reader = self._reader()
        try:
            number, self.position = self._pass()
            for utt in reader.resume(number, self.position):
                self.position += 1
                yield self._transform(utt)
        finally:
            reader.close()
        self.epoch, self.position = self.epoch + 1, 0
