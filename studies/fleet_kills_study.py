"""Kills workers of a batch at random, and its scheduler once, and counts what was lost.

`.venv/bin/python studies/fleet_kills_study.py OUT --jobs 200 --kills 20 --seed 0` (needs the extra
`fleet`). The jobs are stand-ins of half a second to two: they write files of a known digest, with
pauses between them. Everything around them is what `autourdf batch` does.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import random
import sys
import tempfile
import threading
import time
from collections import Counter
from pathlib import Path
from typing import Any

from fleet.killable_cluster import KillableCluster

from autourdf_ros.fleet.batch import BatchOptions, run_batch
from autourdf_ros.fleet.dask_cluster import cluster
from autourdf_ros.fleet.jobs.job import Job
from autourdf_ros.fleet.result_store import LOGS, ResultStore
from autourdf_ros.fleet.worker_job import perform

WORKERS, PORT = 3, 28786
FILES, SIZE = 4, 300_000  # of a result
WORK = """
import hashlib, os, random, sys, time
out, seed, files, size = sys.argv[1], *map(int, sys.argv[2:])
draw = random.Random(seed)
os.mkdir(out)
digests = []
for number in range(files):
    time.sleep(draw.uniform(0.12, 0.5))
    content = draw.randbytes(size)
    digests.append(hashlib.sha256(content).hexdigest())
    open(f"{out}/{number}", "wb").write(content)
open(f"{out}/digests", "w").write(" ".join(digests))
"""


def stand_in(task: dict[str, Any]) -> dict[str, Any]:
    """What workers call: a job as ever, with other work."""

    def command(job: Job, inputs: Any, out: Path) -> list[str]:
        seed = job.name.removeprefix("job_")
        return [sys.executable, "-c", WORK, str(out), seed, str(FILES), str(SIZE)]

    return perform(task, command)


def main() -> int:
    """Run the batch beside its killer, and print what became of the jobs."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("out", type=Path)
    parser.add_argument("--jobs", type=int, default=200)
    parser.add_argument("--kills", type=int, default=20)
    parser.add_argument("--seed", type=int, default=0)
    args = parser.parse_args()
    store = ResultStore.at(str(args.out))
    with tempfile.TemporaryDirectory() as scratch:
        jobs = _jobs(Path(scratch), args.jobs)
        fleet = KillableCluster(WORKERS, PORT, Path(scratch))
        ended = threading.Event()
        killer = _Killer(fleet, args.kills, args.jobs, random.Random(args.seed), store, ended)
        killer.start()
        try:
            began = time.monotonic()
            with cluster(fleet.address) as connect:
                records = run_batch(jobs, store, connect, options=BatchOptions(function=stand_in))
            seconds = time.monotonic() - began
        finally:
            ended.set()
            killer.join()
            fleet.close()
    found = _counted(store, records) | {
        "kills": killer.kills,
        "of them at work": killer.at_work,
        "scheduler restarts": killer.restarts,
        "seconds": round(seconds, 1),
    }
    print(json.dumps(found, indent=1))
    return 0 if found["whole"] == args.jobs and not found["done twice"] else 1


class _Killer(threading.Thread):
    """Kills a worker whenever another share of the jobs is done, and once the scheduler."""

    def __init__(
        self,
        fleet: KillableCluster,
        kills: int,
        jobs: int,
        draw: random.Random,
        store: ResultStore,
        ended: threading.Event,
    ) -> None:
        super().__init__()
        self.kills = self.at_work = self.restarts = 0
        self._fleet, self._store, self._draw, self._ended = fleet, store, draw, ended
        moments = sorted(draw.uniform(0.02, 0.95) * jobs for _ in range(kills))
        self._moments, self._half = moments, jobs / 2

    def run(self) -> None:
        """Kill until the batch has ended."""
        while not self._ended.wait(0.05 + 0.3 * self._draw.random()):
            self._fleet.supervise()
            done = len(list(Path(self._store.place).glob("jobs/*.json")))
            if done >= self._half and not self.restarts:
                self._fleet.restart_scheduler(pause=2.0)
                self.restarts += 1
            if self.kills < len(self._moments) and done >= self._moments[self.kills]:
                self._kill()

    def _kill(self) -> None:
        workers = self._fleet.worker_processes()
        if not workers:
            return
        chosen = self._draw.choice(workers)
        self.at_work += bool(chosen.children())
        chosen.kill()
        self.kills += 1


def _jobs(folder: Path, count: int) -> list[Job]:
    inputs = folder / "inputs"
    inputs.mkdir()
    jobs = []
    for number in range(count):
        place = inputs / f"job_{number}"
        place.write_text(str(number))
        jobs.append(Job(place.name, "reconstruct", (str(place),)))
    return jobs


def _counted(store: ResultStore, records: list[dict[str, Any]]) -> dict[str, Any]:
    states = Counter(record["state"] for record in records)
    whole = sum(
        _is_whole(Path(store.place, record["folder"])) for record in records if "folder" in record
    )
    known = {record.get("folder") for record in records}
    left = [
        at for at in Path(store.place, "results").iterdir() if f"results/{at.name}" not in known
    ]
    ends = Counter[str]()
    begun = 0
    for log in Path(store.place, LOGS).glob("*/*.log"):
        begun += 1
        ends[log.parent.name] += "\nended with exit code 0" in log.read_text()
    return {
        "jobs": len(records),
        **states,
        "whole": whole,
        "attempts": begun,
        "attempts that did not end": begun - sum(ends.values()),
        "done twice": sum(count > 1 for count in ends.values()),
        "folders that no record names": len(left),
    }


def _is_whole(folder: Path) -> bool:
    digests = (folder / "digests").read_text().split()
    held = [hashlib.sha256((folder / str(n)).read_bytes()).hexdigest() for n in range(FILES)]
    return digests == held


if __name__ == "__main__":
    sys.exit(main())
