"""Ablations of AutoURDF's method on one robot, beside our engine."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import product
from pathlib import Path
from typing import Any

from autourdf_ros.benchmark.cases.suites import Case, suite
from autourdf_ros.benchmark.row_file import RowFile
from autourdf_ros.benchmark.runner import failure, measured
from autourdf_ros.errors import AutourdfError
from autourdf_ros.estimation.motion.network_options import (
    PAPER_RATES,
    NeuralOptions,
    Representation,
)
from autourdf_ros.progress import Progress, part

ROBOT = "so101"
CLUSTERS = (10, 20, 30, 40, 60, 80, 100, 120, 160, 200, 300)
RATES = ((2e-4, 1e-4), PAPER_RATES, (1e-3, 5e-4))
REPRESENTATIONS: tuple[Representation, ...] = ("quaternion", "6d")
SEEDS = 5


@dataclass(frozen=True)
class Variant:
    """One run of the ablations.

    Attributes:
        group: Its table.
        name: Its row in the table.
        sequences: Number of sequences that it uses.
        case: What it measures.
    """

    group: str
    name: str
    sequences: int
    case: Case

    @property
    def key(self) -> str:
        """Everything that determines the row, to find it in the file."""
        return repr(self)


def variants(robot: str = ROBOT, most: int = 5) -> tuple[Variant, ...]:
    """Return all runs. The number of links is given except in the group `silhouette`.

    Args:
        robot: A robot of the suites, a URDF file or the folder of a recording.
        most: Largest number of sequences; all groups but `sequences` use one.
    """
    (case,) = suite("quick", most, [robot])
    given = replace(case, method="autourdf", count_links=True)

    def variant(group: str, name: str, sequences: int = 1, **changes: Any) -> Variant:
        return Variant(group, name, sequences, replace(given, neural=NeuralOptions(**changes)))

    ours = [
        Variant("sequences", f"our engine, {count}", count, replace(case, count_links=False))
        for count in dict.fromkeys((1, most))
    ]
    free = replace(given, count_links=False)
    return (
        *ours,
        *(variant("sequences", f"{count}", count) for count in dict.fromkeys((1, most))),
        *(variant("seeds", f"{seed}", seed=seed) for seed in range(SEEDS)),
        variant("models", "without anchor", anchor=False),
        variant("models", "without step", step=False),
        variant("correlation", "without orientation", orientation=0.0),
        variant("correlation", "without position", position=0.0),
        variant("correlation", "motions, as the published code", comparison="motions"),
        *(variant("clusters", f"{count}", clusters=count) for count in CLUSTERS),
        *(
            variant("rotation and rates", f"{kind}, {rates[0]:g} {rates[1]:g}",
                    representation=kind, rates=rates)
            for kind, rates in product(REPRESENTATIONS, RATES)
        ),
        Variant("silhouette", "number of links not given", 1, free),
    )  # fmt: skip


def run_ablation(
    chosen: Sequence[Variant],
    path: Path,
    progress: Progress,
    report: Callable[[Mapping[str, Any]], None],
) -> list[dict[str, Any]]:
    """Measure the runs that a file does not contain yet.

    Args:
        chosen: The runs.
        path: The file, which receives every new row (see `RowFile`). A crash is tried again the
            next time.
        progress: Receives the progress of each run.
        report: Called with every new row.

    Returns:
        All rows in order, with the keys `group`, `variant` and those of `Row`, or `error` after a
        crash.

    Raises:
        InputError: The file contains something else.
    """
    kept = RowFile(path)
    rows = []
    for number, variant in enumerate(chosen):
        row = kept.row(variant.key)
        if row is None:
            piece = part(progress, number / len(chosen), (number + 1) / len(chosen))
            try:
                row = measured(variant.case, variant.sequences, piece)
            except AutourdfError as error:
                row = failure(variant.case, variant.sequences, error)
            row = {"group": variant.group, "variant": variant.name, **row}
            report(row)
            kept.append(variant.key, row)
        rows.append(row)
    progress("done", 1.0)
    return rows
