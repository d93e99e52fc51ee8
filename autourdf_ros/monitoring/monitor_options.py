"""Options of the monitor."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class MonitorOptions:
    """Options of a monitor.

    Attributes:
        learning: Seconds in which the baseline is learnt and nothing may be wrong.
        window: Seconds of observations that a judgement uses.
        period: Seconds between two judgements.
        alarm: Log odds, at least, of a change that is reported after a window; larger ones are
            sooner, as soon as their integral over time is that of these.
        false_alarms: That a healthy robot may raise in an hour, as measured while learning.
        least_shift: Smallest displacement of some part of the robot that is reported (m).
        repeats: Consecutive judgements in which a foreign object, or a change, must show
            before it is reported.
    """

    learning: float = 60.0
    window: float = 5.0
    period: float = 0.5
    alarm: float = 20.0
    false_alarms: float = 0.1
    least_shift: float = 0.001
    repeats: int = 2

    @property
    def chance(self) -> float:
        """Of a false alarm in a window."""
        return self.false_alarms * self.window / 3600
