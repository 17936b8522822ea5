"""The canonical text form against Python's json module."""
import json

import numpy as np

import data
from harness import same_sets


def refuse(name):
    raise ValueError("%s is not JSON" % name)


def checks(t):
    sets = [(code, data.features_only(data.matrices(code))) for code in ("f4", "f8")]
    sets.append(("labels and features", data.labelled(data.matrices(), data.labels())))
    sets.append(("labels", data.labels_only(data.labels())))
    sets.append(("vectors", data.features_only(data.vectors())))
    for code in ("i1", "u1", "i2", "u2", "i4", "u4", "i8", "u8"):
        info = np.iinfo(code)
        sets.append((code, [("k", np.array([[info.min, info.max]], code), None, {})]))
    meta = {"frame_shift": 0.01, "frame_offset": 0.0075, "tags": [["spraak", "SPEAKER", "é \"x\""]]}
    sets.append(("meta", [("k", np.ones((1, 1), "f4"), None, meta)]))
    keys = ["a b", "\"\\\n\t\x01", "\U0001f600", ""]
    sets.append(("odd keys", [(key, np.ones((1, 1), "f4"), None, {}) for key in keys]))
    for name, items in sets:
        with t.check("jsonl: %s read and written" % name):
            source = t.write_jsonl("in.jsonl", items)
            t.convert(source, t.path("out.jsonl"))
            with open(t.path("out.jsonl"), encoding="utf-8") as lines:
                for line in lines:
                    json.loads(line, parse_constant=refuse)
            same_sets(t.jsonl(t.path("out.jsonl")), items)
