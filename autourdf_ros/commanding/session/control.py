"""What a human may change while a session runs."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass
class Control:
    """Requests to a running session; another thread may change them.

    Attributes:
        speed: in (0, 1], share of the velocity limits; it counts from the next motion on.
        paused: whether the robot has to come to rest and wait.
    """

    speed: float
    paused: bool = False
