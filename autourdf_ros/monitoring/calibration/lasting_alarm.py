"""Whether what is found is more than chance: at once where it is large, else once it has lasted.

Errors of a model vary with the robot's configuration: in one that the learning time did not show, a
healthy robot exceeds its level for some seconds. A change stays, wherever the robot moves.
"""

from __future__ import annotations

from autourdf_ros.monitoring.monitor_options import MonitorOptions

_WHOLE = 1 - 1e-6  # of a window: stamps are rounded


class LastingAlarm:
    """Follows the significance of what is found, judgement by judgement.

    Attributes:
        since: Stamp of the first of the successive judgements above the level; None: the last one
            was not.
        certain: Whether that is more than chance.
    """

    def __init__(self, options: MonitorOptions) -> None:
        """Begin without an alarm.

        Args:
            options: `sudden` and `repeats` say what is certain at once. All else has to last a
                window: what two judgements so far apart find, no observation of both shows.
        """
        self._options = options
        self.forget()

    def forget(self) -> None:
        """Begin anew."""
        self.since: float | None = None
        self.certain = False
        self._count = 0

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
        options = self._options
        self._count = self._count + 1 if significance >= options.sudden * level else 0
        lasting = stamp - self.since >= _WHOLE * options.window
        self.certain = self.certain or lasting or self._count >= options.repeats
