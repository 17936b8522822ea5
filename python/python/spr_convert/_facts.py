"""What is told of a data set, as plain values."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Dict, Iterable, List, Union, overload

from . import _arguments, _jobs, _native
from ._jobs import Checked

if TYPE_CHECKING:
    import pandas
    import polars
    import pyarrow


class Facts:
    """What a data set tells of itself."""

    _asked: Dict[str, Any]
    _settings: Dict[str, Any]

    def info(self, *, quick: bool = False) -> Dict[str, Any]:
        """What is in it, as :func:`spr_convert.info` tells it.

        >>> import spr_convert as spr
        >>> spr.open(FBANK).select("ann-*").info()["frames"]
        1030
        """
        return _jobs.facts(self._asked, self._settings, quick)

    def check(self, *, quick: bool = False) -> Checked:
        """What is wrong with it, as :func:`spr_convert.check` tells it."""
        return _jobs.checked(self._asked, self._settings, quick)

    @overload
    def stats(self, by: None = None) -> Dict[str, Any]: ...

    @overload
    def stats(self, by: Union[str, Iterable[str]]) -> List[Dict[str, Any]]: ...

    def stats(
        self, by: Union[None, str, Iterable[str]] = None
    ) -> Union[Dict[str, Any], List[Dict[str, Any]]]:
        """Sums, in the form of ``spr-convert stats --json``: ``utterances``, ``seconds``,
        ``lengths``, ``sound``, ``features`` with the ``mean``, ``std``, ``min`` and ``max`` of each
        column, ``labels`` with their counts, …

        :param by: columns of ``ls``, or ``label``: then a list with the sums of each group.

        >>> import spr_convert as spr
        >>> round(spr.open(FBANK).stats()["features"][0]["mean"], 3)
        10.624
        >>> groups = spr.open(FBANK).join(labels=ALI).stats(by="label")
        >>> groups[0]["label"], groups[0]["frames"]
        (0, 100)
        """
        import json

        names = [] if by is None else _arguments.names(by)
        told = json.loads(_native.stats(self._asked, self._settings, names))
        return told  # type: ignore[no-any-return]

    def table(self, columns: Union[None, str, Iterable[str]] = None) -> Dict[str, List[Any]]:
        """The columns of ``ls``, each a list with the value of every utterance, ``None`` where it is
        not known.

        :param columns: some of them, in this order: ``key``, ``frames``, ``seconds``, ``speaker``, …

        >>> import spr_convert as spr
        >>> spr.open(FBANK).first(2).table("key,frames")
        {'key': ['ann-001', 'ann-002'], 'frames': [291, 227]}
        """
        names = [] if columns is None else _arguments.names(columns)
        return _native.columns(self._asked, self._settings, names)

    def to_pandas(self, columns: Union[None, str, Iterable[str]] = None) -> "pandas.DataFrame":
        """:meth:`table` as a frame of pandas."""
        import pandas

        return pandas.DataFrame(self.table(columns))

    def to_polars(self, columns: Union[None, str, Iterable[str]] = None) -> "polars.DataFrame":
        """:meth:`table` as a frame of polars."""
        import polars

        return polars.DataFrame(self.table(columns), infer_schema_length=None)

    def to_arrow(self, columns: Union[None, str, Iterable[str]] = None) -> "pyarrow.Table":
        """:meth:`table` as a table of Arrow."""
        import pyarrow

        return pyarrow.table(self.table(columns))
