"""Does independent jobs in several processes, where a library lets one thread work at a time."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable, Sequence
from contextlib import suppress
from multiprocessing import Pipe
from multiprocessing.connection import Connection
from typing import Any, TypeVar

import numpy as np

from autourdf_ros.parallel import thread_count

Result = TypeVar("Result")


def in_processes(
    function: Callable[..., Result],
    jobs: Sequence[tuple[Any, ...]],
    weights: Sequence[float],
    report: Callable[[int], None],
) -> list[Result]:
    """Call a function for every job, in this process and in one more for each further core.

    A job whose process ended before it answered, as one that the system killed for its memory, is
    done here.

    Args:
        function: of a module, by whose name the other processes find it.
        jobs: its arguments.
        weights: about how long each takes, in any unit.
        report: is called with the number of every job that begins here; what it raises ends all.

    Returns:
        The results in the order of the jobs.
    """
    shares = shared_out(weights, min(thread_count(), len(jobs)))
    helpers = [_Helper(function, [jobs[job] for job in share]) for share in shares[1:]]
    results: dict[int, Result] = {}
    try:
        for job in shares[0]:
            report(job)
            results[job] = function(*jobs[job])
        for helper, share in zip(helpers, shares[1:], strict=True):
            done = helper.results()
            for place, job in enumerate(share):
                results[job] = function(*jobs[job]) if done is None else done[place]
    finally:
        for helper in helpers:
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
    """Another process, which does its jobs in order and answers once."""

    def __init__(self, function: Callable[..., Any], jobs: Sequence[tuple[Any, ...]]) -> None:
        self._connection, theirs = Pipe()
        self._process = subprocess.Popen(
            [sys.executable, "-m", "autourdf_ros.helper_processes", str(theirs.fileno())],
            pass_fds=[theirs.fileno()],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,  # this process reports its progress there
        )
        theirs.close()
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
    """Do the jobs that the connection of this number brings, and answer with the results."""
    with Connection(int(sys.argv[1])) as connection:
        try:
            function, jobs = connection.recv()
            answer: object = [function(*job) for job in jobs]
        except Exception as error:
            answer = error
        try:
            connection.send(answer)
        except OSError:
            return 1  # nobody waits for it
    return 0


if __name__ == "__main__":
    sys.exit(main())
