"""Run the cases one after the other, each in a process of its own."""

from __future__ import annotations

import json
import pickle
import subprocess
import sys
from collections.abc import Callable, Sequence
from typing import Any

from autourdf_ros.benchmark.cache import recording_of
from autourdf_ros.benchmark.cases.suites import Case
from autourdf_ros.benchmark.row_file import RowFile
from autourdf_ros.benchmark.run_key import run_key
from autourdf_ros.errors import AutourdfError
from autourdf_ros.progress import Progress, part

ERROR_LINES = 3

Row = dict[str, Any]


def run_cases(
    cases: Sequence[Case],
    sequences: Sequence[int],
    progress: Progress,
    report: Callable[[Row], None],
    kept: RowFile | None = None,
) -> list[Row]:
    """Measure every case.

    Args:
        cases: The cases.
        sequences: How many sequences of a recording are used; each number yields a row.
        progress: Receives the progress of each case.
        report: Called with every row when it is measured.
        kept: Receives every new row; a row that it already contains is not measured again, unless
            it records a crash.

    Returns:
        Each row as `Row.to_dict` writes it, or with `error` after a crash.
    """
    rows = []
    tasks = [(case, used) for case in cases for used in sequences]
    for number, (case, used) in enumerate(tasks):
        piece = part(progress, number / len(tasks), (number + 1) / len(tasks))
        try:
            row = _resumed(case, used, piece, kept)
        except AutourdfError as error:
            row = failure(case, used, error)
        report(row)
        rows.append(row)
    progress("done", 1.0)
    return rows


def _resumed(case: Case, sequences: int, progress: Progress, kept: RowFile | None) -> Row:
    """Return the row that a file contains, or measure and append it."""
    if kept is None:
        return measured(case, sequences, progress)
    key = run_key(case, sequences)
    row = kept.row(key)
    if row is None:
        try:
            row = measured(case, sequences, progress)
        except AutourdfError as error:
            kept.append(key, failure(case, sequences, error))
            raise
        kept.append(key, row)
    return row


def failure(case: Case, sequences: int, error: AutourdfError) -> Row:
    """Return the row of a case that could not be measured."""
    return {
        "name": case.name,
        "method": case.method,
        "sequences": sequences,
        "error": str(error),
    }


def measured(case: Case, sequences: int, progress: Progress) -> Row:
    """Measure one case in a process of its own.

    Args:
        case: The case.
        sequences: How many of its recording are used.
        progress: Receives the progress.

    Returns:
        Its row (`Row.to_dict`), with seconds and peak memory.

    Raises:
        AutourdfError: The case crashed.
    """
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
    row: Row = json.loads(done.stdout.splitlines()[-1])
    return row


def _named(case: Case, progress: Progress) -> Progress:
    return lambda stage, fraction: progress(f"{case.name}: {stage}", fraction)
