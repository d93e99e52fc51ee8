"""Run the cases of a suite, each in a process of its own."""

from __future__ import annotations

import json
import os
import pickle
import subprocess
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

from autourdf_ros.benchmark.measuring import rows_of
from autourdf_ros.benchmark.row_file import RowFile
from autourdf_ros.errors import AutourdfError
from autourdf_ros.fleet import ends_with_parent
from autourdf_ros.fleet.dask_cluster import Connect
from autourdf_ros.progress import Progress

_ERROR_LINES = 3


class SuiteCase(Protocol):
    """What is measured."""

    @property
    def measured_by(self) -> str:
        """Name of the module that reads the case (pickle) and prints its row (JSON) at last."""
        ...

    def title(self) -> dict[str, Any]:
        """Return what identifies the case in a row, as JSON values: name, seed, method ..."""
        ...

    def key(self) -> dict[str, Any]:
        """Return everything that determines a row, as JSON values."""
        ...


def run_each(
    cases: Sequence[SuiteCase],
    progress: Progress,
    report: Callable[[dict[str, Any]], None],
    kept: RowFile | None = None,
    connect: Connect | None = None,
) -> list[dict[str, Any]]:
    """Measure every case and return its row, or one with `error` after a crash.

    Args:
        cases: The cases.
        progress: Receives the share of cases that are done.
        report: Called with every row when it is measured.
        kept: Receives every new row; a row that it already has is not measured again, unless it
            records a crash.
        connect: Of a cluster that measures several at once.
    """
    return rows_of([_Piece(case) for case in cases], progress, report, kept, connect)


@dataclass(frozen=True)
class _Piece:
    """A case as `rows_of` measures it."""

    case: SuiteCase

    def key(self) -> dict[str, Any]:
        return self.case.key()

    def measure(self, progress: Progress) -> dict[str, Any]:
        title = self.case.title()
        progress(f"{title['name']}, seed {title['seed']}: {title['method']}", 0.0)
        return measured_apart(self.case)

    def failure(self, error: str) -> dict[str, Any]:
        return {**self.case.title(), "error": error}


def measured_apart(case: SuiteCase) -> dict[str, Any]:
    """Return the row of one case, measured in a process of its own.

    Raises:
        AutourdfError: The case crashed.
    """
    return row_by(case.measured_by, case)


def row_by(module: str, task: object) -> dict[str, Any]:
    """Return what a module prints at last (JSON), which reads a task (pickle), in its own process.

    The process ends with this one: a worker that is killed leaves no measurement behind.

    Raises:
        AutourdfError: It crashed.
    """
    launcher = [sys.executable, "-I", ends_with_parent.__file__, str(os.getpid())]
    done = subprocess.run(
        [*launcher, sys.executable, "-m", module],
        input=pickle.dumps(task),
        capture_output=True,
        check=False,
    )
    if done.returncode != 0:
        lines = done.stderr.decode(errors="replace").strip().splitlines()
        last = " / ".join(lines[-_ERROR_LINES:])
        raise AutourdfError(f"ended with exit code {done.returncode}: {last}")
    row: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
    return row
