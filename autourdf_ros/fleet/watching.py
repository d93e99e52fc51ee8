"""Recordings of a fleet of robots, reconstructed as they arrive."""

from __future__ import annotations

import time
from collections.abc import Callable, Hashable
from dataclasses import dataclass, field

from autourdf_ros.errors import InputError
from autourdf_ros.fleet.batch import BatchOptions, Record, Report, run_batch
from autourdf_ros.fleet.dask_cluster import Connect
from autourdf_ros.fleet.jobs.job import Job
from autourdf_ros.fleet.jobs.job_folder import jobs_below
from autourdf_ros.fleet.jobs.places import stored_files
from autourdf_ros.fleet.result_store import ResultStore
from autourdf_ros.fleet.robot_history import histories
from autourdf_ros.fleet.robots_page import write_robots_page
from autourdf_ros.fleet.summary_page import write_summary
from autourdf_ros.progress import Progress, silent


@dataclass(frozen=True)
class WatchOptions:
    """How a place is watched.

    Attributes:
        period: Seconds between two listings. A recording that is the same in two has arrived.
        rounds: Listings after which to end; None to watch until cancelled.
        batch: Of what has arrived.
    """

    period: float = 30.0
    rounds: int | None = None
    batch: BatchOptions = field(default_factory=BatchOptions)


class Watch:
    """Watches a place with ROBOT/RECORDING, does what arrives, and keeps the pages up to date."""

    def __init__(
        self,
        place: str,
        estimator: str,
        store: ResultStore,
        connect: Connect,
        options: WatchOptions = WatchOptions(),
    ) -> None:
        """Watch a place.

        Args:
            place: A folder or a place of a store, with a folder for every robot.
            estimator: The command for each recording.
            store: Where results go.
            connect: Returns a client of the cluster.
            options: How often.
        """
        self._place, self._estimator, self._store = place, estimator, store
        self._connect, self._options = connect, options
        self._seen: dict[str, Hashable] = {}
        self._tried: dict[str, Hashable] = {}
        self._records: dict[str, Record] = {}

    def run(self, progress: Progress = silent, report: Report = lambda record: None) -> None:
        """Watch until the progress raises, or for all rounds.

        Raises:
            CancelledError: By the progress.
            InputError: The place cannot be listed at the start.
        """
        rounds = 0
        while True:
            arrived = self._arrived(is_first=rounds == 0)
            if arrived:
                self._do(arrived, progress, report)
            rounds += 1
            if rounds == self._options.rounds:
                return
            until = time.monotonic() + self._options.period
            while time.monotonic() < until:
                progress(f"watching; {len(self._records)} recordings so far", 0.0)
                time.sleep(min(0.2, self._options.period))

    def _do(self, jobs: list[Job], progress: Progress, report: Callable[[Record], None]) -> None:
        options = self._options.batch
        records = run_batch(jobs, self._store, self._connect, progress, report, options)
        self._tried.update((job.inputs[0], self._seen[job.inputs[0]]) for job in jobs)
        self._records.update((record["name"], record) for record in records)
        known = [self._records[name] for name in sorted(self._records)]
        write_summary(self._store, known)
        write_robots_page(self._store, histories(self._store, known))

    def _arrived(self, is_first: bool) -> list[Job]:
        """Return the jobs of recordings that have settled and were not tried as they are."""
        try:
            jobs = jobs_below(self._place, self._estimator, by_robot=True)
        except InputError:
            if is_first:
                raise
            return []  # a store may be out of reach for a while
        arrived = []
        for job in jobs:
            place = job.inputs[0]
            try:
                now = tuple((file.name, file.size, file.tag) for file in stored_files(place))
            except InputError:
                continue  # it is still empty, or has just gone
            if self._seen.get(place) == now and self._tried.get(place) != now:
                arrived.append(job)
            self._seen[place] = now
        return arrived
