"""The program: ``spr-convert``, or ``python -m spr_convert``."""

import signal
import sys

from spr_convert import _native


def main() -> int:
    """Runs the command line of this process to its exit status."""
    # The program handles it by itself.
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    return _native.main(["spr-convert", *sys.argv[1:]])


if __name__ == "__main__":
    sys.exit(main())
