"""What a worker does for one job: fetch, run the command in a process of its own, publish.

Workers get plain values and give plain values. Recordings are read by the command's own readers of
untrusted files; nothing of a recording is unpickled.
"""

from __future__ import annotations

import json
import platform
import socket
import sys
import tempfile
import time
import uuid
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from autourdf_ros import __version__
from autourdf_ros.errors import AutourdfError, CancelledError
from autourdf_ros.files.code_digest import code_digest
from autourdf_ros.fleet.job_process import Ended, run_watched
from autourdf_ros.fleet.jobs.accepted_commands import arguments
from autourdf_ros.fleet.jobs.job import Job
from autourdf_ros.fleet.jobs.places import digest, fetched
from autourdf_ros.fleet.result_store import ResultStore

RECORD_FORMAT, RECORD_VERSION = "autourdf_ros/fleet_job", 1
MOST_KILLS = 3
"""So many workers may a job kill before it is set aside."""
DONE, FAILED, SET_ASIDE = "done", "failed", "set aside"

_LAST = 3  # lines of a log that say why a job failed
_BEGUN, _ENDED = "begun on", "ended with"

Payload = Mapping[str, Any]
Command = Callable[[Job, Sequence[Path], Path], list[str]]


@dataclass(frozen=True)
class _Attempt:
    """One attempt at a job, from whose log later ones know how it ended."""

    store: ResultStore
    key: str
    run: str
    name: str

    def note(self, text: str) -> None:
        """Write the log."""
        head = f"{_BEGUN} {socket.gethostname()}"
        self.store.write_log(self.key, self.run, self.name, f"{head}\n{text}")


def payload(job: Job, digests: Mapping[str, str], store: ResultStore, run: str) -> dict[str, Any]:
    """Return what a worker needs of a job, as plain values.

    Args:
        job: The job.
        digests: Of its inputs.
        store: Where the result goes.
        run: Name of this run of the batch: kills are counted within it.
    """
    return {
        "job": job.to_dict(),
        "key": job.key(digests),
        "digests": {place: digests[place] for place in job.places},
        "store": store.place,
        "run": run,
        "code": code_digest(),
        "memory": job.memory,
    }


def run_job(task: Payload) -> dict[str, Any]:
    """Do a job on a worker, unless it is done; return its record, or why there is none."""
    return perform(task, _autourdf)


def _autourdf(job: Job, inputs: Sequence[Path], out: Path) -> list[str]:
    given = [str(path) for path in inputs]
    taken = [sys.executable, "-m", "autourdf_ros", job.estimator, *given[: len(job.inputs)]]
    files = dict(zip(sorted(job.files), given[len(job.inputs) :], strict=True))
    return [*taken, "-o", str(out), *arguments({**job.given_options, **files})]


def perform(task: Payload, command: Command) -> dict[str, Any]:
    """Do a job with a command.

    Args:
        task: As `payload` makes it.
        command: Returns the command line of a job, its inputs and the folder to write.

    Returns:
        The record of the job, with `state`: done, failed or set aside.
    """
    store, key = ResultStore(task["store"]), task["key"]
    if (record := store.record(key)) is not None:
        return record
    job = Job.from_dict(task["job"])
    earlier = store.logs(key, task["run"])
    killed = {name: text for name, text in earlier.items() if f"\n{_ENDED} " not in text}
    if len(killed) >= MOST_KILLS:
        last = killed[max(killed)]
        error = f"{len(killed)} processes or workers were killed while they worked on it"
        return _trouble(store, task, job, SET_ASIDE, error, last)
    attempt = _Attempt(store, key, task["run"], f"{len(earlier):03}-{uuid.uuid4().hex[:8]}")
    attempt.note("")
    try:
        _check_code(task)
        with tempfile.TemporaryDirectory(prefix="autourdf-job-", dir=_scratch()) as folder:
            return _attempted(task, job, attempt, command, Path(folder))
    except CancelledError:
        attempt.note(f"\n{_ENDED} a cancellation\n")
        raise
    except AutourdfError as error:
        attempt.note(f"\n{_ENDED} an error: {error}\n")
        return _trouble(store, task, job, FAILED, str(error), "")


def _attempted(
    task: Payload, job: Job, attempt: _Attempt, command: Command, folder: Path
) -> dict[str, Any]:
    inputs, size = _inputs(task, job, folder)
    out, began = folder / "out" / job.name, time.time()
    out.parent.mkdir()
    memory = task["memory"] or _share_of_memory()
    ended = run_watched(command(job, inputs, out), folder / "log", memory, _is_wanted, attempt.note)
    if ended.code < 0 and not ended.over_memory:
        # The kernel kills what takes the memory of a machine: as bad as killing the worker.
        attempt.note(f"{ended.log}\nkilled by signal {-ended.code}\n")
        return perform(task, command)
    last_words = f"{ended.log}\n{_ENDED} exit code {ended.code}\n"
    if ended.over_memory or ended.code not in (0, 1) or not _is_written(out):
        attempt.note(last_words)
        return _trouble(attempt.store, task, job, FAILED, _reason(ended, memory), ended.log)
    record = {
        "format": RECORD_FORMAT,
        "version": RECORD_VERSION,
        "state": DONE,
        "name": job.name,
        "robot": job.robot,
        "key": attempt.key,
        "verdict": _verdict(out),
        "seconds": round(ended.seconds, 3),
        "cpu_seconds": round(ended.cpu_seconds, 3),
        "peak_memory": ended.peak_memory,
        "bytes_in": size,
        "bytes_out": sum(path.stat().st_size for path in out.rglob("*") if path.is_file()),
        "provenance": {
            "estimator": job.estimator,
            "inputs": dict(task["digests"]),
            "options": job.given_options,
            "files": dict(job.files),
            "autourdf_ros": __version__,
            "code": task["code"],
            "python": platform.python_version(),
            "host": socket.gethostname(),
            "began": time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(began)),
            "run": attempt.run,
            "attempt": attempt.name,
        },
    }
    standing = attempt.store.publish(attempt.key, out, record)
    attempt.note(last_words)  # one that is killed before has not ended
    return standing


def _inputs(task: Payload, job: Job, folder: Path) -> tuple[list[Path], int]:
    """Fetch the inputs, and check that they are those of the key; return paths and bytes."""
    paths, total = [], 0
    for number, place in enumerate(job.places):
        path, size = fetched(place, folder / str(number))
        if digest(place) != task["digests"][place]:
            raise AutourdfError(f"{place}: has changed since the batch began")
        paths.append(path)
        total += size
    return paths, total


def _check_code(task: Payload) -> None:
    if task["code"] != code_digest():
        raise AutourdfError(
            f"{socket.gethostname()}: this worker has another autourdf_ros than the batch; install "
            "the same on both"
        )


def _trouble(
    store: ResultStore, task: Payload, job: Job, state: str, error: str, log: str
) -> dict[str, Any]:
    """Write down why a job is not done, and return that."""
    content = {
        "state": state,
        "name": job.name,
        "robot": job.robot,
        "key": task["key"],
        "run": task["run"],
        "error": error,
        "log": log,
    }
    store.note_trouble(task["key"], content)
    return content


def _reason(ended: Ended, memory: int | None) -> str:
    if ended.over_memory and memory is not None:
        return f"needs more memory than it may use ({memory / (1 << 30):.2f} GiB)"
    lines = [line.strip() for line in ended.log.strip().splitlines() if line.strip()]
    return f"exit code {ended.code}: {' / '.join(lines[-_LAST:])}"


def _is_written(out: Path) -> bool:
    return out.is_dir() and any(out.iterdir())


def _verdict(out: Path) -> str:
    """Return the verdict that a result's document states; empty where none does."""
    for path in sorted(out.glob("*.json")):
        try:
            content = json.loads(path.read_text())
        except (OSError, ValueError):
            continue
        if isinstance(content, dict) and isinstance(content.get("verdict"), str):
            return str(content["verdict"])
    return ""


def _worker() -> Any:
    """Return the Dask worker that this thread works for; None outside of one."""
    from distributed import get_worker

    try:
        return get_worker()
    except ValueError:
        return None


def _scratch() -> str | None:
    """Folder of the worker, which Dask clears where a worker was killed."""
    worker = _worker()
    return None if worker is None else str(worker.local_directory)


def _share_of_memory() -> int | None:
    """Bytes that a job may use on this worker."""
    worker = _worker()
    limit = None if worker is None else worker.memory_manager.memory_limit
    return None if not limit else int(limit) // max(worker.state.nthreads, 1)


def _is_wanted() -> bool:
    """Return whether the cluster still wants what this thread computes."""
    worker = _worker()
    if worker is None:
        return True
    state = worker.state.tasks.get(worker.get_current_task())
    return state is not None and state.state in ("executing", "long-running")
