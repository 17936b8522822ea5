"""Pickles against every Python with NumPy that is there."""
import glob
import os
import shlex
import subprocess
import sys

import numpy as np

import arrays
import data
from harness import same_sets

SCRIPT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "arrays.py")


def call(python, *args):
    done = subprocess.run(python + [SCRIPT, *args], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    if done.returncode:
        raise RuntimeError(done.stderr.strip().splitlines()[-1])
    return done.stdout


def pythons(commands):
    """Name, command and highest protocol of each; this one first, then those named, then pyenv's."""
    commands = [[sys.executable]] + [shlex.split(command) for command in commands]
    commands += [[path] for path in sorted(glob.glob(os.path.expanduser("~/.pyenv/versions/*/bin/python")))]
    seen = set()
    for command in commands:
        try:
            version, numpy, highest = call(command, "version").split()
        except (OSError, RuntimeError):
            continue  # no NumPy there
        if (version, numpy) not in seen:
            seen.add((version, numpy))
            yield "Python %s, NumPy %s" % (version, numpy), command, int(highest)


def shown(*parts):
    """What the script prints of these."""
    return ["%s %s %s" % (a.dtype.str[1:], "x".join(map(str, a.shape)), a.tobytes().hex()) for a in parts]


def checks(t, commands):
    items, targets = data.matrices(), data.labels()
    features = np.concatenate([m for _, m in items])
    labels = np.concatenate([v for _, v in targets])
    both = t.write_jsonl("both.jsonl", data.labelled(items, targets))
    alone = t.write_jsonl("alone.jsonl", data.features_only(items))
    double = t.write_jsonl("double.jsonl", data.features_only(data.matrices("f8")))
    joined = np.concatenate([m for _, m in data.matrices("f8")])
    pairs = [(key, np.stack([v, v[::-1]], 1)) for key, v in targets]
    wide = t.write_jsonl("wide.jsonl", data.labelled(items, pairs))
    columns = np.concatenate([v for _, v in pairs])
    out = t.path("o.pkl")
    found = list(pythons(commands))
    for protocol in range(6):
        for source, name, parts in [(both, "features and labels", (features, labels)), (alone, "features", (features,)),
                                    (wide, "two label columns", (features, columns)), (double, "doubles", (joined,))]:
            t.convert(source, "%s,protocol=%d" % (out, protocol))
            for label, python, highest in found:
                if protocol <= highest:
                    with t.check("pickle: %s, protocol %d, loaded by %s" % (name, protocol, label)):
                        lines = call(python, "load", out).split("\n")[:-1]
                        assert lines == shown(*parts), [line[:60] for line in lines]
        for layout in ("pdnn", "dict", "list"):
            with t.check("pickle: %s, protocol %d read back with its names" % (layout, protocol)):
                t.convert(both, "%s,layout=%s,protocol=%d" % (out, layout, protocol))
                same_sets(t.jsonl(out), data.labelled(items, targets))
        entries = [(key.encode().hex(), shown(m, v)) for (key, m), (_, v) in zip(items, targets)]
        wanted = {
            "dict": [line for key, lines in sorted(entries) for line in [key] + lines],
            "list": [line for _, lines in entries for line in lines],
        }
        for layout in wanted:
            t.convert(both, "%s,layout=%s,protocol=%d" % (out, layout, protocol))
            for label, python, highest in found:
                if protocol <= highest:
                    with t.check("pickle: %s, protocol %d, loaded by %s" % (layout, protocol, label)):
                        lines = call(python, "load", out).split("\n")[:-1]
                        assert lines == wanted[layout], [line[:60] for line in lines]
    for label, python, highest in found:
        for protocol in range(highest + 1):
            with t.check("pickle: protocol %d by %s, read" % (protocol, label)):
                for case in ("pair", "array", "fortran", "big-endian"):
                    path = t.path("in.pkl")
                    call(python, "dump", path, str(protocol), case)
                    value = arrays.case(case)
                    value = value if isinstance(value, tuple) else (value, None)
                    same_sets(t.jsonl(path), [("utt000000", value[0], value[1], {})])
