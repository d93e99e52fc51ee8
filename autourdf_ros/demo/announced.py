"""Becomes a command, once it has told the guard its process group.

Run as a program: file descriptor of the guard's input, then the command. The process itself tells,
before it is anything else, since its parent may be killed at any time; until then it holds the
guard's input open.
"""

from __future__ import annotations

import os
import sys


def main() -> None:
    """Announce this process, and execute the command."""
    guard_input, command = int(sys.argv[1]), sys.argv[2:]
    os.write(guard_input, b"+%d\n" % os.getpid())
    os.close(guard_input)
    os.execvp(command[0], command)


if __name__ == "__main__":
    main()
