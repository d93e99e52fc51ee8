"""Checks whether a joint works harder than it may, as when the robot pushes an obstacle."""

from __future__ import annotations

import math
from collections.abc import Mapping

from autourdf_ros.commanding.watching.reading_watch import OF_FORCES, ReadingWatch


class EffortWatch:
    """Compares efforts with thresholds above which the robot has to stop.

    Another thread may add readings. An effort that is not finite counts as not read.
    """

    def __init__(self, thresholds: Mapping[str, float], timeout: float = 0.0) -> None:
        """Create a watch.

        Args:
            thresholds: largest accepted effort (N m or N) by joint; other joints are not watched.
            timeout: longest time (s) without an effort, see `Heartbeat`.
        """
        self._thresholds = dict(thresholds)
        self._efforts: dict[str, float] = {}  # the newest
        self._readings = ReadingWatch(list(thresholds), timeout, OF_FORCES, 0.0)
        self._exceeded: str | None = None

    def add(self, efforts: Mapping[str, float], arrival: float) -> None:
        """Note efforts by joint (N m or N); arrival (s) by a clock that is never set back."""
        for name, threshold in self._thresholds.items():
            effort = efforts.get(name, math.nan)
            if not math.isfinite(effort):
                continue
            self._efforts[name] = effort
            self._readings.add([name], arrival)
            if abs(effort) > threshold and self._exceeded is None:
                self._exceeded = self._excess(name, effort)

    def reset(self) -> None:
        """Forget efforts that were too large before."""
        self._exceeded = None

    def missing(self, now: float) -> str | None:
        """Return why the robot may not begin to move: efforts unread or too large now; or None."""
        unread = self._unread(now)
        if unread is not None:
            return unread
        if self._readings.unknown:
            names = ", ".join(self._readings.unknown)
            return f"how often the effort of {names} is read is still being measured"
        large = (
            self._excess(name, effort)
            for name, effort in self._efforts.items()
            if abs(effort) > self._thresholds[name]
        )
        return next(large, None)

    def fault(self, now: float) -> str | None:
        """Return why the robot has to stop: an effort was too large since `reset`, or is unread."""
        return self._exceeded or self._unread(now)

    def _unread(self, now: float) -> str | None:
        names = [silence.joint for silence in self._readings.silent(now)]
        if not names:
            return None
        return (
            f"no effort of {', '.join(names)} is read, but a threshold is set "
            f"({', '.join(f'{name}.stop_effort' for name in names)}); accepted is a finite one in "
            "every reading"
        )

    def _excess(self, name: str, effort: float) -> str:
        return (
            f"joint {name} works with an effort of {effort:.3g}; accepted is up to "
            f"{self._thresholds[name]:g} ({name}.stop_effort)"
        )
