"""Does independent jobs in several processes, where a library lets one thread work at a time.

A process takes seconds to import what its jobs need. `make_ready` starts them beforehand, where
there is time to spare; they serve every later call, and end with this process.
"""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable, Sequence
from contextlib import suppress
from importlib import import_module
from multiprocessing import Pipe
from multiprocessing.connection import Connection
from typing import Any, TypeVar

import numpy as np

from autourdf_ros.parallel import thread_count

Result = TypeVar("Result")

MOST_READY = 3  # processes that wait: a resource bound, 0.15 GB each with what makes meshes

_ready: list[_Helper] = []  # started beforehand, with nothing to do


def make_ready(*modules: str) -> None:
    """Start processes that `in_processes` will use, one for each further core, if none waits.

    Args:
        modules: to import.
    """
    if not _ready:
        _ready.extend(_Helper(modules) for _ in range(min(thread_count() - 1, MOST_READY)))


def are_ready() -> bool:
    """Return whether processes wait for jobs."""
    return bool(_ready)


def in_processes(
    function: Callable[..., Result],
    jobs: Sequence[tuple[Any, ...]],
    weights: Sequence[float],
    report: Callable[[int], None],
) -> list[Result]:
    """Call a function for every job, in this process and in one more for each further core.

    Where processes wait (`make_ready`), in these alone: another would take seconds to start. A job
    whose process ended before it answered, as one that the system killed for its memory, is done
    here.

    Args:
        function: of a module, by whose name the other processes find it.
        jobs: its arguments.
        weights: about how long each takes, in any unit.
        report: is called with the number of every job that begins here; what it raises ends all.

    Returns:
        The results in the order of the jobs.
    """
    count = 1 + len(_ready) if _ready else thread_count()
    shares = shared_out(weights, min(count, len(jobs)))
    waiting = [_ready.pop() for _ in shares[1:] if _ready]
    helpers = waiting or [_Helper() for _ in shares[1:]]
    for helper, share in zip(helpers, shares[1:], strict=True):
        helper.begin(function, [jobs[job] for job in share])
    results: dict[int, Result] = {}
    try:
        for job in shares[0]:
            report(job)
            results[job] = function(*jobs[job])
        for helper, share in zip(helpers, shares[1:], strict=True):
            done = helper.results()
            for place, job in enumerate(share):
                results[job] = function(*jobs[job]) if done is None else done[place]
            if done is not None and helper in waiting:
                _ready.append(helper)
    finally:
        for helper in helpers:
            if helper not in _ready:
                helper.end()
    return [results[job] for job in range(len(jobs))]


def shared_out(weights: Sequence[float], count: int) -> list[list[int]]:
    """Share out jobs among `count` processes: the longest first, to whom has least so far."""
    shares: list[list[int]] = [[] for _ in range(max(count, 1))]
    loads = np.zeros(len(shares))
    for job in np.argsort(-np.asarray(weights, float), kind="stable").tolist():
        least = int(loads.argmin())
        shares[least].append(job)
        loads[least] += weights[job]
    return shares


class _Helper:
    """Another process, which does jobs in their order, and answers once all are done.

    It is in a session of its own, so that an interrupt from a terminal reaches this process alone,
    and ends as soon as this one does, however that ends.
    """

    def __init__(self, modules: Sequence[str] = ()) -> None:
        self._connection, theirs = Pipe()
        self._process = subprocess.Popen(
            [sys.executable, "-m", "autourdf_ros.helper_processes", str(theirs.fileno()), *modules],
            pass_fds=[theirs.fileno()],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,  # this process reports its progress there
            start_new_session=True,
        )
        theirs.close()

    def begin(self, function: Callable[..., Any], jobs: Sequence[tuple[Any, ...]]) -> None:
        """Begin with jobs: the arguments of each call."""
        with suppress(OSError):  # it has ended already; `results` finds that out
            self._connection.send((function, list(jobs)))

    def results(self) -> list[Any] | None:
        """Return the results, or None where the process ended without. Raise what a job raised."""
        try:
            found = self._connection.recv()
        except (EOFError, OSError):
            return None
        if isinstance(found, BaseException):
            raise found
        return list(found)

    def end(self) -> None:
        """End the process, whatever it does."""
        self._connection.close()
        self._process.kill()
        self._process.wait()


def main() -> int:
    """Import modules, and do the jobs that the connection of this number brings, until it ends."""
    number, *modules = sys.argv[1:]
    with Connection(int(number)) as connection, suppress(EOFError, OSError):  # nobody waits for it
        for module in modules:
            import_module(module)
        while True:
            connection.send(_answer(*connection.recv()))
    return 0


def _answer(function: Callable[..., Any], jobs: Sequence[tuple[Any, ...]]) -> object:
    """The results, or what a job raised."""
    try:
        return [function(*job) for job in jobs]
    except Exception as error:
        return error


if __name__ == "__main__":
    sys.exit(main())
