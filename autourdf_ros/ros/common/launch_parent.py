"""Ends a node once the launch that started it has ended in any way.

`ros2 launch` leaves its nodes running when it is killed, or when it fails while it starts them.
Nothing would then stop a robot that such a node moves. There are several ways to detect it:

- A change of the parent process also occurs for a node that a shell started by `nohup ... &`, when
  the shell ends. It does not occur where a `--launch-prefix` is a process in between.
- `prctl(PR_SET_PDEATHSIG)` has the same two faults. The signal is also sent when the *thread* ends
  that started the node, and is lost where the parent ends before the node has called it.
- So the launch files name their process in the environment, and only their nodes watch that
  process, by polling. This needs no privilege, works through other processes, and misses nothing.
"""

from __future__ import annotations

import os
import threading
from pathlib import Path

from rclpy.logging import get_logger

from autourdf_ros.errors import InputError

LAUNCH_PROCESS = "AUTOURDF_PARENT_PID"
"""Environment variable: number of the process without which the node must not run."""

PERIOD = 0.2  # s


def end_with_launch(ended: threading.Event) -> None:
    """Set `ended` once the process that `LAUNCH_PROCESS` names is gone; without it, never.

    Raises:
        InputError: the variable is no process number.
    """
    text = os.environ.get(LAUNCH_PROCESS, "")
    if not text:
        return
    if not (text.isascii() and text.isdigit()):
        raise InputError(f"{LAUNCH_PROCESS}: {text!r} is no process number")
    threading.Thread(target=_watch, args=(int(text), ended), daemon=True).start()


def _watch(process: int, ended: threading.Event) -> None:
    began = _began(process)
    while began is not None and _began(process) == began:
        if ended.wait(PERIOD):
            return
    ended.set()
    get_logger("launch_parent").warning(f"the launch (process {process}) is gone: the node ends")


def _began(process: int) -> str | None:
    """Return the start of a process, which differs for a later one of its number; None: ended."""
    try:
        fields = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()
    except OSError:
        return None
    # A process that its parent has not waited for stays in the table: Z, or X at its end.
    return None if fields[0] in "ZX" else fields[19]
