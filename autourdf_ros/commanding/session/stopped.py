"""How a motion ends that is not finished."""

from __future__ import annotations

from collections.abc import Sequence

from autourdf_ros.commanding.trajectory import Positions
from autourdf_ros.errors import AutourdfError


class MotionStopped(AutourdfError):
    """The robot is to be stopped; a human decides what happens next.

    measured: where it is, if that is not where it was commanded to be.
    """

    def __init__(self, reason: str, measured: Positions | None = None) -> None:
        super().__init__(reason)
        self.measured = measured


class Paused(Exception):
    """The robot came to rest on its way; these waypoints were still before it."""

    def __init__(self, remaining: Sequence[Positions]) -> None:
        super().__init__("paused")
        self.remaining = remaining
