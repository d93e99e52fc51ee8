"""Measures what Dask itself costs for jobs that do nothing, and whether its memory stays flat.

`.venv/bin/python studies/fleet_overhead_study.py --jobs 10000 --workers 16` (needs the extra
`fleet`). The scheduler is a process of its own, and so is every worker. Jobs get what a job of
`autourdf batch` gets, and return about as much, without doing anything.

`--waiting 48` measures instead how well two workers share cases that wait two to three seconds, as
`autourdf benchmark --scheduler local` maps them: that shows what distributing costs, on a machine
whose cores are not free.
"""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import psutil
from fleet.killable_cluster import KillableCluster

from autourdf_ros.benchmark.measuring import rows_of
from autourdf_ros.fleet.dask_cluster import ClusterOptions, cluster
from autourdf_ros.fleet.jobs.job import Job
from autourdf_ros.fleet.result_store import ResultStore
from autourdf_ros.fleet.submission import Work, outcomes
from autourdf_ros.fleet.worker_job import payload
from autourdf_ros.progress import Progress, silent

PORT = 28796
SAMPLES = 10


def stand_in(task: dict[str, Any]) -> dict[str, Any]:
    """Return a record of about the size that a job's has."""
    return {**task, "state": "done", "seconds": 0.0, "verdict": "trusted", "folder": task["key"]}


def main() -> int:
    """Run the jobs and print what the scheduler needed for them."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--jobs", type=int, default=10_000)
    parser.add_argument("--workers", type=int, default=16)
    parser.add_argument("--waiting", type=int, metavar="CASES")
    args = parser.parse_args()
    if args.waiting:
        print(json.dumps(_shared_waiting(args.waiting), indent=1))
        return 0
    with tempfile.TemporaryDirectory() as scratch:
        folder = Path(scratch)
        fleet = KillableCluster(args.workers, PORT, folder, nanny=False)
        try:
            with cluster(fleet.address, ClusterOptions(timeout=120.0)) as connect:
                with connect() as client:
                    client.wait_for_workers(args.workers, timeout=300)
                found = _measured(fleet, connect, args.jobs, ResultStore(str(folder)))
        finally:
            fleet.close()
    print(json.dumps({"jobs": args.jobs, "workers": args.workers, **found}, indent=1))
    return 0


@dataclass(frozen=True)
class WaitingCase:
    """A case that waits, as `rows_of` measures it."""

    seconds: float

    def key(self) -> str:
        """Return what it is."""
        return str(self.seconds)

    def measure(self, progress: Progress) -> dict[str, Any]:
        """Wait."""
        time.sleep(self.seconds)
        return {"seconds": self.seconds}

    def failure(self, error: str) -> dict[str, Any]:
        """Return the row of a crash."""
        return {"error": error}


def _shared_waiting(count: int) -> dict[str, Any]:
    cases = [WaitingCase(2.0 + 0.5 * (number % 3)) for number in range(count)]
    alone = sum(case.seconds for case in cases)
    began = time.monotonic()
    with cluster(None) as connect:
        with connect() as client:
            client.wait_for_workers(1)
            workers = len(client.scheduler_info(n_workers=-1)["workers"])
        started = time.monotonic()
        rows = rows_of(cases, silent, lambda row: None, None, connect)
        seconds = time.monotonic() - started
    assert rows == [{"seconds": case.seconds} for case in cases]
    return {
        "cases": count,
        "workers": workers,
        "one after the other, s": alone,
        "start of the cluster, s": round(started - began, 1),
        "on the cluster, s": round(seconds, 1),
        "efficiency": round(alone / workers / seconds, 3),
    }


def _measured(
    fleet: KillableCluster, connect: Any, count: int, store: ResultStore
) -> dict[str, Any]:
    pieces = dict(_piece(number, store) for number in range(count))
    own = psutil.Process()
    memory, client_memory = [fleet.scheduler_memory()], [own.memory_info().rss / (1 << 20)]
    used, began = fleet.scheduler_seconds(), time.monotonic()
    for done, (_, outcome) in enumerate(outcomes(Work(stand_in, pieces, {}), connect, _no_pulse)):
        assert outcome["state"] == "done"
        if (done + 1) % (count // SAMPLES) == 0:
            memory.append(fleet.scheduler_memory())
            client_memory.append(own.memory_info().rss / (1 << 20))
    seconds, used = time.monotonic() - began, fleet.scheduler_seconds() - used
    return {
        "scheduler CPU, ms a job": round(1e3 * used / count, 2),
        "whole, ms a job": round(1e3 * seconds / count, 2),
        "scheduler memory, MiB": [round(one, 1) for one in memory],
        "memory of this command, MiB": [round(one, 1) for one in client_memory],
    }


def _piece(number: int, store: ResultStore) -> tuple[str, Any]:
    place = f"s3://lab/recordings/arm_{number}"
    task = payload(
        Job(f"arm_{number}", "reconstruct", (place,)), {place: f"{number:064}"}, store, "run"
    )
    return task["key"], task


def _no_pulse() -> None:
    """Nobody waits for a report."""


if __name__ == "__main__":
    sys.exit(main())
