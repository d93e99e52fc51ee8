"""Runs a command that is killed as soon as the process that started it has ended.

`python ends_with_parent.py PARENT COMMAND ...`: a worker that is killed leaves no job behind, which
would go on beside the one that replaces it. The file imports nothing of the package: it costs a
bare start of Python.
"""

import ctypes
import os
import signal
import sys

_PR_SET_PDEATHSIG = 1  # linux/prctl.h


def main() -> None:
    """Ask the kernel for the signal and become the command."""
    ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)
    parent, *command = sys.argv[1:]
    if os.getppid() != int(parent):  # it ended before the kernel was asked
        sys.exit(1)
    os.execv(command[0], command)


if __name__ == "__main__":
    main()
