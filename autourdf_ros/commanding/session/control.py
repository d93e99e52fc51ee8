"""What a human asks of a session while it runs."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass
class Control:
    """May be changed from another thread.

    speed: in (0, 1], share of the velocity limits that motions use which begin from now on.
    paused: whether the robot shall come to rest and stay, until it may go on.
    """

    speed: float
    paused: bool = False
