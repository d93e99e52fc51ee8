"""`autourdf reconstruct` in a process of its own, watched without blocking."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import threading
import time
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path

from autourdf_ros.progress import seconds_to_go

_PATIENCE = 5.0  # s from asking the process to end until it is killed
_YIELD = 5  # niceness: what commands the robot, which may be on its way back, comes first


@dataclass(frozen=True)
class Outcome:
    """How a reconstruction ended.

    Attributes:
        result: folder of the result, or None where it failed.
        verdict: of the model.
        reasons: for doubt.
        error: one line; empty where it succeeded.
        cancelled: whether it was cancelled.
    """

    result: Path | None
    verdict: str = ""
    reasons: tuple[str, ...] = ()
    error: str = ""
    cancelled: bool = False


@dataclass(frozen=True)
class _Progress:
    """What the process has reported so far."""

    stage: str = "starting"
    fraction: float = 0.0
    outcome: Outcome | None = None


@dataclass(frozen=True)
class Work:
    """What is to be reconstructed.

    Attributes:
        recording: folder or file.
        out: folder of the result.
        options: of `autourdf reconstruct`.
    """

    recording: Path
    out: Path
    options: tuple[str, ...] = ()

    @property
    def arguments(self) -> list[str]:
        """Arguments of `autourdf`."""
        fixed = ["reconstruct", str(self.recording), "-o", str(self.out)]
        return [*fixed, *self.options, "--progress", "json"]


class ReadyEngine:
    """A process that has imported the engine and waits; it ends when its parent process is gone."""

    def __init__(self) -> None:
        self._process = _started(["autourdf_ros.cli.ready_engine"], subprocess.PIPE)

    def follow(self, work: Work) -> None:
        """Have it begin with a recording that is still being made, for the same work later on."""
        with suppress(OSError):  # it has ended; `begin` will see that
            self._request({"follow": work.arguments})

    def begin(self, work: Work) -> subprocess.Popen[str] | None:
        """Have it do the work; return the process, or None where it has ended."""
        assert self._process.stdin is not None
        try:
            self._request({"reconstruct": work.arguments})
            self._process.stdin.close()
        except OSError:
            self.end()
            return None
        return self._process

    def _request(self, request: dict[str, list[str]]) -> None:
        assert self._process.stdin is not None
        self._process.stdin.write(json.dumps(request) + "\n")
        self._process.stdin.flush()

    def end(self) -> None:
        """End the process, which has nothing to lose."""
        self._process.kill()
        self._process.wait()


def _started(module: Sequence[str], stdin: int) -> subprocess.Popen[str]:
    process = subprocess.Popen(
        [sys.executable, "-m", *module],
        stdin=stdin,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    with suppress(ProcessLookupError):  # it may have ended already
        os.setpriority(os.PRIO_PROCESS, process.pid, os.getpriority(os.PRIO_PROCESS, 0) + _YIELD)
    return process


class ReconstructionProcess:
    """A running reconstruction, which ends by itself when its parent process is gone.

    Attributes:
        recording: that is reconstructed.
    """

    def __init__(self, work: Work, ready: ReadyEngine | None = None) -> None:
        """Begin; where there is one, by a process that is ready."""
        begun = None if ready is None else ready.begin(work)
        self._process = begun or _started(["autourdf_ros", *work.arguments], subprocess.DEVNULL)
        self.recording = work.recording
        self._began = time.monotonic()
        self._progress = _Progress()
        self._last_error = ""
        self._kill_at = float("inf")
        self._cancelled = False
        self._readers = [
            threading.Thread(target=target, daemon=True)
            for target in (self._read_progress, self._read_errors)
        ]
        for reader in self._readers:
            reader.start()

    @property
    def stage(self) -> str:
        """What the process does."""
        return self._progress.stage

    @property
    def fraction(self) -> float:
        """Share of the work that is done, in [0, 1]."""
        return self._progress.fraction

    @property
    def seconds_to_go(self) -> float:
        """Seconds until the end at the pace so far, or UNKNOWN."""
        return seconds_to_go(time.monotonic() - self._began, self.fraction)

    def cancel(self) -> None:
        """Ask the process once to end and to leave nothing; `poll` kills it if it does not."""
        if self._cancelled:
            return
        self._cancelled = True
        self._kill_at = time.monotonic() + _PATIENCE
        self._process.terminate()

    def poll(self) -> Outcome | None:
        """Return the outcome, or None while it runs. Call it often: it never blocks."""
        if time.monotonic() > self._kill_at:
            self._process.kill()
        code = self._process.poll()
        if code is None or any(reader.is_alive() for reader in self._readers):
            return None
        if self._progress.outcome is not None:
            return self._progress.outcome
        if self._cancelled:
            return Outcome(None, error="cancelled", cancelled=True)
        return Outcome(None, error=self._last_error or f"ended without a word (exit code {code})")

    def end(self) -> None:
        """Cancel it and wait until it has ended."""
        self.cancel()
        while self.poll() is None:
            time.sleep(0.02)

    def _read_progress(self) -> None:
        assert self._process.stdout is not None
        for line in self._process.stdout:
            try:
                report = json.loads(line)
                if "result" in report:
                    written = Path(report["result"])
                    outcome = Outcome(written, report["verdict"], tuple(report["warnings"]))
                    self._progress = replace(self._progress, outcome=outcome)
                else:
                    self._progress = replace(self._progress, **report)
            except (ValueError, TypeError, KeyError):
                continue  # a library printed something

    def _read_errors(self) -> None:
        assert self._process.stderr is not None
        for line in self._process.stderr:
            error = line.strip().removeprefix("autourdf reconstruct: ")
            self._last_error = error or self._last_error
