"""Measure one case of parts, in a process of its own so that time and memory are its own.

As a program, it reads a case on standard input (pickle) and prints its row as the last line (JSON).
"""

from __future__ import annotations

import json
import pickle
import sys
import time
from dataclasses import asdict, replace
from typing import Any

from autourdf_ros.assessment.metrics.parts.arena_distance import arena_distance, arena_installed
from autourdf_ros.assessment.metrics.parts.part_errors import PartErrors, part_errors
from autourdf_ros.assessment.metrics.parts.part_truth import PartTruth, read_part_truth
from autourdf_ros.benchmark.parts.degradation import (
    DEGRADATIONS,
    DegradedParts,
    degrade,
    degraded_errors,
)
from autourdf_ros.benchmark.parts.part_case import PartCase
from autourdf_ros.benchmark.peak_memory import peak_memory
from autourdf_ros.data.parts.assembly_reading import read_assembly
from autourdf_ros.estimation.parts.assembly_trace import AssemblyTrace
from autourdf_ros.estimation.parts.pipeline import assemble


def measure_parts(case: PartCase) -> dict[str, Any]:
    """Estimate the kinematics of a case and compare them with its truth.

    Returns:
        The row, as JSON values: the case, `errors` (`PartErrors`, or `DegradedErrors` of degraded
        parts), the verdict, seconds (of the clock and of the processor) of the estimator, seconds
        with reading, seconds by stage, and peak memory (MiB).
    """
    begin = time.perf_counter()
    truth = read_part_truth(case.folder / "truth.json")
    assembly = read_assembly(case.folder / "parts")
    degraded = None
    if case.degradation != "given":
        degraded = degrade(assembly, truth, DEGRADATIONS[case.degradation])
        assembly = degraded.assembly
    start, cpu = time.perf_counter(), time.process_time()
    trace = assemble(assembly, None, case.options).trace
    end, cpu_end = time.perf_counter(), time.process_time()
    return {
        **case.title(),
        "errors": _errors(trace, truth, degraded),
        "verdict": trace.verdict,
        "warnings": list(trace.warnings),
        "seconds": end - start,
        "cpu": cpu_end - cpu,
        "whole": end - begin,
        "stages": dict(trace.timings),
        "memory": peak_memory(),
    }


def _errors(
    trace: AssemblyTrace, truth: PartTruth, degraded: DegradedParts | None
) -> dict[str, Any]:
    if degraded is None:
        return _with_arena(part_errors(trace, truth), trace, truth).to_dict()
    edges, best = trace.tree.edges, [joint.best for joint in trace.joints]
    return asdict(degraded_errors(degraded, truth, trace.tree.root, edges, best))


def _with_arena(errors: PartErrors, trace: AssemblyTrace, truth: PartTruth) -> PartErrors:
    if not arena_installed():
        return errors
    return replace(
        errors,
        arena=arena_distance(trace, truth),
        arena_axes=arena_distance(trace, truth, limits=False),
    )


def main() -> None:
    """Measure the case given on standard input."""
    print(json.dumps(measure_parts(pickle.load(sys.stdin.buffer))))


if __name__ == "__main__":
    main()
