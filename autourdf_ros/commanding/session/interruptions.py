"""How a motion ends that does not reach its goal: refused, paused or stopped."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from autourdf_ros.commanding.trajectory import Positions
from autourdf_ros.errors import AutourdfError


@dataclass(frozen=True)
class Refusal:
    """A motion that was not made, although the robot could go on.

    Attributes:
        by: the controller, or the screening, which sent nothing.
        reason: in words.
    """

    by: Literal["controller", "screening"]
    reason: str


class MotionStopped(AutourdfError):
    """The robot has to stop; a human decides what happens next.

    Attributes:
        measured: where the robot is (rad or m by joint), if that is not where it was commanded to
            be.
    """

    def __init__(self, reason: str, measured: Positions | None = None) -> None:
        super().__init__(reason)
        self.measured = measured


class Paused(Exception):
    """The robot came to rest on its way.

    Attributes:
        remaining: waypoints that it had not reached.
    """

    def __init__(self, remaining: Sequence[Positions]) -> None:
        super().__init__("paused")
        self.remaining = remaining
