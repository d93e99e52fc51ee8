"""Measure one case of monitoring, in a process of its own so that time and memory are its own.

As a program, it reads a case on standard input (pickle) and prints its row as the last line (JSON).
"""

from __future__ import annotations

import copy
import json
import pickle
import sys
import time
from typing import Any

import numpy as np

from autourdf_ros.benchmark.monitoring.monitoring_case import MonitoringCase
from autourdf_ros.benchmark.monitoring.monitoring_faults import Fault, FaultDrawer
from autourdf_ros.benchmark.monitoring.robot_models import robot_model
from autourdf_ros.benchmark.monitoring.watched_cell import CELL, RATE, WatchedCell, watched_cell
from autourdf_ros.benchmark.peak_memory import peak_memory
from autourdf_ros.model.result_files import result_document
from autourdf_ros.monitoring.monitor import Monitor
from autourdf_ros.monitoring.monitor_options import MonitorOptions
from autourdf_ros.monitoring.observation_report import Report
from autourdf_ros.monitoring.observing.watched_model import load_watched_model
from autourdf_ros.simulation import damage

UNDECIDED = ("undecided", "")
"""Stands for a report that something changed without its cause."""


def measure_monitoring(case: MonitoringCase) -> dict[str, Any]:
    """Learn the baseline once, then apply every fault to a copy of the monitor.

    Returns:
        The row, as JSON values: the case; the model's verdict; a run of every fault; seconds and
        peak memory (MiB).
    """
    began = time.perf_counter()
    folder = robot_model(case.robot)
    model, options = load_watched_model(folder), MonitorOptions()
    learning = int(np.ceil((options.learning + case.before) * RATE)) + 2
    most = max(case.healthy if name == "none" else case.seconds for name in case.faults)
    cell = watched_cell(case.robot, learning + int(most * RATE), case.seed)
    rng = np.random.default_rng([case.seed, 1])
    cameras = [f"camera_{number}" for number in range(CELL.cameras)]
    learnt = Monitor(model, cameras, options, cell.background(rng))
    for observation in cell.observations(range(learning), damage.undamaged(cell.robot), rng):
        learnt.update(observation)
    hurt = range(learning, learning + int(case.seconds * RATE))
    faults = FaultDrawer(cell, model, hurt, case.seed)
    runs = []
    for name in case.faults:
        fault = faults.fault(name)
        if fault is None:
            continue
        long = case.healthy if name == "none" else case.seconds
        rows = range(learning, learning + int(long * RATE))
        run = run_fault(copy.deepcopy(learnt), fault, cell, rows, rng)
        runs.append({"fault": name, **run})
    return {
        **case.title(),
        "verdict": result_document(folder)["verdict"],
        "loosely": list(learnt.loosely),
        "runs": runs,
        "whole": time.perf_counter() - began,
        "memory": peak_memory(),
    }


def run_fault(
    monitor: Monitor, fault: Fault, cell: WatchedCell, rows: range, rng: np.random.Generator
) -> dict[str, Any]:
    """Return what a monitor that has learnt reports of a fault, as JSON values.

    Args:
        monitor: Is changed.
        fault: What happens.
        cell: The robot at work.
        rows: Of its path.
        rng: Of the noise.
    """
    reported: list[list[tuple[str, str]]] = []
    times = []
    for observation in cell.observations(
        rows,
        fault.robot,
        rng,
        cameras=fault.cameras,
        beside=fault.beside,
        lost=fault.lost,
    ):
        began = time.process_time()
        report = monitor.update(observation)
        times.append(time.process_time() - began)
        reported.append(_named(report))
    first = next((place for place, changes in enumerate(reported) if changes), None)
    alarms = np.array([bool(changes) for changes in reported])
    return {
        "truths": list(fault.truths),
        "reported": reported[-1]
        if fault.changes
        else sorted({one for row in reported for one in row}),
        "outcome": outcome(fault, reported),
        "alarms": int((alarms & ~np.concatenate([[False], alarms[:-1]])).sum()),
        "first_s": None if first is None else round(first / CELL.cameras / RATE, 1),
        "seconds": len(rows) / RATE,
        "summaries": [change.summary for change in report.changes],
        "cpu_ms": round(1e3 * float(np.median(times)), 1),
        "cpu_ms_most": round(1e3 * max(times)),
    }


def _named(report: Report) -> list[tuple[str, str]]:
    """Return kinds and subjects of the changes; `UNDECIDED` where something changed."""
    named: list[tuple[str, str]] = [(change.kind, change.subject) for change in report.changes]
    return named or ([UNDECIDED] if report.suspicion else [])


def outcome(fault: Fault, reported: list[list[tuple[str, str]]]) -> str:
    """Return `right`, `undecided`, `wrong` or `nothing`, by the first change reported at the end.

    Where nothing is to be reported, any report at any time is `wrong`.
    """
    if not fault.changes:
        return "wrong" if any(reported) else "right"
    if not reported[-1]:
        return "nothing"
    first = reported[-1][0]
    if first in fault.truths or (fault.unnamed and first == UNDECIDED):
        return "right"
    return "undecided" if first == UNDECIDED else "wrong"


def main() -> None:
    """Measure the case given on standard input."""
    case: MonitoringCase = pickle.load(sys.stdin.buffer)
    print(json.dumps(measure_monitoring(case)))


if __name__ == "__main__":
    main()
