"""Run the cases of motion, each in a process of its own."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from autourdf_ros.benchmark.cache import recording_of
from autourdf_ros.benchmark.case_runner import row_by
from autourdf_ros.benchmark.cases.suites import Case
from autourdf_ros.benchmark.measuring import Row, rows_of
from autourdf_ros.benchmark.row_file import RowFile
from autourdf_ros.benchmark.run_key import run_key
from autourdf_ros.errors import AutourdfError
from autourdf_ros.fleet.dask_cluster import Connect
from autourdf_ros.model.urdf.robot_library import find_urdf
from autourdf_ros.progress import Progress, part


def run_cases(
    cases: Sequence[Case],
    sequences: Sequence[int],
    progress: Progress,
    report: Callable[[Row], None],
    kept: RowFile | None = None,
    connect: Connect | None = None,
) -> list[Row]:
    """Measure every case.

    Args:
        cases: The cases.
        sequences: How many sequences of a recording are used; each number yields a row.
        progress: Receives the progress of each case.
        report: Called with every row when it is measured.
        kept: Receives every new row; a row that it already contains is not measured again, unless
            it records a crash.
        connect: Of a cluster that measures several at once.

    Returns:
        Each row as `Row.to_dict` writes it, or with `error` after a crash.
    """
    pieces = [_Piece(case, used) for case in cases for used in sequences]
    efforts = [used * joint_count(case) for case in cases for used in sequences]
    return rows_of(pieces, progress, report, kept, connect, efforts)


def joint_count(case: Case) -> int:
    """Return how many joints the case's robot has, fixed ones as well; 0 where that is unknown."""
    try:
        return find_urdf(case.robot).read_text(encoding="utf-8").count("<joint ")
    except (AutourdfError, OSError, UnicodeDecodeError):
        return 0


@dataclass(frozen=True)
class _Piece:
    """A case with so many sequences, as `rows_of` measures it."""

    case: Case
    sequences: int

    def key(self) -> dict[str, Any]:
        return run_key(self.case, self.sequences)

    def measure(self, progress: Progress) -> Row:
        return measured(self.case, self.sequences, progress)

    def failure(self, error: str) -> Row:
        return failure(self.case, self.sequences, AutourdfError(error))


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
    return row_by("autourdf_ros.benchmark.cases.measure", task)


def _named(case: Case, progress: Progress) -> Progress:
    return lambda stage, fraction: progress(f"{case.name}: {stage}", fraction)
