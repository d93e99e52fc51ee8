"""Measure the paper's method on degraded parts: a stand-in for Table II of Kinematify.

    python studies/degraded_parts_study.py CASE...

A CASE is a folder with `parts/` and `truth.json` (tools/scrub writes them). Every case is degraded
in each way of DEGRADATIONS (benchmark/parts/degradation.py): parts as a generative model would
deliver them. A row has the tree edit distance, the true joints that an edge connects, and the mean
and median error of their axes (degrees).
"""

from __future__ import annotations

import argparse
from dataclasses import replace
from pathlib import Path

import numpy as np

from autourdf_ros.assessment.metrics.parts.part_truth import PartTruth, read_part_truth
from autourdf_ros.benchmark.parts.degradation import (
    DEGRADATIONS,
    DegradedErrors,
    degrade,
    degraded_errors,
)
from autourdf_ros.cli.fleet.scheduler_argument import add_scheduler_argument, asked_cluster
from autourdf_ros.data.parts.assembly_reading import read_assembly
from autourdf_ros.data.parts.part_assembly import PartAssembly
from autourdf_ros.errors import InputError
from autourdf_ros.estimation.parts.assembly_options import AssemblyOptions
from autourdf_ros.estimation.parts.mcts.kinematify import infer_by_search
from autourdf_ros.fleet.submission import each_of


def errors_of(
    assembly: PartAssembly, truth: PartTruth, fault: str, seed: int
) -> DegradedErrors | None:
    """Degrade a case and estimate it; None where the parts cannot be assembled."""
    degraded = degrade(assembly, truth, replace(DEGRADATIONS[fault], seed=seed))
    try:
        found = infer_by_search(degraded.assembly, AssemblyOptions(method="mcts", seed=seed))
    except InputError as error:
        print(f"{assembly.name}, {fault}: {error}", flush=True)
        return None
    best = [joints[0] for joints in found.joints]
    return degraded_errors(degraded, truth, found.tree.root, found.tree.edges, best)


def row(name: str, fault: str, errors: list[DegradedErrors]) -> str:
    """Return a row of the table: over seeds, or over cases."""
    angles = np.array([angle for one in errors for angle in one.angles] or [np.nan])
    ted = np.mean([one.ted for one in errors])
    joints = sum(one.joints for one in errors)
    return (
        f"| {name} | {fault} | {ted:.2f} | {np.isfinite(angles).sum()} of {joints} | "
        f"{angles.mean():.2f} | {np.median(angles):.2f} |"
    )


def errors_of_case(folder: Path, seed: int) -> dict[str, DegradedErrors]:
    """Return the errors of a case by fault, of those that it can have."""
    assembly = read_assembly(folder / "parts")
    truth = read_part_truth(folder / "truth.json")
    found = {fault: errors_of(assembly, truth, fault, seed) for fault in DEGRADATIONS}
    return {fault: errors for fault, errors in found.items() if errors is not None}


def main() -> None:
    """Measure every case and every fault."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("cases", nargs="+", type=Path)
    parser.add_argument("--seed", type=int, default=0)
    add_scheduler_argument(parser, "one case after the other")
    args = parser.parse_args()
    whole = dict[str, list[DegradedErrors]]()
    pieces = [(folder.absolute(), args.seed) for folder in args.cases]
    with asked_cluster(args) as connect:
        for (folder, _), found in each_of(errors_of_case, pieces, connect):
            for fault, errors in found.items():
                whole.setdefault(fault, []).append(errors)
                print(row(folder.name, fault, [errors]), flush=True)
    for fault, errors in whole.items():
        print(row("all", fault, errors))


if __name__ == "__main__":
    main()
