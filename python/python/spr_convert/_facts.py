"""What is told of a data set, as plain values."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Dict, Iterable, List, Union, overload

from . import _arguments, _files, _jobs, _native
from ._arguments import PathLike
from ._jobs import Checked

if TYPE_CHECKING:
    import pandas
    import polars
    import pyarrow

    from ._dataset import Dataset


class Facts:
    """What a data set tells of itself."""

    _plan: _native.Plan
    _settings: Dict[str, Any]

    def _job(self) -> _native.Plan:
        """What is read of it from the start."""
        raise NotImplementedError

    def info(self, *, quick: bool = False) -> Dict[str, Any]:
        """What is in it, as :func:`spr_convert.info` tells it.

        >>> import spr_convert as spr
        >>> spr.open(FBANK).select("ann-*").info()["frames"]
        1030
        """
        return _jobs.facts(self._job(), self._settings, quick)

    def check(self, *, quick: bool = False) -> Checked:
        """What is wrong with it, as :func:`spr_convert.check` tells it.

        >>> import spr_convert as spr
        >>> spr.open(FBANK).join(labels=ALI).check().faults
        0
        """
        return _jobs.checked(self._job(), self._settings, quick)

    def diff(
        self,
        other: "Union[PathLike, Dataset]",
        *,
        rtol: float = 0.0,
        atol: float = 0.0,
        by_key: bool = False,
    ) -> Dict[str, Any]:
        """What it and another data set, or what a path names, differ in, as :func:`spr_convert.diff`
        tells it.

        >>> import spr_convert as spr
        >>> ds = spr.open(FBANK)
        >>> told = ds.select("ann-*").diff(ds, by_key=True)
        >>> told["same"], told["compared"]
        (False, 4)
        """
        plan = other._job() if isinstance(other, Facts) else _arguments.plan(other)
        return _jobs.differences(self._job(), plan, self._settings, rtol, atol, by_key)

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
        with _files.fetched(self._job()) as plan:
            told = json.loads(_native.stats(plan, self._settings, names))
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
        return _native.columns(self._plan, self._settings, names)

    def to_pandas(self, columns: Union[None, str, Iterable[str]] = None) -> "pandas.DataFrame":
        """:meth:`table` as a frame of pandas.

        >>> import spr_convert as spr
        >>> int(spr.open(FBANK).to_pandas("frames")["frames"].sum())
        3111
        """
        import pandas

        return pandas.DataFrame(self.table(columns))

    def to_polars(self, columns: Union[None, str, Iterable[str]] = None) -> "polars.DataFrame":
        """:meth:`table` as a frame of polars.

        >>> import spr_convert as spr
        >>> spr.open(FBANK).to_polars("frames")["frames"].sum()
        3111
        """
        import polars

        return polars.DataFrame(self.table(columns), infer_schema_length=None)

    def to_arrow(self, columns: Union[None, str, Iterable[str]] = None) -> "pyarrow.Table":
        """:meth:`table` as a table of Arrow.

        >>> import spr_convert as spr
        >>> spr.open(FBANK).to_arrow("key,frames").num_rows
        12
        """
        import pyarrow

        return pyarrow.table(self.table(columns))
