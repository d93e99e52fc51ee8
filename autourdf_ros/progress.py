"""How long work reports its progress, and how it is cancelled."""

from collections.abc import Callable
from typing import Protocol


class Progress(Protocol):
    """Called by long work, often. Raise `CancelledError` in it to cancel the work."""

    def __call__(self, stage: str, fraction: float) -> None:
        """Report that `stage` (a few words) is at `fraction` in [0, 1] of all the work."""


def silent(stage: str, fraction: float) -> None:
    """Report to nobody."""


def staged(progress: Progress, stage: str) -> Callable[[float], None]:
    """Progress of one stage by its fraction alone."""
    return lambda fraction: progress(stage, fraction)


def part(progress: Progress, start: float, end: float) -> Progress:
    """Progress of a piece of work that goes from fraction `start` to `end` of the whole."""
    return lambda stage, fraction: progress(stage, start + (end - start) * fraction)
