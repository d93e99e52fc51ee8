"""Whether what is found is more than chance: the larger it is, the sooner.

Errors of a model vary with the robot's configuration: in one that the learning time did not show, a
healthy robot exceeds its level for some seconds. A change stays, wherever the robot moves.
"""

from __future__ import annotations

from autourdf_ros.monitoring.monitor_options import MonitorOptions

_WHOLE = 1 - 1e-6  # of what is wanted: stamps are rounded


class LastingAlarm:
    """Adds up the significance of what is found, judgement by judgement.

    Attributes:
        since: Stamp of the first of the successive judgements above the level; None: the last one
            was not.
        certain: Whether that is more than chance.
    """

    def __init__(self, options: MonitorOptions) -> None:
        """Begin without an alarm.

        Args:
            options: What is found is certain once its integral over time is that of the level over
                a `window`, and `repeats` judgements show it. What hardly exceeds the level lasts a
                window then: two judgements with hardly an observation in common show it.
        """
        self._options = options
        self.forget()

    def forget(self) -> None:
        """Begin anew."""
        self.since: float | None = None
        self.certain = False
        self._count, self._sum, self._last = 0, 0.0, 0.0

    def judge(self, stamp: float, significance: float, level: float) -> None:
        """Take a judgement.

        Args:
            stamp: Of its newest observation (s).
            significance: Of what it found.
            level: From which a healthy robot seldom shows it.
        """
        if significance < level:
            self.forget()
            return
        if self.since is None:
            self.since = stamp
            self._last = stamp - self._options.period
        self._count += 1
        self._sum += significance / level * (stamp - self._last)
        self._last = stamp
        enough = self._sum >= _WHOLE * self._options.window
        self.certain = self.certain or (enough and self._count >= self._options.repeats)
