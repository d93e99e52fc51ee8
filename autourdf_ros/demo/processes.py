"""Processes of nodes, which end together."""

from __future__ import annotations

import signal
import subprocess
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from types import TracebackType
from typing import IO

from autourdf_ros.demo import announced, guard
from autourdf_ros.errors import AutourdfError

TAIL_LINES = 15
GRACE = 5.0
"""Seconds between asking a process to end (SIGINT) and forcing it (SIGKILL)."""


class NodeDiedError(AutourdfError):
    """A node ended although it was needed."""


class ProcessGroups:
    """Processes in groups of their own, each with a log file; leaving the context ends them all.

    They also end when this process is killed (see `guard`). Children of a process end with it.
    """

    def __init__(self, logs: Path, environment: Mapping[str, str], grace: float = GRACE) -> None:
        """Write logs to the folder `logs`; grace (s) is the time to end before SIGKILL."""
        self._grace = grace
        self._logs = logs
        self._environment = dict(environment)
        self._processes: dict[str, subprocess.Popen[bytes]] = {}

    def __enter__(self) -> ProcessGroups:
        """Start the guard."""
        self._logs.mkdir(parents=True, exist_ok=True)
        self._guard = subprocess.Popen(
            [sys.executable, "-I", "-S", guard.__file__, str(self._grace)],
            stdin=subprocess.PIPE,
            text=True,
            start_new_session=True,
        )
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """End all processes; closing the guard's input ensures it."""
        try:
            self.stop(*self._processes)
        finally:
            self._guard_input.close()
            self._guard.wait()

    def start(
        self,
        name: str,
        command: Sequence[str],
        output: int | None = None,
        stdin: int = subprocess.DEVNULL,
    ) -> subprocess.Popen[bytes]:
        """Start a process that writes to its log; `subprocess.PIPE` keeps its stdout or stdin."""
        guard_input = self._guard_input.fileno()
        announce = [sys.executable, "-I", "-S", announced.__file__, str(guard_input)]
        with self.log(name).open("wb") as log:
            process = subprocess.Popen(
                [*announce, *command],
                env=self._environment,
                stdin=stdin,
                stdout=log if output is None else output,
                stderr=log,
                start_new_session=True,
                pass_fds=(guard_input,),
            )
        self._processes[name] = process
        return process

    def check(self) -> None:
        """Raise NodeDiedError with the end of its log where a process has ended."""
        for name, process in self._processes.items():
            code = process.poll()
            if code is not None:
                reason = f"signal {-code}" if code < 0 else f"exit code {code}"
                raise NodeDiedError(f"the node '{name}' ended ({reason}){self.end_of_log(name)}")

    def stop(self, *names: str) -> None:
        """End these processes and their children: by SIGINT, and after the grace by SIGKILL."""
        processes = [self._processes.pop(name) for name in names]
        groups = [process.pid for process in processes]
        guard.signal_groups(groups, signal.SIGINT)
        for process in processes:
            try:
                process.wait(self._grace)
            except subprocess.TimeoutExpired:
                continue
        guard.stop_groups(groups, self._grace)
        for process in processes:
            process.wait()
            self._notify_guard(f"-{process.pid}")

    @property
    def names(self) -> tuple[str, ...]:
        """Names of the processes that were started and not stopped."""
        return tuple(self._processes)

    @property
    def folder(self) -> Path:
        """The folder of the logs."""
        return self._logs

    def log(self, name: str) -> Path:
        """Return the log file of a process."""
        return self._logs / f"{name}.log"

    def end_of_log(self, name: str) -> str:
        """Return the last lines of the log of a process, for an error; empty without a log."""
        if not self.log(name).is_file():
            return ""
        lines = self.log(name).read_text(errors="replace").splitlines()
        tail = "\n".join(lines[-TAIL_LINES:])
        return f"; the end of {self.log(name)}:\n{tail}"

    @property
    def _guard_input(self) -> IO[str]:
        assert self._guard.stdin is not None
        return self._guard.stdin

    def _notify_guard(self, line: str) -> None:
        self._guard_input.write(f"{line}\n")
        self._guard_input.flush()
