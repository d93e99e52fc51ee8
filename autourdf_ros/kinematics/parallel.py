"""Work on frames or sequences that do not depend on each other, on all cores."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor
from threading import Lock
from typing import Any, TypeVar

Result = TypeVar("Result")


def on_all_cores(function: Callable[..., Result], *items: Iterable[Any]) -> list[Result]:
    """The function's results for every item, or for every tuple of items, in their order.

    Threads: nearly all time goes into compiled code that runs beside other threads. An exception
    is raised here once what has begun is done; the rest does not begin.
    """
    tuples = list(zip(*items, strict=True))
    if len(tuples) == 1:
        return [function(*tuples[0])]
    with ThreadPoolExecutor(len(os.sched_getaffinity(0))) as pool:
        futures = [pool.submit(function, *item) for item in tuples]
        try:
            return [future.result() for future in futures]
        except BaseException:
            pool.shutdown(cancel_futures=True)
            raise


class Tally:
    """Counts what threads have done, and reports the share of all, one report at a time."""

    def __init__(self, total: int, report: Callable[[float], None]) -> None:
        """Report nothing yet."""
        self._done, self._total = 0, total
        self._report, self._lock = report, Lock()

    def add(self) -> None:
        """One more is done. Raises what the report raises."""
        with self._lock:
            self._done += 1
            self._report(self._done / self._total)
