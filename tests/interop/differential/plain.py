"""Sources that are one file each, which its name alone names."""
import os
import re


def file_of(source):
    """The file of a source that needs no option, or None."""
    path = re.sub(r"^[a-z]+:", "", source.argument)
    return path if source.stdin is None and not source.options and os.path.isfile(path) else None


def draw(case, kind=None, name=None, fits=lambda source, path: True):
    """A kind, a source and its file; a folder or a pipe is drawn again."""
    while True:
        drawn, source = case.draw_source(kind, name)
        path = file_of(source)
        if path and source.data and fits(source, path):
            return drawn, source, path
