"""Data sets for PyTorch: ``torch.utils.data.DataLoader(spr_convert.torch.IterableDataset(...))``.

PyTorch is imported with this module. Workers and ranks share the data out among themselves; arrays
become tensors without a copy.
"""

from __future__ import annotations

import os
from typing import Any, Callable, Dict, Iterable, Iterator, List, Optional, Tuple, Union

import torch
import torch.utils.data

from . import _mapping
from ._batches import Batches
from ._batches import collate as _collate
from ._dataset import Dataset as _Data
from ._dataset import open as _open
from ._errors import UsageError
from ._utterance import Audio, Batch, Utterance

__all__ = ["Dataset", "IterableDataset", "collate", "shares", "tensors"]


def _shared(size: int) -> Any:
    """Memory of so many bytes that goes from a worker to its loader without a copy."""
    storage = getattr(torch, "UntypedStorage", torch.ByteStorage)
    return torch.empty(0, dtype=torch.uint8).set_(storage._new_shared(size)).numpy()


def _tensor(array: Any) -> Any:
    """A tensor over the memory of an array, which is shared if that is."""
    base = array
    while hasattr(base, "base"):
        base = base.base
    if isinstance(base, torch.Tensor) and base.is_shared() and base.numel() == array.nbytes:
        return base.view(getattr(torch, array.dtype.name)).reshape(array.shape)
    return torch.from_numpy(array)


def tensors(item: Union[Utterance, Batch]) -> Dict[str, Any]:
    """What there is of an utterance or a batch, its arrays as tensors over the same memory."""
    parts: Dict[str, Any] = {}
    for name in Batch._fields if isinstance(item, Batch) else Utterance.__slots__:
        part = getattr(item, name)
        if isinstance(part, Audio):
            parts["rate"], parts["audio"] = part.rate, _tensor(part.samples)
        elif hasattr(part, "dtype"):
            parts[name] = _tensor(part)
        elif part is not None:
            parts[name] = part
    return parts


def collate(
    utterances: Iterable[Utterance], *, pad: float = 0.0, pad_labels: int = -100
) -> Dict[str, Any]:
    """:func:`spr_convert.collate` as tensors: a loader's ``collate_fn`` for a :class:`Dataset` with
    ``transform=None``."""
    return tensors(_collate(utterances, pad=pad, pad_labels=pad_labels))


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
        is said; with ``None`` it is given as it is, for :func:`collate`.
    """

    def __init__(
        self, data: Any, *, transform: Optional[Callable[[Utterance], Any]] = tensors, **how: Any
    ) -> None:
        self.table = _mapping.load(data, **how)
        self.keys: List[str] = list(self.table)
        self.transform = transform

    def __len__(self) -> int:
        return len(self.keys)

    def __getitem__(self, index: int) -> Any:
        utt = self.table.utterance(self.keys[index])
        return utt if self.transform is None else self.transform(utt)


class IterableDataset(torch.utils.data.IterableDataset):  # type: ignore[type-arg,misc,unused-ignore]
    """A data set from front to back, of which each rank and worker reads its own share.

    It takes a data set with its steps, or batches of one, ``spr.open(...).shuffle(1000).batches(frames=20000)``,
    for a loader with ``batch_size=None``. Steps work on the shares, but statistics of
    :meth:`~spr_convert.Dataset.cmvn` are of the whole. Every pass is shuffled otherwise: unless
    :meth:`set_epoch` was called, by the seed that the loader draws for it, which
    ``torch.manual_seed`` or its generator fixes (without workers it is drawn once, and counted on).
    :meth:`set_epoch` makes the next pass the one of that number, in persistent workers as well. A pass
    that a loop left is over.

    To resume, keep :meth:`state_dict` beside the model, and load it before the first pass. Without
    workers it knows how far a pass is; with workers, which are ahead of the trainer, call
    :meth:`set_epoch` before each pass. One that was begun begins again, unless the trainer counts what
    it was given and sets ``position``.

    :param data: a :class:`~spr_convert.Dataset`, its :class:`~spr_convert.Batches`, or what
        :func:`spr_convert.open` takes, and so are further arguments. What is open already takes none.
    :param transform: what is made of each utterance or batch, :func:`tensors` if nothing is said.
    """

    def __init__(
        self,
        data: Any,
        *,
        transform: Callable[[Any], Any] = tensors,
        **how: Any,
    ) -> None:
        # What is wrong is told here, and not in a worker.
        if not isinstance(data, (_Data, Batches)):
            data = _open(data, **how)
            data.close()
        elif how:
            raise UsageError(
                f"{', '.join(how)}: the data set is open already, and takes no arguments of open()",
                kind="usage",
                hint="give them to spr_convert.open",
            )
        self._data: Union[_Data, Batches] = data
        self._data._of_share(0, 1)
        self._transform = transform
        #: The number of the pass that comes next, or that is under way, from 0; ``None`` if the loader
        #: chooses it.
        self.epoch: Optional[int] = None
        #: What this share has given of it.
        self.position = 0
        # Whether that pass was begun here.
        self._begun = False
        # In memory that workers share: how often a pass was set, which it is, and the loader's seed in
        # it, or 0 before it.
        self._shared = torch.zeros(3, dtype=torch.int64).share_memory_()
        # How often it was set as far as this process knows.
        self._calls = 0

    def _set(self, epoch: Optional[int], position: int) -> None:
        self.epoch, self.position, self._begun = epoch, position, False
        if epoch is not None:
            self._calls += 1
            self._shared.copy_(torch.tensor([self._calls, epoch, 0]))

    def set_epoch(self, epoch: int) -> None:
        """Makes the next pass the one of a number, counted from 0."""
        self._set(epoch, 0)

    def state_dict(self) -> Dict[str, Optional[int]]:
        """Where it is."""
        return {"epoch": self.epoch, "position": self.position}

    def load_state_dict(self, state: Dict[str, Optional[int]]) -> None:
        """Goes on where a state was taken."""
        self._set(state["epoch"], state["position"] or 0)

    def _pass(self) -> Tuple[int, int]:
        """The pass that begins, and what was given of it."""
        worker = torch.utils.data.get_worker_info()
        if worker is None:
            # Drawn as a loader draws for its workers.
            seed = int(torch.empty((), dtype=torch.int64).random_()) if self.epoch is None else 0
        else:
            # All workers of a pass have the same.
            seed = worker.seed - worker.id
            self._follow(seed % 2**31 + 1)
        if self.epoch is None:
            self.epoch = seed % 2**31 + 1
        elif self._begun:
            # One that was left is over.
            self.epoch, self.position = self.epoch + 1, 0
        self._begun = True
        return self.epoch, self.position

    def _follow(self, seed: int) -> None:
        """Takes over in a worker which pass was set."""
        calls, epoch, first = (int(number) for number in self._shared)
        if calls == 0:
            return
        if calls != self._calls:
            # It was set after this worker began.
            self._calls, self.epoch, self.position, self._begun = calls, epoch, 0, False
        if not first:
            self._shared[2] = seed
        elif first != seed:
            # A later pass of new workers, which can't count those before.
            self.epoch, self.position = epoch + seed, 0

    def __iter__(self) -> Iterator[Any]:
        reader = self._data._of_share(*shares())
        if isinstance(reader, Batches) and torch.utils.data.get_worker_info() is not None:
            reader._allocate = _shared
        try:
            number, self.position = self._pass()
            for item in reader.resume(number, self.position):
                self.position += 1
                yield self._transform(item)
        finally:
            reader.close()
        self.epoch, self.position, self._begun = number + 1, 0, False
