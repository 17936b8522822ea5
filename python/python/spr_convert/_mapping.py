"""Data sets whose utterances are found by their keys."""

from __future__ import annotations

from collections.abc import Mapping as _Mapping
from typing import Any, Dict, Iterable, Iterator, List, Mapping, Optional, Tuple, Union

from . import _arguments, _native
from ._arguments import PathLike
from ._errors import KeyMissing, UsageError
from ._utterance import Utterance


class Table(_Mapping):  # type: ignore[type-arg]
    """A data set by its keys; what :func:`load` gives.

    Nothing is read before it is asked for. An entry is what the utterance holds if that is one thing,
    an array as a rule, and else the :class:`Utterance`; :meth:`utterance` gives that in any case. It
    is pickled as what it was made of, and opened anew in another process. Tables compare by identity:
    :func:`spr_convert.diff` compares what is in them.

    >>> import spr_convert as spr
    >>> {key: len(value) for key, value in spr.load(FBANK).items() if key < "b"}
    {'ann-001': 291, 'ann-002': 227, 'ann-003': 219, 'ann-004': 293}
    """

    # A mapping's own would read all values, and arrays have no one truth value.
    __eq__ = object.__eq__
    __hash__ = object.__hash__

    def __init__(self, plan: _native.Plan, settings: Dict[str, Any]) -> None:
        self._plan = plan
        self._settings = settings
        self._table = _native.Table(plan, settings)
        self._keys: Optional[Dict[str, None]] = None
        self._order: Optional[List[str]] = None

    def _native(self) -> _native.Table:
        if not self._table.is_current():
            self._table = _native.Table(self._plan, self._settings)
        return self._table

    def _all(self) -> Dict[str, None]:
        if self._keys is None:
            self._keys = dict.fromkeys(self._native().keys())
        return self._keys

    def at(self, index: int) -> str:
        """The key of a number, counted from 0, or back from the end.

        :raises IndexError: there is no such number.

        >>> import spr_convert as spr
        >>> spr.load(FBANK).at(-1)
        'cleo-004'
        """
        if self._order is None:
            order = self._native().keys()
            if len(order) != len(set(order)):
                message = "a key appears twice, so that numbers name no utterances"
                raise UsageError(message, kind="usage", hint='.stage("unique(first)") keeps one')
            self._order = order
        try:
            return self._order[index]
        except IndexError:
            message = f"there is no utterance {index}: there are {len(self._order)}"
            raise IndexError(message) from None

    def utterance(self, key: str) -> Utterance:
        """The whole utterance of a key.

        :raises KeyMissing: there is none.

        >>> import spr_convert as spr
        >>> spr.load(FBANK).utterance("ann-001")
        Utterance('ann-001', features=<float32 (291, 40)>)
        """
        found = self._native().find(key)
        if found is None:
            raise KeyMissing("there is no such utterance", kind="missing", key=key)
        return found

    def __getitem__(self, key: str) -> Any:
        return self.utterance(key).value

    def __contains__(self, key: object) -> bool:
        return key in self._all()

    def __iter__(self) -> Iterator[str]:
        return iter(self._all())

    def __len__(self) -> int:
        return len(self._all())

    def __reduce__(self) -> Tuple[Any, ...]:
        return type(self), (self._plan, self._settings)

    def __repr__(self) -> str:
        return f"<Table of {', '.join(self._plan.names)}>"


def load(
    data: Any,
    *,
    format: Optional[str] = None,
    options: Optional[Mapping[str, Any]] = None,
    labels: Optional[PathLike] = None,
    utt2spk: Optional[PathLike] = None,
    parts: Union[None, str, Iterable[str]] = None,
    samples: bool = True,
    allow_pipes: Optional[bool] = None,
    allow_urls: Union[bool, str, Iterable[str]] = False,
    max_alloc: Optional[int] = None,
) -> Table:
    """A data set by its keys, read lazily; arguments as :func:`open` has them, paths only.

    Kaldi's script files and archives are gone back in. Other formats are read once and kept in
    memory.

    >>> import spr_convert as spr
    >>> data = spr.load(FBANK)
    >>> len(data), "ann-001" in data, data["ann-001"].shape
    (12, True, (291, 40))

    :raises NotFound: it is not there.
    """
    plan, settings = _arguments.reading(**locals())
    if plan.data is not None:
        raise UsageError("a table needs a path: it is gone back in", kind="usage")
    return Table(plan, settings)
