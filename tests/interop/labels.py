"""TextGrids against Praat itself (parselmouth) and praatio."""
import json

from parselmouth.praat import call
from praatio import textgrid

TIERS = [("words", False, [(0.1, 0.35, 'say "two"'), (0.35, 0.6, "\u00fcber \u0259")]),
         ("phones", False, [(0.2, 1 / 3, "w ah n")]),
         ("bell", True, [(0.1, 0.1, "ding"), (0.123456789, 0.123456789, "dong")])]
END = 0.8


def as_jsonl(tiers):
    """The tiers in the canonical form."""
    def segments(items):
        return [{"start": start, "end": end, "label": label} for start, end, label in items]
    made = [dict({"name": name, "segments": segments(items)}, **({"points": True} if points else {}))
            for name, points, items in tiers]
    meta = {"tags": [["textgrid", "xmax", repr(END)]]}
    return json.dumps({"key": "grid", "tiers": made, "meta": meta}, ensure_ascii=False) + "\n"


def of_program(t, source):
    """The tiers that the program reads."""
    (line,) = t.run(source, "jsonl:-", "--quiet").decode("utf-8").splitlines()
    return [(tier["name"], tier.get("points", False),
             [(s["start"], s["end"], s["label"]) for s in tier["segments"]])
            for tier in json.loads(line)["tiers"]]


def of_praatio(path):
    grid = textgrid.openTextgrid(path, includeEmptyIntervals=False)
    assert grid.maxTimestamp == END, grid.maxTimestamp
    tiers = []
    for tier in grid.tiers:
        points = isinstance(tier, textgrid.PointTier)
        items = [(e.time, e.time, e.label) if points else (e.start, e.end, e.label) for e in tier.entries]
        tiers.append((tier.name, points, items))
    return tiers


def of_praat(path):
    grid = call("Read from file...", path)
    assert call(grid, "Get end time") == END
    tiers = []
    for n in range(1, int(call(grid, "Get number of tiers")) + 1):
        points = not call(grid, "Is interval tier", n)
        count = int(call(grid, "Get number of points" if points else "Get number of intervals", n))
        items = []
        for i in range(1, count + 1):
            if points:
                time = call(grid, "Get time of point", n, i)
                items.append((time, time, call(grid, "Get label of point", n, i)))
            else:
                ask = lambda what: call(grid, what, n, i)
                items.append((ask("Get start time of interval"), ask("Get end time of interval"),
                              ask("Get label of interval")))
        tiers.append((call(grid, "Get tier name", n), points, [item for item in items if item[2]]))
    return tiers


def praat_grid():
    """The same tiers, made by Praat."""
    grid = call("Create TextGrid", 0, END, " ".join(name for name, _, _ in TIERS), "bell")
    for n, (_, points, items) in enumerate(TIERS, 1):
        if points:
            for start, _, label in items:
                call(grid, "Insert point", n, start, label)
            continue
        for time in sorted({time for start, end, _ in items for time in (start, end)}):
            call(grid, "Insert boundary", n, time)
        for start, end, label in items:
            found = int(call(grid, "Get interval at time", n, (start + end) / 2))
            call(grid, "Set interval text", n, found, label)
    return grid


def same(found):
    assert found == TIERS, found


def checks(t):
    source = t.path("grid.jsonl")
    with open(source, "w", encoding="utf-8") as out:
        out.write(as_jsonl(TIERS))
    for options in ("", ",form=short", ",encoding=utf16", ",form=short,encoding=utf16", ",form=binary"):
        path = t.path("out.TextGrid")
        t.convert(source, path + options)
        with t.check("textgrid%s: Praat reads what is written" % options):
            same(of_praat(path))
        if "binary" not in options:
            with t.check("textgrid%s: praatio reads what is written" % options):
                same(of_praatio(path))
        with t.check("textgrid%s: it is read again" % options):
            same(of_program(t, path))
    grid = praat_grid()
    for how in ("Save as text file...", "Save as short text file...", "Save as binary file..."):
        for setting in ("UTF-8", "UTF-16", "try ISO Latin-1, then UTF-16"):
            with t.check("textgrid: Praat's %s in %s is read" % (how, setting)):
                call("Text writing preferences...", setting)
                call(grid, how, t.path("praat.TextGrid"))
                same(of_program(t, t.path("praat.TextGrid")))
    for form in ("short_textgrid", "long_textgrid"):
        with t.check("textgrid: praatio's %s is read" % form):
            made = textgrid.Textgrid(0, END)
            for name, points, items in TIERS:
                if points:
                    made.addTier(textgrid.PointTier(name, [(a, label) for a, _, label in items], 0, END))
                else:
                    made.addTier(textgrid.IntervalTier(name, items, 0, END))
            made.save(t.path("praatio.TextGrid"), format=form, includeBlankSpaces=True)
            same(of_program(t, t.path("praatio.TextGrid")))
    with t.check("textgrid: praatio and Praat read one tier without a name"):
        with open(t.path("a.ctm"), "w") as out:
            out.write("a 1 0.1 0.25 one\n")
        t.convert(t.path("a.ctm"), t.path("a.TextGrid"))
        call("Read from file...", t.path("a.TextGrid"))
        (tier,) = textgrid.openTextgrid(t.path("a.TextGrid"), includeEmptyIntervals=False).tiers
        assert [tuple(e) for e in tier.entries] == [(0.1, 0.35, "one")], tier.entries
