"""Ends a node once the launch that started it is gone, however that ended.

`ros2 launch` leaves its nodes running when it is killed, or fails while it starts them, and nobody
would be there any more to stop a robot that such a node moves. Of the ways to notice:

- A change of the parent process would also end what a shell started by `nohup ... &`, when the
  shell ends, and stays unseen where a `--launch-prefix` stands between.
- `prctl(PR_SET_PDEATHSIG)` has the same two faults, is sent when the *thread* ends that started
  the node, and comes too late where the parent ends before the node has called it.
- So the launch files name their process in the environment, and only nodes started by them watch
  it, by polling: no privilege, no child of the launch in between, and nothing to miss.
"""

from __future__ import annotations

import os
import threading
from pathlib import Path

from rclpy.logging import get_logger

from autourdf_ros.errors import InputError

LAUNCH_PROCESS = "AUTOURDF_PARENT_PID"
"""Environment variable: number of the process without which the node is not to run."""

PERIOD = 0.2  # s


def end_with_launch(ended: threading.Event) -> None:
    """Set `ended` once the process that `LAUNCH_PROCESS` names is gone; without it, never.

    Raises InputError where it names no process number.
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
    """When a process began, which tells it from a later one of its number; None once it ended."""
    try:
        fields = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()
    except OSError:
        return None
    # A process that nobody has waited for stays in the table: Z, or X at its very end.
    return None if fields[0] in "ZX" else fields[19]
