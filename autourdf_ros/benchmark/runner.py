"""Runs the cases one after the other, each in a process of its own."""

from __future__ import annotations

import json
import pickle
import subprocess
import sys
from collections.abc import Callable, Sequence
from typing import Any

from autourdf_ros.benchmark.cache import recording_of
from autourdf_ros.benchmark.cases.suites import Case
from autourdf_ros.errors import AutourdfError
from autourdf_ros.progress import Progress, part

ERROR_LINES = 3


def run_cases(
    cases: Sequence[Case],
    sequences: Sequence[int],
    progress: Progress,
    report: Callable[[dict[str, Any]], None],
) -> list[dict[str, Any]]:
    """Measure every case; a row is a `Row` as JSON values, or one with its error where it crashed.

    sequences: how many of a recording are used, each number giving a row of its own. report:
    called with every row when done.
    """
    rows = []
    tasks = [(case, used) for case in cases for used in sequences]
    for number, (case, used) in enumerate(tasks):
        piece = part(progress, number / len(tasks), (number + 1) / len(tasks))
        try:
            row = measured(case, used, piece)
        except AutourdfError as error:
            row = failure(case, used, error)
        report(row)
        rows.append(row)
    progress("done", 1.0)
    return rows


def failure(case: Case, sequences: int, error: AutourdfError) -> dict[str, Any]:
    """The row of a case that could not be measured."""
    return {
        "name": case.name,
        "method": case.method,
        "sequences": sequences,
        "error": str(error),
    }


def measured(case: Case, sequences: int, progress: Progress) -> dict[str, Any]:
    """The row of one case. Raises AutourdfError where it crashes."""
    progress(f"{case.name}: recording", 0.0)
    folder = recording_of(case, part(_named(case, progress), 0.0, 0.5))
    progress(f"{case.name}: reconstructing", 0.5)
    task = {"case": case, "folder": folder, "sequences": sequences}
    done = subprocess.run(
        [sys.executable, "-m", "autourdf_ros.benchmark.cases.measure"],
        input=pickle.dumps(task),
        capture_output=True,
        check=False,
    )
    if done.returncode != 0:
        lines = done.stderr.decode(errors="replace").strip().splitlines()
        last = " / ".join(lines[-ERROR_LINES:])
        raise AutourdfError(f"ended with exit code {done.returncode}: {last}")
    row: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
    return row


def _named(case: Case, progress: Progress) -> Progress:
    return lambda stage, fraction: progress(f"{case.name}: {stage}", fraction)
