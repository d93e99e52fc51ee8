"""A batch: jobs that are not done are done on a cluster, and a page sums up all of them."""

from __future__ import annotations

import os
import time
import uuid
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any

from autourdf_ros.errors import InputError
from autourdf_ros.fleet.dask_cluster import Connect
from autourdf_ros.fleet.jobs.job import Job
from autourdf_ros.fleet.jobs.places import digest
from autourdf_ros.fleet.result_store import ResultStore
from autourdf_ros.fleet.submission import Work, is_killed, outcomes
from autourdf_ros.fleet.worker_job import DONE, FAILED, SET_ASIDE, payload, run_job
from autourdf_ros.progress import Progress, silent

Record = dict[str, Any]
Report = Callable[[Record], None]


@dataclass(frozen=True)
class BatchOptions:
    """What a batch does with jobs that have no result.

    Attributes:
        again: Whether jobs that were set aside are tried again.
        function: What workers call for a job.
    """

    again: bool = False
    function: Callable[[Any], Any] = run_job


def run_batch(
    jobs: Sequence[Job],
    store: ResultStore,
    connect: Connect,
    progress: Progress = silent,
    report: Report = lambda record: None,
    options: BatchOptions = BatchOptions(),
) -> list[Record]:
    """Do all jobs that are not done.

    Args:
        jobs: What is to be done. Jobs with the same inputs and options are done once.
        store: Where results are and go.
        connect: Returns a client of the cluster.
        progress: Receives the share of jobs that have an outcome.
        report: Called with each record as it comes.
        options: What is done again.

    Returns:
        The record of every job, in their order: `state` is done, failed or set aside.

    Raises:
        AutourdfError: The scheduler is lost for good.
        CancelledError: By the progress.
    """
    store.check_writable()
    digests, refused = _digests(jobs, progress)
    keys = {job.name: job.key(digests) for job in jobs if not _refusal(job, refused)}
    found = _known(store, keys, options.again)
    records = {job.name: found[keys[job.name]] for job in jobs if keys.get(job.name) in found}
    for job in jobs:
        if error := _refusal(job, refused):
            records[job.name] = {**_head(job), "state": FAILED, "error": error}
    for record in records.values():
        report(record)
    run = uuid.uuid4().hex[:12]
    left = {keys[job.name]: job for job in jobs if job.name not in records}
    pieces = {key: payload(job, digests, store, run) for key, job in left.items()}
    memory = {key: job.memory for key, job in left.items() if job.memory is not None}
    work = Work(options.function, pieces, memory)

    def pulse() -> None:
        progress(f"{len(found)} of {len(keys)} jobs", len(found) / max(len(keys), 1))

    for key, outcome in outcomes(work, connect, pulse):
        found[key] = _record(store, left[key], key, outcome)
        report(found[key])
    progress("done", 1.0)
    return [
        records[job.name] if job.name in records else {**found[keys[job.name]], "name": job.name}
        for job in jobs
    ]


def _known(store: ResultStore, keys: dict[str, str], again: bool) -> dict[str, Record]:
    """Return the records of jobs that are not tried: done ones, and those set aside."""
    known = store.records(keys.values())
    for key, trouble in store.troubles(keys.values()).items():
        if key not in known and trouble["state"] == SET_ASIDE:
            if again:
                store.forget_trouble(key)
            else:
                known[key] = trouble
    return known


def _digests(jobs: Sequence[Job], progress: Progress) -> tuple[dict[str, str], dict[str, str]]:
    """Return digests of all inputs by place, and the errors of those that cannot be read."""
    places = list(dict.fromkeys(place for job in jobs for place in job.places))
    digests: dict[str, str] = {}
    refused: dict[str, str] = {}

    def one(place: str) -> tuple[str, str, str]:
        try:
            return place, digest(place), ""
        except InputError as error:
            return place, "", str(error)

    with ThreadPoolExecutor(min(32, 4 * (os.cpu_count() or 1))) as pool:
        for place, found, error in pool.map(one, places):
            progress("reading the inputs", 0.0)
            if error:
                refused[place] = error
            else:
                digests[place] = found
    return digests, refused


def _refusal(job: Job, refused: dict[str, str]) -> str:
    return next((refused[place] for place in job.places if place in refused), "")


def _head(job: Job) -> Record:
    return {"name": job.name, "robot": job.robot}


def _record(store: ResultStore, job: Job, key: str, outcome: Any) -> Record:
    """Return the record that a worker gave; one that says why where it gave none."""
    if isinstance(outcome, dict):
        return outcome
    if is_killed(outcome):
        state, error = SET_ASIDE, "workers died again and again while they worked on it"
    else:
        state, error = FAILED, f"{type(outcome).__name__}: {outcome}"
    trouble = {**_head(job), "state": state, "key": key, "error": error, "log": ""}
    store.note_trouble(
        key, {**trouble, "noted": time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime())}
    )
    return trouble


def exit_code(records: Sequence[Record]) -> int:
    """Return 0 where every job is done and no verdict is `failed`, else 1."""
    good = all(one["state"] == DONE and one.get("verdict") != "failed" for one in records)
    return 0 if good else 1
