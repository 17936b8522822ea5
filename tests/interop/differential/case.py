"""One conversion: drawn, run, judged."""
import json
import os
import random
import re
import shutil
import subprocess
import tempfile
from decimal import Decimal

import numpy as np

from . import again, faulty, files, kaldi, lies, lines, shards, tables
from .formats import store
from .loss import NAMES, Losses, fit, is_word, rounding
from .model import Mismatch, difference, expect

FILES = {"spr": ("features", "sound"), "key": ("features", "sound"), "htk": ("features",),
         "npy": ("features", "vectors", "scalars"), "wav": ("sound",), "sphere": ("sound",), "au": ("sound",)}
SOURCES = {
    "kaldi": (kaldi.source, ("features", "features", "vectors", "scalars", "labels", "sound", "text", "objects")),
    "pfile": (tables.pfile_source, ("features", "labels", "labelled")),
    "pickle": (tables.pickle_source, ("features", "labelled", "vectors")),
    "jsonl": (lines.source, ("features", "features", "vectors", "scalars", "labels", "labelled", "labelled", "sound",
                             "text", "objects", "segments")),
    "cor": (lines.corpus_source, ("text",)),
    "seg": (lines.segments_source, ("segments",)),
    **{name: (files.source(name), kinds) for name, kinds in FILES.items()},
}
TARGETS = {
    "kaldi": kaldi.target, "pfile": tables.pfile_target, "pickle": tables.pickle_target, "jsonl": lines.target,
    "cor": lines.corpus_target, "seg": lines.segments_target, **{name: files.target(name) for name in FILES},
}
HELD = {"features": ("kaldi", "pfile", "pickle", "jsonl", "spr", "key", "htk", "npy"),
        "vectors": ("kaldi", "pickle", "jsonl", "npy", "spr", "pfile"), "scalars": ("kaldi", "jsonl", "npy", "pickle"),
        "labels": ("kaldi", "pfile", "jsonl", "seg"), "labelled": ("pfile", "pickle", "jsonl", "kaldi", "npy"),
        "sound": ("kaldi", "jsonl", "spr", "key", "wav", "sphere", "au", "htk"), "text": ("kaldi", "jsonl", "cor"),
        "objects": ("kaldi", "jsonl"), "segments": ("jsonl", "seg", "kaldi", "pfile")}
CLOSING = re.compile(r"^(\d+ shards?: .*|.*: have it|\d+ (?:utterance|partition)s?, (?:\d+ frames?|\d+\.\d\d s of sound), \d+ skipped \(.*\)|\d+ utterances? compared, .*|\{.*\})$")


def length(u):
    """Frames; of sound alone, samples."""
    alone = u.sound is not None and u.features is None and u.labels is None
    return len(u.sound[1]) if alone else u.frames()


class Case:
    def __init__(self, program, seed, scratch):
        self.program, self.seed = program, seed
        self.rng = random.Random(seed)
        self.folder = tempfile.mkdtemp(prefix="case-", dir=scratch)
        self.count, self.commands, self.names, self.name = None, [], 0, "x"
        self.uncounted = False
        for name in ("in", "out"):
            os.mkdir(os.path.join(self.folder, name))

    def path(self, where, extension):
        self.names += 1
        return os.path.join(where, "%s%d.%s" % (self.name, self.names, extension))

    def call(self, *args, stdin=None):
        self.commands.append(list(args))
        done = subprocess.run([self.program, *args], input=stdin if stdin is not None else b"", stdout=subprocess.PIPE,
                              stderr=subprocess.PIPE, timeout=120)
        said = done.stderr.decode("utf-8")
        expect(done.returncode in (0, 1, 2, 3), "status %d: %s", done.returncode, said)
        expect("panicked" not in said, "it panicked: %s", said)
        for line in said.splitlines():
            expect(line.startswith("spr-convert: ") or CLOSING.match(line), "said %r", line)
        return done.returncode, done.stdout, said

    def run(self):
        """Runs the case; a `Mismatch` or another error is a fault of the program or of the tests."""
        here = os.getcwd()
        os.chdir(self.folder)
        try:
            with np.errstate(all="ignore"):
                self.rng.choices((Case.convert, lies.run, faulty.run, shards.run), (85, 4, 8, 3))[0](self)
        finally:
            os.chdir(here)
            shutil.rmtree(self.folder)

    def draw_source(self, kind=None, name=None):
        rng = self.rng
        if name is None:
            able = [n for n in SOURCES if kind is None or kind in SOURCES[n][1]]
            name = rng.choice(able + ["kaldi", "jsonl"] * (kind is None))
        make, kinds = SOURCES[name]
        kind = kind or rng.choice(kinds)
        return kind, make(self, kind)

    def convert(self):
        rng = self.rng
        self.name = rng.choice(("x", "x", "x", "x y", "\u00e9", "a-b_c.1", "0"))
        if rng.random() < 0.02:
            self.count = 0
        verb = rng.choices(("convert", "join", "several", "merge", "select", "sort", "split"),
                           (60, 8, 6, 7, 7, 7, 5))[0]
        kind, source = self.draw_source("features" if verb == "join" else None)
        if source.stdin is not None and verb == "split":
            verb = "convert"
        sources, args, data = [source], [], source.data
        if verb == "join":
            labels, data = self.draw_labels(source)
            kind, args = "labelled", ["--labels", labels]
        elif verb in ("several", "merge"):
            sources, data = self.draw_second(verb, kind, source, args)
        elif verb in ("select", "sort"):
            data = self.draw_choice(verb, data, args)
        target = self.draw_target(kind, verb)
        asked = None
        if kind in ("features", "labelled", "sound", "vectors") and rng.random() < 0.12 and verb != "split":
            asked = rng.choice([t for t in NAMES if t != "b1" and (kind != "sound" or t != "f2")])
            args += ["--dtype", NAMES[asked]]
        out = None
        if kind == "labelled" and rng.random() < 0.5 and verb != "split":
            out = rng.choice((kaldi.target, lines.target, tables.pfile_target))(self)
            while out.stdout:
                out = rng.choice((kaldi.target, lines.target))(self)
            args += ["--labels-out", out.argument]
        self.judge(verb, kind, sources, data, target, out, asked, args)

    def draw_labels(self, source):
        """Labels for the features of a source, joined by name."""
        rng, data = self.rng, []
        for u in source.data:
            data.append(u.with_(features=None, shift=None,
                                labels=np.array([rng.randint(1, 400) for _ in range(u.frames())], "i4")))
        joined = [u.with_(labels=v.labels) for u, v in zip(source.data, data)]
        rng.shuffle(data)
        if rng.random() < 0.5 or any(len(u.labels) < 3 or not is_word(u.key) for u in data):
            return store(self.path("in", "jsonl"), b"".join(lines.encode(u, rng) for u in data)), joined
        raw = b"".join(u.key + b" " + kaldi.entry(u, False) for u in data)
        return "ark:" + store(self.path("in", "ark"), raw), joined

    def draw_second(self, verb, kind, source, args):
        if source.options or source.stdin is not None:
            return [source], source.data
        _, second = self.draw_source(kind)
        if second.options or second.stdin is not None or source.generated or second.generated:
            return [source], source.data
        data = source.data + second.data
        if verb == "several" and len({u.key for u in data}) < len(data):
            return [source], source.data
        if verb == "merge" and self.rng.random() < 0.3:
            args += ["--duplicates", "first"]
            seen = set()
            data = [u for u in data if not (u.key in seen or seen.add(u.key))]
        return [source, second], data

    def draw_choice(self, verb, data, args):
        rng = self.rng
        if verb == "sort":
            by = rng.choice(("key", "frames"))
            args += ["--by", by]
            return sorted(data, key=(lambda u: u.key) if by == "key" else length)
        if rng.random() < 0.5:
            most = rng.randint(0, 20)
            args += ["--min-frames", str(most)]
            # Sound, text and segments have no frames, which is not the same as none of them.
            self.uncounted = any(not u.frames() and u.features is None and u.labels is None for u in data)
            return [u for u in data if u.frames() >= most]
        wanted = [u.key for u in data if rng.random() < 0.6 and u.key.split() == [u.key] and b"\0" not in u.key]
        rng.shuffle(wanted)
        path = self.path("in", "list")
        with open(path, "wb") as out:
            out.writelines(key + b"\n" for key in wanted)
        args += ["--keys", path]
        return [u for u in data if u.key in wanted]

    def draw_target(self, kind, verb):
        rng = self.rng
        if verb == "split":
            able = [n for n in ("kaldi", "jsonl", "pfile") if n in HELD[kind]] or ["jsonl"]
            self.name = "p{part}"
            while True:
                target = TARGETS[rng.choice(able)](self)
                if not (target.stdout or target.holds.keys == "none" or "scp" in target.argument or "|" in target.argument):
                    return target
        able = sorted(TARGETS)
        if kind in ("text", "segments"):
            # SPRAAK's folders become lists.
            able = [name for name in able if name not in ("spr", "key")]
        return TARGETS[rng.choice(HELD[kind]) if rng.random() < 0.92 else rng.choice(able)](self)

    def judge(self, verb, kind, sources, data, target, out, asked, args):
        words = any(u.object and u.object[0] in ("token", "token-vector") for u in data)
        if words and target.argument.startswith(("spr:", "key:")):
            # SPRAAK's folders become lists of what was said.
            return
        if getattr(target, "finite", False):
            steady = all(u.features is None or u.features.dtype == np.float32 and np.isfinite(u.features).all()
                         and np.abs(u.features).max(initial=0) < 1e37 for u in data)
            if not steady or asked:
                return
        if kind == "sound" and any(not np.isfinite(np.ravel(u.sound[1]).astype("f8")).all() for u in data):
            return
        want, losses = fit(data, target.holds, asked, out is not None, sources[0].generated)
        needed, found_out = losses.kinds() - target.granted, None
        if out is not None:
            apart = [u.with_(features=None) for u in data]
            if any(u.labels is None for u in data):
                losses.refuse("no labels to write")
            found_out, more = fit(apart, out.holds, None, False, sources[0].generated)
            if more.hard:
                losses.refuse(more.hard)
            needed |= more.kinds() - out.granted
            for name, line in more.lines.items():
                losses.lines.setdefault(name, line)
        self.more_refusals(verb, sources, data, want, target, losses)
        needed -= {"metadata"}
        if asked:
            needed -= {"precision", "range"}
        allowed = self.draw_allowed(needed)
        if allowed:
            args += ["--allow-loss", ",".join(sorted(allowed))]
        denied = set() if "all" in allowed else needed - allowed
        self.outputs = 1 if out is None else 2
        # A command may make its file at once.
        self.commanded = any(getattr(t, "command", False) for t in (target, out))
        arguments = self.arguments(verb, sources, target, args, data)
        status, printed, said = self.call(*arguments, stdin=sources[0].stdin)
        if losses.hard or denied:
            expect(status == 2, "status %d where %s is refused: %s", status, losses.hard or sorted(denied), said)
            self.judge_refusal(target, losses, denied, said)
            return
        expect(status == 0, "status %d, nothing is to be refused (%s): %s", status, sorted(losses.kinds()), said)
        self.judge_output(verb, sources, data, target, want, out, found_out, losses, printed, asked)

    def more_refusals(self, verb, sources, data, want, target, losses):
        rng = self.rng
        if not data and target.holds.one:
            losses.refuse("no utterance for a file")
        # There "-" is the file of the line before.
        if getattr(target, "listed", False) and any(u.key == b"-" for u in data):
            losses.refuse("the name of another")
        # There "_" is a blank.
        if getattr(target, "listed", False) and any(b"_" in (u.text or b"") for u in want):
            losses.refuse("a blank")
        if getattr(target, "listed", False) and len({u.shift or Decimal("0.01") for u in want}) > 1:
            losses.refuse("several frame shifts")
        # HTK reads no files with longer frames.
        to_htk = re.match(r"htk:|[^:]*\.htk(,|$)", target.argument)
        if to_htk and any(u.shift is not None and u.shift > Decimal("0.1") for u in want):
            losses.refuse("a frame shift")
        # Its periods are whole units, and its samples of one channel.
        if to_htk and any(u.sound is not None and (u.sound[1].shape[1] != 1 or 10 ** 7 % u.sound[0]) for u in want):
            losses.refuse("sound of another rate or of several channels")
        if target.holds.objects and not target.holds.columnless and len({u.object[0] for u in data if u.object}) > 1:
            losses.refuse("objects of several kinds")
        if self.uncounted:
            losses.refuse("no frames to count")
        self.parts = None
        if verb == "split":
            self.parts = rng.randint(1, max(1, len(data)))
            if not data:
                losses.refuse("too few for the parts")
        if verb == "merge" and len(sources) > 1:
            names = [u.key for u in data]
            if len(set(names)) < len(names):
                losses.refuse("a key twice")

    def draw_allowed(self, needed):
        rng = self.rng
        pick = rng.random()
        if not needed:
            return {"all"} if pick < 0.1 else set()
        if pick < 0.55:
            return set(needed)
        if pick < 0.7:
            return {"all"}
        return {kind for kind in needed if rng.random() < 0.4}

    def arguments(self, verb, sources, target, args, data):
        rng = self.rng
        said = [s.argument for s in sources]
        before = {"convert": [], "join": [], "several": ["convert"]}.get(verb, [verb])
        end = [target.argument] if len(said) == 1 and rng.random() < 0.7 else ["-o", target.argument]
        if verb == "split":
            args = args + ["-n", str(self.parts)]
        if verb in ("convert", "join") and end[0] == "-o":
            before = ["convert"]
        more = [option for s in sources for option in s.options] + target.options + args
        more += ["--report", "report.json", "-j", str(rng.choice((1, 2, 4)))]
        more += ["--no-sync"] * (rng.random() < 0.9) + ["--quiet"] * (rng.random() < 0.3)
        self.facts = rng.random() < 0.1
        more += ["--json"] * self.facts
        # The bytes of single numbers of several types do not tell which is which.
        single = {u.features.dtype for u in data if u.features is not None and u.features.ndim == 0}
        if not target.stdout and rng.random() < 0.1 and not self.commanded and target.sure and len(single) < 2:
            more += ["--verify"]
        return before + said + end + more

    def judge_refusal(self, target, losses, denied, said):
        errors = [line for line in said.splitlines() if line.startswith("spr-convert: error: ")]
        if self.facts:
            return
        expect(len(errors) == 1, "%d errors: %s", len(errors), said)
        if not losses.hard:
            # Of two outputs the first that is refused ends it.
            named = all if self.outputs == 1 else any
            expect(named(kind in errors[0] for kind in denied), "the error does not name %r: %s", denied, said)
            expect("--allow-loss" in said, "no hint at --allow-loss: %s", said)
        left = sorted(os.listdir("out"))
        expect(not left or self.commanded, "left behind: %r", left)
        expect(not os.path.exists("report.json"), "a report is left behind")

    def judge_output(self, verb, sources, data, target, want, out, found_out, losses, printed, asked):
        rounded = rounding(want, target.rounded(want), target.bounds) if target.rounded else Losses()
        want = target.seen(want)
        got = self.read_parts(target, want) if verb == "split" else target.read(printed, want)
        wrong = difference(want, got)
        expect(not wrong, "output: %s", wrong)
        if out is not None:
            wrong = difference(out.seen(found_out), out.read(b"", out.seen(found_out)))
            expect(not wrong, "labels apart: %s", wrong)
        left = [name for name in os.listdir("out") if name.endswith((".tmp", ".old"))]
        expect(not left, "left behind: %r", left)
        with open("report.json", encoding="utf-8") as file:
            report = json.load(file)
        if self.facts and not target.stdout:
            facts = json.loads(printed)
            expect(facts["utterances"] == report["utterances"], "--json and --report differ")
        expect((report["utterances"], report["skipped"]) == (len(want), 0), "the report counts %r", report)
        frames = sum(u.frames() for u in want)
        expect(report["frames"] == frames or out is not None, "the report counts %d frames, not %d", report["frames"], frames)
        if out is None and not target.granted & {"precision"}:
            told = [line for line in report["losses"] if line["what"] and line["kind"] in ("precision", "range")]
            self.judge_losses([line for line in report["losses"] if line not in told], losses)
            self.judge_losses(told, rounded)
        if verb in ("convert", "sort") and not sources[0].options and not target.stdout and target.sure:
            again.look(self, verb, sources[0], data, target, want)

    def read_parts(self, target, want):
        """The parts one after the other, each called as the argument says."""
        found, names = [], os.listdir("out")
        for part in range(self.parts):
            mine = [name for name in names if name.startswith("p%d" % part) and not name[len("p%d" % part)].isalpha()]
            for name in mine:
                os.rename(os.path.join("out", name), os.path.join("out", name.replace("p%d" % part, "p{part}", 1)))
            begun = len(found)
            # How many there are in a part is for the program to say.
            found += target.read(b"", want[begun:])
            for name in mine:
                os.remove(os.path.join("out", name.replace("p%d" % part, "p{part}", 1)))
        return found

    def judge_losses(self, said, losses):
        # Header lines are each format's own.
        kinds = {line["kind"] for line in said} - {"metadata"}
        expect(kinds == losses.kinds() - {"metadata"}, "losses %r, expected %r", said, losses.lines)
        for line in said:
            if line["kind"] == "metadata":
                continue
            want = losses.lines[line["kind"]]
            expect(line["utterances"] == len(want["utterances"]), "loss %r, expected %r", line, want)
            if line["kind"] in ("precision", "range"):
                numbers = line["values"], line["of"]
                expect(numbers == (want["values"], want["of"]), "loss %r, expected %r", line, want)
            if line["kind"] == "precision":
                a, b = line["max_abs_err"], want["max_abs_err"]
                expect(abs(a - b) <= 1e-9 * abs(b), "largest error %r, expected %r", a, b)


def run(program, seed, scratch):
    """None, or what was wrong and the commands that show it."""
    case = Case(program, seed, scratch)
    try:
        case.run()
    except Exception as error:  # whatever goes wrong belongs to this case
        where = ""
        if not isinstance(error, Mismatch):
            step = error.__traceback__
            while step.tb_next:
                step = step.tb_next
            where = " (%s:%d)" % (os.path.basename(step.tb_frame.f_code.co_filename), step.tb_lineno)
        return "%s: %s%s" % (type(error).__name__, error, where), case.commands
    return None, case.commands
