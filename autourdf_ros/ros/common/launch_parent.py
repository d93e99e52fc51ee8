"""Ends a node once the launch that started it has ended in any way.

`ros2 launch` leaves its nodes running when it is killed, or when it fails while it starts them.
Nothing would then stop a robot that such a node moves. There are several ways to detect it:

- A change of the parent process also occurs for a node that a shell started by `nohup ... &`, when
  the shell ends. It does not occur where a `--launch-prefix` is a process in between.
- `prctl(PR_SET_PDEATHSIG)` has the same two faults. The signal is also sent when the *thread* ends
  that started the node, and is lost where the parent ends before the node has called it.
- So the launch files name their process in the environment, and only their nodes watch that
  process, by polling. This needs no privilege and works through other processes. The process is
  named by its number and its start time, so that a later process of the number is another one.

The node must see the launch in its `/proc`: in a container of its own it ends at once. Programs
that are not ours (RViz, robot_state_publisher) do not watch; they command nothing.
"""

from __future__ import annotations

import os
import threading

from rclpy.logging import get_logger

from autourdf_ros.errors import InputError
from autourdf_ros.ros.common.launch_process import LAUNCH_PROCESS, start_of

PERIOD = 0.2  # s
UNREADABLE = 25  # periods for which the process may be unreadable, as when no file can be opened


def end_with_launch(ended: threading.Event) -> None:
    """Set `ended` once the process that `LAUNCH_PROCESS` names is gone; without it, never.

    Raises:
        InputError: the variable is no process number, with or without a start time.
    """
    text = os.environ.get(LAUNCH_PROCESS, "")
    if not text:
        return
    number, _, start = text.partition(":")
    if not all(part.isascii() and part.isdigit() for part in (number, start or "0")):
        raise InputError(
            f"{LAUNCH_PROCESS}: {text!r} is no process number; accepted is PID or PID:START"
        )
    threading.Thread(target=_watch, args=(int(number), start, ended), daemon=True).start()


def _watch(process: int, start: str, ended: threading.Event) -> None:
    """Wait until the process is gone. Whatever happens here ends the node: nobody else watches."""
    reason = f"the launch (process {process}) cannot be watched"
    try:
        reason = _why_gone(process, start, ended)
    finally:
        stopped = not ended.is_set()
        ended.set()
        if stopped:
            get_logger("launch_parent").warning(f"{reason}: the node ends")


def _why_gone(process: int, start: str, ended: threading.Event) -> str:
    unreadable = 0
    while not ended.is_set():
        try:
            now, unreadable = start_of(process), 0
        except (FileNotFoundError, ProcessLookupError):
            now = None
        except OSError as error:
            unreadable += 1
            if unreadable > UNREADABLE:
                return f"/proc/{process}/stat cannot be read ({error.strerror})"
            now = start
        start = start or now or ""
        if now is None or now != start:
            return f"the launch (process {process}) is gone"
        ended.wait(PERIOD)
    return "the node ends"
