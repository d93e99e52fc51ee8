"""The process of a job: bounded in memory, watched, and ended with the worker that started it."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from autourdf_ros.errors import CancelledError
from autourdf_ros.fleet import ends_with_parent
from autourdf_ros.fleet.fleet_library import fleet_library

_PERIOD = 0.1  # s between two observations of the process
_REPORT = 10.0  # s between two reports of its log
_MOST_LOG = 200_000  # bytes of the log's end that are kept


@dataclass(frozen=True)
class Ended:
    """How a process ended.

    Attributes:
        code: Exit code; negative: the signal that ended it.
        seconds: That it took.
        cpu_seconds: Of computing, by all its threads and children.
        peak_memory: Bytes that it and its children held at most, as observed.
        over_memory: Whether it was ended because it held more than it may.
        log: The end of what it printed.
    """

    code: int
    seconds: float
    cpu_seconds: float
    peak_memory: int
    over_memory: bool
    log: str


def run_watched(
    command: Sequence[str],
    log: Path,
    memory: int | None,
    is_wanted: Callable[[], bool],
    report: Callable[[str], None],
) -> Ended:
    """Run a command to its end.

    Args:
        command: Program with arguments.
        log: File for what it prints.
        memory: Bytes that it and its children may hold; None for no bound.
        is_wanted: Asked often; once it says no, the process is killed.
        report: Receives the log now and then, so that it is known should this process be killed.

    Raises:
        CancelledError: It was not wanted any more.
    """
    psutil = fleet_library("psutil")
    began = reported = time.monotonic()
    launcher = [sys.executable, "-I", ends_with_parent.__file__, str(os.getpid())]
    with log.open("wb") as file:
        process = subprocess.Popen(
            [*launcher, *command],
            stdin=subprocess.DEVNULL,
            stdout=file,
            stderr=file,
            start_new_session=True,  # Ctrl-C is the batch's matter
        )
    watched = psutil.Process(process.pid)
    peak, over, code, usage = 0, False, None, None
    try:
        while code is None:
            time.sleep(_PERIOD)
            held = _held(watched, psutil)
            peak = max(peak, held)
            if memory is not None and held > memory:
                over = True
                process.kill()
            if not is_wanted():
                raise CancelledError("cancelled")
            if time.monotonic() - reported > _REPORT:
                reported = time.monotonic()
                report(_end_of(log))
            pid, status, usage = os.wait4(process.pid, os.WNOHANG)
            code = os.waitstatus_to_exitcode(status) if pid else None
    finally:
        if code is None:
            _kill(watched, psutil)
            process.wait()
        process.returncode = code if code is not None else -signal.SIGKILL
    assert usage is not None
    seconds = time.monotonic() - began
    return Ended(code, seconds, usage.ru_utime + usage.ru_stime, peak, over, _end_of(log))


def _held(process: Any, psutil: Any) -> int:
    """Bytes of memory that a process and its children hold."""
    total = 0
    try:
        for one in (process, *process.children(recursive=True)):
            total += one.memory_info().rss
    except psutil.Error:
        pass  # it has just ended
    return total


def _kill(process: Any, psutil: Any) -> None:
    try:
        for one in (*process.children(recursive=True), process):
            one.kill()
    except psutil.Error:
        pass


def _end_of(log: Path) -> str:
    with log.open("rb") as file:
        size = file.seek(0, os.SEEK_END)
        file.seek(max(0, size - _MOST_LOG))
        return file.read().decode(errors="replace")
