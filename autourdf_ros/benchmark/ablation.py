"""Ablations of AutoURDF's method on one robot, beside our engine."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import product
from pathlib import Path
from typing import Any

from autourdf_ros.benchmark.cases.suites import Case, suite
from autourdf_ros.benchmark.measuring import rows_of
from autourdf_ros.benchmark.row_file import RowFile
from autourdf_ros.benchmark.runner import failure, measured
from autourdf_ros.errors import AutourdfError
from autourdf_ros.estimation.motion.network_options import (
    PAPER_RATES,
    NeuralOptions,
    Representation,
)
from autourdf_ros.fleet.dask_cluster import Connect
from autourdf_ros.progress import Progress

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
    connect: Connect | None = None,
) -> list[dict[str, Any]]:
    """Measure the runs that a file does not contain yet.

    Args:
        chosen: The runs.
        path: The file, which receives every new row (see `RowFile`). A crash is tried again the
            next time.
        progress: Receives the progress of each run.
        report: Called with every row.
        connect: Of a cluster that measures several at once.

    Returns:
        All rows in order, with the keys `group`, `variant` and those of `Row`, or `error` after a
        crash.

    Raises:
        InputError: The file contains something else.
    """
    pieces = [_Piece(variant) for variant in chosen]
    return rows_of(pieces, progress, report, RowFile(path), connect)


@dataclass(frozen=True)
class _Piece:
    """A run as `rows_of` measures it."""

    variant: Variant

    def key(self) -> str:
        return self.variant.key

    def measure(self, progress: Progress) -> dict[str, Any]:
        return self._named(measured(self.variant.case, self.variant.sequences, progress))

    def failure(self, error: str) -> dict[str, Any]:
        case, sequences = self.variant.case, self.variant.sequences
        return self._named(failure(case, sequences, AutourdfError(error)))

    def _named(self, row: dict[str, Any]) -> dict[str, Any]:
        return {"group": self.variant.group, "variant": self.variant.name, **row}
