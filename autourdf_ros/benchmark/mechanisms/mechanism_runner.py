"""Run the cases of mechanisms one after the other, each in a process of its own."""

from __future__ import annotations

import json
import pickle
import subprocess
import sys
from collections.abc import Callable, Sequence
from typing import Any

from autourdf_ros.benchmark.mechanisms.mechanism_case import MechanismCase
from autourdf_ros.benchmark.row_file import RowFile
from autourdf_ros.progress import Progress

_ERROR_LINES = 3


def run_mechanism_cases(
    cases: Sequence[MechanismCase],
    progress: Progress,
    report: Callable[[dict[str, Any]], None],
    kept: RowFile | None = None,
) -> list[dict[str, Any]]:
    """Measure every case and return its row, or one with `error` after a crash.

    Args:
        cases: The cases.
        progress: Receives the share of cases that are done.
        report: Called with every row when it is measured.
        kept: Receives every new row; a row that it already has is not measured again, unless it
            records a crash.
    """
    rows = []
    for number, case in enumerate(cases):
        progress(f"{case.name}, seed {case.seed}: {case.method}", number / len(cases))
        row = None if kept is None else kept.row(case.key())
        if row is None:
            row = _measured(case)
            if kept is not None:
                kept.append(case.key(), row)
        report(row)
        rows.append(row)
    progress("done", 1.0)
    return rows


def _measured(case: MechanismCase) -> dict[str, Any]:
    done = subprocess.run(
        [sys.executable, "-m", "autourdf_ros.benchmark.mechanisms.measure_mechanism"],
        input=pickle.dumps(case),
        capture_output=True,
        check=False,
    )
    if done.returncode != 0:
        lines = done.stderr.decode(errors="replace").strip().splitlines()
        last = " / ".join(lines[-_ERROR_LINES:])
        return {**case.title(), "error": f"ended with exit code {done.returncode}: {last}"}
    row: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
    return row
