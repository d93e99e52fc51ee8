"""Registers its process group with the guard, and then executes a command.

Run as a program; its arguments are the file descriptor of the guard's input, and the command. The
process registers itself before it executes anything, since its parent may be killed at any time;
until then it holds the guard's input open.
"""

from __future__ import annotations

import os
import sys


def main() -> None:
    """Register this process, and execute the command."""
    guard_input, command = int(sys.argv[1]), sys.argv[2:]
    os.write(guard_input, b"+%d\n" % os.getpid())
    os.close(guard_input)
    os.execvp(command[0], command)


if __name__ == "__main__":
    main()
