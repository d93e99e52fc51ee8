"""Waits for a file, and then executes the command of a node.

Run as a program; its arguments are the file and the command. Nodes import for seconds: those of a
launch that are needed later leave the processor to those that are needed first.
"""

from __future__ import annotations

import os
import shlex
import signal
import sys
import time
from pathlib import Path

from autourdf_ros.ros.common.launch_process import ended_with_launch

PERIOD = 0.1  # s


def prefix(file: Path) -> str:
    """Return the prefix of a command that is executed once a file exists."""
    return shlex.join([sys.executable, "-m", __name__, str(file)])


def main() -> None:
    """Wait, and execute the command; end where a signal asks for it, or the launch is gone."""
    file, command = Path(sys.argv[1]), sys.argv[2:]
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    with ended_with_launch():
        while not file.exists():
            time.sleep(PERIOD)
    os.execvp(command[0], command)


if __name__ == "__main__":
    main()
