"""Loads or dumps pickles of arrays, for any Python: `arrays.py version | load FILE | dump FILE PROTOCOL CASE`.

`load` prints a line for each array: dtype, shape, and the bytes in row order as hex; before it, in a
dict, a line with its key as hex. Warnings are errors.
"""
import binascii
import pickle
import sys
import warnings

import numpy as np

warnings.simplefilter("error")


def case(name):
    features = ((np.arange(6 * 4).reshape(6, 4) * 7 % 100 - 40) / 8.0).astype("f4")
    labels = (np.arange(6) * 300 - 2).astype("i4")
    return {
        "pair": (features, labels),
        "array": features,
        "fortran": (np.asfortranarray(features), labels),
        "big-endian": (features.astype(">f8"), labels.astype(">i8")),
    }[name]


def show(value):
    array = np.asarray(value)
    data = np.ascontiguousarray(array).astype(array.dtype.newbyteorder("<")).tobytes()
    print("%s %s %s" % (array.dtype.str.lstrip("<>|="), "x".join(map(str, array.shape)),
                        binascii.hexlify(data).decode()))


def walk(value):
    """The arrays of a value in their order; the keys of dicts, sorted, as hex lines."""
    if isinstance(value, dict):
        for key in sorted(value):
            print(binascii.hexlify(key.encode("utf-8")).decode())
            walk(value[key])
    elif isinstance(value, (tuple, list)):
        for part in value:
            walk(part)
    else:
        show(value)


def main(verb, *args):
    if verb == "version":
        print("%d.%d.%d %s %d" % (sys.version_info[:3] + (np.__version__, pickle.HIGHEST_PROTOCOL)))
    elif verb == "load":
        with open(args[0], "rb") as f:
            value = pickle.load(f)
        walk(value)
    elif verb == "dump":
        with open(args[0], "wb") as f:
            pickle.dump(case(args[2]), f, int(args[1]))


if __name__ == "__main__":
    main(*sys.argv[1:])
