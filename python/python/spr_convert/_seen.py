"""Data sets as they look: pictures, pages, and what a notebook shows."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Callable, Dict, List, Optional

from . import _arguments, _native
from ._arguments import PathLike
from ._errors import Error, UsageError

if TYPE_CHECKING:
    from ._dataset import Dataset

#: The utterances that a notebook shows of a data set, and the columns, where they are known.
_ROWS = 10
_COLUMNS = ["key", "kinds", "frames", "dim", "seconds", "rate", "speaker", "text"]


def _store(path: PathLike, content: bytes, overwrite: bool) -> None:
    _native.store(_arguments.path(path), content, overwrite, _arguments.settings())


class Picture:
    """A drawing, which a notebook shows.

    >>> import spr_convert as spr
    >>> spr.open(FBANK).plot().svg[:4]
    '<svg'
    """

    def __init__(self, draw: Callable[[str], bytes]) -> None:
        self._draw = draw
        #: As SVG.
        self.svg = draw("svg").decode()

    def png(self) -> bytes:
        """As PNG.

        >>> import spr_convert as spr
        >>> spr.open(FBANK).plot("ann-001").png()[1:4]
        b'PNG'
        """
        return self._draw("png")

    def save(self, path: PathLike, *, overwrite: bool = False) -> None:
        """Writes it to a file that ends with ``.svg``, ``.png`` or ``.pdf``.

        >>> import spr_convert as spr
        >>> spr.open(FBANK).plot("ann-001").save("ann-001.pdf")
        """
        kind = _arguments.path(path).rpartition(".")[2].lower()
        if kind not in ("svg", "png", "pdf"):
            raise UsageError(
                "the name says no kind of picture",
                kind="usage",
                hint="end it with .svg, .png or .pdf",
            )
        _store(path, self.svg.encode() if kind == "svg" else self._draw(kind), overwrite)

    def _repr_svg_(self) -> str:
        return self.svg

    def __repr__(self) -> str:
        return f"<Picture of {len(self.svg)} bytes as SVG>"


class Page:
    """A page of HTML, which a notebook shows.

    >>> import spr_convert as spr
    >>> spr.open(FBANK).report().html[:15]
    '<!DOCTYPE html>'
    """

    def __init__(self, html: str) -> None:
        #: All of it: it needs no other file.
        self.html = html

    def save(self, path: PathLike, *, overwrite: bool = False) -> None:
        """Writes it to a file.

        >>> import spr_convert as spr
        >>> spr.open(FBANK).report().save("page.html")
        """
        _store(path, self.html.encode(), overwrite)

    def _repr_html_(self) -> str:
        import html

        source = html.escape(self.html, quote=True)
        return f'<iframe srcdoc="{source}" style="width:100%;height:40em;border:0"></iframe>'

    def __repr__(self) -> str:
        return f"<Page of {len(self.html)} characters>"


class Seen:
    """How a data set looks."""

    _plan: _native.Plan
    _settings: Dict[str, Any]

    def plot(
        self, *keys: str, width: int = 800, height: Optional[int] = None, scale: float = 1.0
    ) -> Picture:
        """A picture of these utterances: features, labels, waveforms, spectrograms, segments; or without
        keys of the whole data set: lengths, labels, columns.

        :param width: in points, and so is ``height``.
        :param scale: pixels of a PNG for a point.
        :raises UsageError: there is nothing to be drawn.

        >>> import spr_convert as spr
        >>> picture = spr.open(FBANK).plot("ann-001")
        >>> picture.save("ann.png")
        >>> picture.svg.startswith("<svg")
        True
        """
        plan = self._plan
        if keys:
            plan = self._of_keys(list(keys))._plan
        settings, whole = self._settings, not keys

        def draw(kind: str) -> bytes:
            return _native.plot(plan, settings, whole, (width, height, scale, kind))

        return Picture(draw)

    def _of_keys(self, keys: List[str]) -> "Dataset":
        raise NotImplementedError

    def report(
        self,
        output: Optional[PathLike] = None,
        *,
        max_sound: int = 2 << 20,
        overwrite: bool = False,
    ) -> Page:
        """A page about it, as ``spr-convert report`` writes it: facts, charts, pictures, faults, and the
        sound of the utterances that are shown, up to ``max_sound`` bytes each.

        :param output: where it is written to, too.

        >>> import spr_convert as spr
        >>> "ann-001" in spr.open(FBANK).report("fbank.html").html
        True
        """
        page = Page(_native.report(self._plan, self._settings, max_sound))
        if output is not None:
            page.save(output, overwrite=overwrite)
        return page

    def _shown(self, count: int, columns: List[str]) -> "Optional[Dict[str, List[Any]]]":
        """The columns of the first utterances, if they can be read more than once."""
        raise NotImplementedError

    def _repr_html_(self) -> str:
        import html

        told = f"<pre>{html.escape(repr(self))}</pre>"
        try:
            columns = self._shown(_ROWS + 1, _COLUMNS)
        except Error as error:
            return f"{told}<pre>{html.escape(str(error))}</pre>"
        if columns is None:
            return told
        known = {
            name: values for name, values in columns.items() if any(v is not None for v in values)
        }

        def cell(value: Any) -> str:
            if isinstance(value, list):
                value = "+".join(value)
            elif isinstance(value, float):
                value = f"{value:.2f}"
            text = "" if value is None else str(value)
            text = text if len(text) <= 80 else f"{text[:80]}…"
            return f"<td>{html.escape(text.encode('utf-8', 'replace').decode())}</td>"

        rows = list(zip(*known.values()))
        head = "".join(f"<th>{name}</th>" for name in known)
        body = "".join(f"<tr>{''.join(map(cell, row))}</tr>" for row in rows[:_ROWS])
        more = "<p>…</p>" if len(rows) > _ROWS else ""
        return f"{told}<table><tr>{head}</tr>{body}</table>{more}"


def of_utterance(utterance: Any, width: int, height: Optional[int], scale: float) -> Picture:
    """A picture of one utterance."""
    return Picture(lambda kind: _native.picture(utterance, (width, height, scale, kind))[0])


def shown_utterance(utterance: Any) -> str:
    """An utterance as a notebook shows it: its picture, and its sound with a player."""
    import base64
    import html

    told = repr(utterance).encode("utf-8", "replace").decode()
    told = f"<pre>{html.escape(told if len(told) <= 1000 else f'{told[:1000]}…')}</pre>"
    try:
        svg, sound = _native.picture(utterance, (800, None, 1.0, "svg"))
    except Error:
        # There is nothing to be drawn.
        return told
    player = ""
    if sound is not None:
        data = base64.b64encode(sound).decode()
        player = f'<audio controls src="data:audio/wav;base64,{data}"></audio>'
    return f"{told}{svg.decode()}{player}"
