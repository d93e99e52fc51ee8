"""Runs independent work, such as on frames or sequences, on all cores."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable
from threading import Lock, Thread
from typing import Any, TypeVar

from threadpoolctl import threadpool_limits

Result = TypeVar("Result")

THREADS = "AUTOURDF_THREADS"
"""Variable of the environment with the most threads that this process may use. A worker of a
cluster sets it for what it starts, so that its jobs leave the other workers their cores."""


def thread_count() -> int:
    """Return how many threads may compute: one for each core that this process may use."""
    cores = len(os.sched_getaffinity(0))
    given = os.environ.get(THREADS, "")
    return min(cores, max(int(given), 1)) if given.isdecimal() else cores


def on_all_cores(function: Callable[..., Result], *items: Iterable[Any]) -> list[Result]:
    """Call the function for every item, or for every tuple of items, in threads.

    Nearly all time is spent in compiled code, which runs beside other threads. After an exception,
    calls that have begun are finished, the rest does not begin, and the exception is raised.

    Returns:
        The results in the order of the items.
    """
    tuples = list(zip(*items, strict=True))
    results: list[Any] = [None] * len(tuples)
    errors: dict[int, BaseException] = {}
    waiting = iter(range(len(tuples)))  # shared by all threads: a step of it is atomic

    def work() -> None:
        for number in waiting:
            if errors:
                break
            try:
                results[number] = function(*tuples[number])
            except BaseException as error:
                errors[number] = error

    others = min(thread_count(), len(tuples)) - 1
    threads = [Thread(target=work, daemon=True) for _ in range(others)]
    for thread in threads:
        thread.start()
    work()
    for thread in threads:
        thread.join()
    if errors:
        raise errors[min(errors)]
    return results


class Tally:
    """Counts the work done by threads, and reports its share of all, one report at a time."""

    def __init__(self, total: int, report: Callable[[float], None]) -> None:
        """Count up to `total`."""
        self._done, self._total = 0, total
        self._report, self._lock = report, Lock()

    def add(self) -> None:
        """Count one more. Raise what the report raises."""
        with self._lock:
            self._done += 1
            self._report(self._done / self._total)


def calm_blas() -> threadpool_limits:
    """Return a context without threads inside BLAS: for small matrices they would only wait."""
    return threadpool_limits(limits=1, user_api="blas")
