"""What a format holds, and what a case reads from and writes to."""
import bz2
import gzip

FEATURES = ("f4", "f8", "i1", "u1", "i2", "u2", "i4", "u4", "i8", "u8")
LABELS = ("i4", "i8", "i2", "i1", "u1", "u2", "u4", "u8")


class Holds:
    """What a file, or a folder of files, of a format holds; types in the order of preference."""

    def __init__(self, **facts):
        self.features = self.labels = self.sound = self.objects = ()
        self.vectors = self.scalars = self.text = self.segments = self.shift = self.one = self.unique = False
        self.same_dim = self.same_dtype = self.same_columns = self.columnless = self.plain_labels = False
        self.labels_beside = self.labels_alone = self.boundaries = True
        self.label_columns, self.max_columns = 1 << 60, 1 << 60
        self.empty, self.keys = "no", "words"
        for name, fact in facts.items():
            assert hasattr(self, name), name
            setattr(self, name, fact)


class Source:
    """An input: its argument, options, what stands on standard input, and what is to be read."""

    def __init__(self, argument, data, options=(), stdin=None, generated=False):
        self.argument, self.data, self.options, self.stdin = argument, data, list(options), stdin
        # Whether names are made up in reading.
        self.generated = generated


class Target:
    """An output: its argument, options, what it holds, and `read`, which takes what the program
    printed and what is expected, and gives what is there."""

    def __init__(self, argument, holds, read, options=(), stdout=False, seen=None, granted=(), sure=True,
                 rounded=None):
        self.argument, self.holds, self.read, self.options, self.stdout = argument, holds, read, list(options), stdout
        # What is expected, as the output shows it: names that are made up, order, rounding.
        self.seen = seen or (lambda data: data)
        # Losses that an option asks for.
        self.granted = set(granted)
        # What an encoder leaves of data, which it tells.
        self.rounded = rounded
        # Whether the output as an input gives the same values again.
        self.sure = sure


PACKERS = {"": lambda raw: raw, ".gz": gzip.compress, ".bz2": bz2.compress}
UNPACKERS = {"": lambda raw: raw, ".gz": gzip.decompress, ".bz2": bz2.decompress}


def ending(rng, most=0.15):
    """Mostly nothing, sometimes the ending of a packed file."""
    return rng.choice((".gz", ".bz2")) if rng.random() < most else ""


def store(path, raw, packed=""):
    with open(path + packed, "wb") as out:
        out.write(PACKERS[packed](raw))
    return path + packed


def load(path, packed=""):
    with open(path + packed, "rb") as file:
        return UNPACKERS[packed](file.read())


def numbered(data):
    """The data under names that are made up."""
    return [u.with_(key=b"utt%06d" % i) for i, u in enumerate(data)]
