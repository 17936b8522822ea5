"""Makes the samples of this folder: make.py TAG, once with each Python and NumPy.

All hold the same numbers. TAG names the versions in the file names.
"""
import pickle
import sys

import numpy as np

FEATURES = np.arange(600, dtype="f4").reshape(200, 3) / 4 - 20
LABELS = np.arange(200, dtype="i4") * 3 - 7


def dump(name, value, protocol, module=pickle):
    with open("%s_%s_p%d.pkl" % (sys.argv[1], name, protocol), "wb") as file:
        module.dump(value, file, protocol)


def main():
    highest = 2 if sys.version_info[0] == 2 else pickle.HIGHEST_PROTOCOL
    for protocol in range(highest + 1):
        dump("pair", (FEATURES, LABELS), protocol)
    if highest == 2:
        import cPickle

        for protocol in (0, 1, 2):
            dump("cpickle", [FEATURES, LABELS], protocol, cPickle)
    dump("columns", (np.asfortranarray(FEATURES), LABELS.astype("i8")), highest)
    dump("big", (FEATURES.astype(">f8"), LABELS.astype(">i2")), 2)
    dump("half", (FEATURES.astype("f2"), LABELS.astype("f4")), highest)
    dump("strided", (np.repeat(FEATURES, 2, axis=1)[:, ::2], LABELS[:, None]), highest)


main()
