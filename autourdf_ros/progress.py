"""Protocol by which long work reports its progress and is cancelled."""

from collections.abc import Callable
from threading import Lock
from typing import Protocol


class Progress(Protocol):
    """Callback that long work calls often. Raise `CancelledError` in it to cancel the work."""

    def __call__(self, stage: str, fraction: float) -> None:
        """Report that `stage` (a few words) is at `fraction` in [0, 1] of all the work."""


def silent(stage: str, fraction: float) -> None:
    """Ignore the progress."""


def staged(progress: Progress, stage: str) -> Callable[[float], None]:
    """Return the progress of one stage, which takes the fraction alone."""
    return lambda fraction: progress(stage, fraction)


def part(progress: Progress, start: float, end: float) -> Progress:
    """Return the progress of a part that goes from fraction `start` to `end` of the whole."""
    return lambda stage, fraction: progress(stage, start + (end - start) * fraction)


def abreast(progress: Progress, count: int) -> list[Progress]:
    """Return the progress of each of `count` parts that are done at the same time, in threads.

    The whole is at the mean of them; one report is made at a time.
    """
    shares, lock = [0.0] * count, Lock()

    def part_of(number: int) -> Progress:
        def report(stage: str, fraction: float) -> None:
            with lock:
                shares[number] = fraction
                progress(stage, sum(shares) / count)

        return report

    return [part_of(number) for number in range(count)]


UNKNOWN = -1.0
"""Seconds to go where nothing is known of them yet."""


def seconds_to_go(elapsed: float, fraction: float) -> float:
    """Return the seconds until the end at the pace so far, or UNKNOWN.

    Args:
        elapsed: seconds since the begin.
        fraction: of the work that is done, in [0, 1].
    """
    return elapsed * (1.0 - fraction) / fraction if fraction > 0.0 else UNKNOWN
