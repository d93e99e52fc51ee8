"""Names the process of a launch to its nodes; imports nothing, so that it serves at once."""

from __future__ import annotations

import os
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

LAUNCH_PROCESS = "AUTOURDF_PARENT_PID"
"""Environment variable: the process without which the node must not run, as `PID` or `PID:START`.

START is the start time of the process in clock ticks since boot (field 22 of /proc/PID/stat).
"""

_PERIOD = 0.2  # s


def launch_process() -> str:
    """Return the value of `LAUNCH_PROCESS` that names this process."""
    return f"{os.getpid()}:{start_of(os.getpid())}"


def start_of(process: int) -> str | None:
    """Return the start time of a process; None for one that has ended.

    Raises:
        OSError: its entry cannot be read.
    """
    stat = Path(f"/proc/{process}/stat").read_bytes()
    fields = stat.rpartition(b")")[2].split()  # the name before may hold any bytes
    # A process that its parent has not waited for stays in the table: Z, or X at its end.
    return None if fields[0] in (b"Z", b"X") else fields[19].decode()


@contextmanager
def ended_with_launch() -> Iterator[None]:
    """End this process at once where its launch is gone while the block runs.

    It is for imports, which take seconds on a busy machine and leave nothing to clean up. What
    `LAUNCH_PROCESS` may not hold is left to the node, which says so.
    """
    number, _, start = os.environ.get(LAUNCH_PROCESS, "").partition(":")
    over = threading.Event()
    if number.isdecimal() and start.isdecimal():
        threading.Thread(target=_watch, args=(int(number), start, over), daemon=True).start()
    try:
        yield
    finally:
        over.set()


def _watch(process: int, start: str, over: threading.Event) -> None:
    while not over.wait(_PERIOD):
        try:
            now = start_of(process)
        except (FileNotFoundError, ProcessLookupError):
            now = None
        except OSError:
            continue
        if now != start:
            os._exit(0)
