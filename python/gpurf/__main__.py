"""The command line: `gpurf`, or `python -m gpurf`."""

import signal
import sys

from . import _native


def main():
    # Python would only take note of the key and let the tool run on.
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    sys.exit(_native.run(sys.argv[1:]))


if __name__ == "__main__":
    main()
