"""Pictures, pages, and what a notebook shows."""

import os
import pathlib
import re

import numpy as np
import pytest

import spr_convert as spr
from conftest import SAMPLES


def test_pictures(fbank, ali):
    ds = spr.open(fbank).join(labels=ali)
    picture = ds.plot("ann-001", "bob-002", width=500)
    assert "ann-001" in picture.svg and "bob-002" in picture.svg
    assert picture._repr_svg_() == picture.svg
    assert picture.png().startswith(b"\x89PNG")
    assert ds.plot("ann-001", scale=2).png() != ds.plot("ann-001").png()
    for name, magic in (("a.svg", b"<"), ("a.png", b"\x89PNG"), ("a.PDF", b"%PDF")):
        picture.save(name)
        assert pathlib.Path(name).read_bytes().startswith(magic)
    with pytest.raises(spr.UsageError, match="exists already"):
        picture.save("a.svg")
    picture.save("a.svg", overwrite=True)
    with pytest.raises(spr.UsageError, match="no kind of picture"):
        picture.save("a.jpg")
    whole = ds.plot()
    assert whole.svg != picture.svg and "ann-001" not in whole.svg
    # What a step makes of it is what is drawn.
    assert ds.context(1).plot("ann-001").svg != ds.plot("ann-001").svg
    assert sorted(os.listdir(".")) == ["a.PDF", "a.png", "a.svg"]


def test_what_cannot_be_drawn_is_told(fbank):
    ds = spr.open(fbank)
    for call in (
        lambda: ds.first(0).plot(),
        lambda: ds.plot("ann-001", width=5),
        lambda: ds.plot("ann-001", scale=100),
        lambda: ds.plot("ann-001", width=8000, height=20_000, scale=8).png(),
    ):
        with pytest.raises(spr.UsageError):
            call()
    with pytest.warns(spr.DataWarning, match="no such utterance"):
        with pytest.raises(spr.UsageError, match="nothing in it"):
            ds.plot("eve")
    pathlib.Path("cut.ark").write_bytes((SAMPLES / "fbank.ark").read_bytes()[:-7])
    with pytest.raises(spr.DataError, match="cleo-004"):
        spr.open("cut.ark").plot()


def test_pages(fbank):
    ds = spr.open(fbank)
    page = ds.select("ann-*").report("page.html")
    assert pathlib.Path("page.html").read_text() == page.html
    assert "ann-001" in page.html and "bob-001" not in page.html
    assert page._repr_html_().startswith("<iframe srcdoc=")
    with pytest.raises(spr.UsageError, match="exists already"):
        ds.report("page.html")
    assert pathlib.Path("page.html").read_text() == page.html
    # A page tells what is damaged.
    pathlib.Path("cut.ark").write_bytes((SAMPLES / "fbank.ark").read_bytes()[:-7])
    assert "cleo-004" in spr.open("cut.ark").report().html


def test_notebooks(fbank, apart):
    html = spr.open(fbank)._repr_html_()
    assert html.count("<tr>") == 11 and "ann-001" in html and "<th>frames</th>" in html
    assert "input: " in html and html.endswith("<p>…</p>")
    few = spr.open(fbank).first(2)._repr_html_()
    assert few.count("<tr>") == 3 and "…" not in few
    with spr.Writer("odd.jsonl") as writer:
        writer.write("<b>&", np.ones((2, 3), np.float32), text="<script>" + "x" * 200)
    html = spr.open("odd.jsonl")._repr_html_()
    assert "&lt;b&gt;&amp;" in html and "<script>" not in html and "x" * 100 not in html
    gone = spr.open("odd.jsonl")
    os.remove("odd.jsonl")
    assert "cannot open" in gone._repr_html_()
    # What can be read only once is not read to be shown.
    archive = SAMPLES / "fbank.ark"
    with open(archive, "rb") as file:
        ds = spr.open(file)
        assert "<table>" not in ds._repr_html_() and len(list(ds)) == 12
    assert "<table>" not in spr.open(f"ark:cat {archive} |")._repr_html_()


def test_utterances_in_notebooks(fbank):
    utt = spr.open(fbank)[0]
    shown = utt._repr_html_()
    assert "<svg" in shown and "<audio" not in shown and "ann-001" in shown
    assert utt.plot(width=300).png().startswith(b"\x89PNG")
    wave = (8000 * np.sin(np.arange(8000) / 9)).astype(np.int16)
    shown = spr.Utterance("w", audio=(8000, wave))._repr_html_()
    (sound,) = re.findall(r'src="data:audio/wav;base64,([^"]*)"', shown)
    import base64

    back = next(iter(spr.open(base64.b64decode(sound))))
    assert back.audio.rate == 8000 and np.array_equal(back.audio.samples, wave)
    assert "<svg" not in spr.Utterance("t", text="words")._repr_html_()
    with pytest.raises(spr.UsageError, match="nothing in it"):
        spr.Utterance("t", text="words").plot()
