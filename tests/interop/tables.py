"""Tables of sound files against Python's csv: random delimiters, quoting, headers, orders of columns and empty cells."""
import csv
import io
import json
import os
import random
import wave

WORDS = ["go", "on.", '"so"', "it's", "a, b", "x; y", "tab\there", "bar|bar", "\u00fcber", "\u4eca\u5929", "7", '"', "two\nlines"]
NAMES = {"file": ["file", "path", "Datei", "fichier", "archivo", "\u6587\u4ef6"],
         "text": ["text", "sentence", "Satz", "texte", "frase", "\u6587\u672c"],
         "speaker": ["speaker", "client_id", "Sprecher", "locuteur", "hablante", "\u8bf4\u8bdd\u4eba"],
         "room": ["room"]}
AT_ONCE = 200


def sound():
    out = io.BytesIO()
    with wave.open(out, "wb") as f:
        f.setnchannels(1)
        f.setsampwidth(2)
        f.setframerate(8000)
        f.writeframes(b"\0\0" * 80)
    return out.getvalue()


def table(rng, header):
    """A table as Python writes it, the extension of its name, and the rows that Python reads from it."""
    delimiter = rng.choice(",;\t|")
    quoting = rng.choice([csv.QUOTE_MINIMAL, csv.QUOTE_ALL, csv.QUOTE_NONNUMERIC])
    form = {"delimiter": delimiter, "quoting": quoting, "lineterminator": rng.choice(["\n", "\r\n"])}
    columns = list(NAMES)[:4 if header else 3]
    rng.shuffle(columns)
    out = io.StringIO(newline="")
    writer = csv.writer(out, **form)
    language = rng.randrange(6)
    if header:
        writer.writerow([NAMES[c][language % len(NAMES[c])] for c in columns])
    for name in "abc":
        cells = {"file": rng.choice(["%s.wav", "./%s.wav", "%s"]) % name,
                 "text": " ".join(rng.choice(WORDS) for _ in range(rng.randrange(4))),
                 "speaker": rng.choice(["ann", "bob", "s_1", ""]), "room": rng.choice(["", "A 1", "2"])}
        writer.writerow([cells[c] for c in columns])
    text = out.getvalue()
    rows = list(csv.reader(io.StringIO(text, newline=""), delimiter=delimiter))[header:]
    read = {row[columns.index("file")].replace("./", "").split(".")[0]:
            (row[columns.index("text")].strip(), row[columns.index("speaker")] or None) for row in rows}
    encoded = text.encode(rng.choice(["utf-8", "utf-8-sig", "utf-16"]))
    return encoded, "tsv" if delimiter == "\t" else "csv", read


def write(folder, made):
    os.makedirs(folder)
    for name in "abc":
        with open(os.path.join(folder, name + ".wav"), "wb") as f:
            f.write(sound())
    with open(os.path.join(folder, "list." + made[1]), "wb") as f:
        f.write(made[0])


def read(text):
    """The text and the speaker of each sound file by folder and name."""
    found = {}
    for line in text.decode("utf-8").splitlines():
        entry = json.loads(line)
        *folder, name = entry["audio_filepath"].rsplit(".", 1)[0].split("/")
        found.setdefault(folder[-1], {})[name] = (entry.get("text", ""), entry.get("speaker"))
    return found


def with_header(t, rng, first, count):
    folder = t.path("tables-%d" % first)
    made = {"t%d" % n: table(rng, True) for n in range(first, first + count)}
    for name, one in made.items():
        write(os.path.join(folder, name), one)
    found = read(t.run("soundfolder:" + folder, "nemo:-", "--quiet"))
    for name, (text, _, rows) in made.items():
        assert found[name] == rows, "%s: %r: %r, by csv %r" % (name, text, found[name], rows)


def without_header(t, rng, n):
    """One without a header is read right, or without the speakers, or refused."""
    folder = t.path("bare-%d" % n)
    made = table(rng, False)
    write(os.path.join(folder, "t"), made)
    try:
        found = read(t.run("soundfolder:" + folder, "nemo:-", "--quiet"))["t"]
    except RuntimeError:
        return 0
    silent = {name: (text, None) for name, (text, _) in made[2].items()}
    nothing = {name: ("", None) for name in made[2]}
    assert found in (made[2], silent, nothing), "%r: %r, by csv %r" % (made[0], found, made[2])
    return 1


def checks(t, cases):
    rng = random.Random(46)
    with t.check("tables: %d with headers equal Python's csv" % cases):
        for first in range(0, cases, AT_ONCE):
            with_header(t, rng, first, min(AT_ONCE, cases - first))
    with t.check("tables: those without headers are read right or refused"):
        count = sum(without_header(t, rng, n) for n in range(cases // 20))
        assert count > 0, "all were refused"
