"""The last seconds of what was seen, and what they tell together."""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass

import numpy as np

from autourdf_ros.monitoring.diagnosis.baseline import Baseline
from autourdf_ros.monitoring.diagnosis.cause_ranking import Explanation, explanations
from autourdf_ros.monitoring.diagnosis.causes import Causes
from autourdf_ros.monitoring.diagnosis.linear_system import ObservationSums, linear_system
from autourdf_ros.monitoring.diagnosis.motor_signs import SignSums
from autourdf_ros.monitoring.diagnosis.unexplained_points import FilledCells
from autourdf_ros.monitoring.observing.observation_comparison import Comparison

_SPANS = (0.2, 0.5, 1.0)  # shares of the window in which a change may have begun
_LEAST_LOOKS = 3  # of a span, of every camera


@dataclass(frozen=True, eq=False)
class Seen:
    """A look, and all that is made of it once."""

    comparison: Comparison
    sums: ObservationSums
    cells: FilledCells
    signs: SignSums


class Window:
    """Bounded in time by the stamps of the looks. length: seconds."""

    def __init__(self, length: float) -> None:
        self.length = length
        self._seen: deque[Seen] = deque()

    def add(self, seen: Seen) -> None:
        """Take a look; those that are older than the window by its stamp go."""
        self._seen.append(seen)
        newest = seen.comparison.look.stamp
        while newest - self._seen[0].comparison.look.stamp > self.length:
            self._seen.popleft()

    def clear(self) -> None:
        """Forget all."""
        self._seen.clear()

    @property
    def comparisons(self) -> list[Comparison]:
        """Of all looks, in the order in which they came, as the others."""
        return [seen.comparison for seen in self._seen]

    @property
    def sums(self) -> list[ObservationSums]:
        """Of all looks."""
        return [seen.sums for seen in self._seen]

    @property
    def cells(self) -> list[FilledCells]:
        """Of all looks."""
        return [seen.cells for seen in self._seen]

    @property
    def signs(self) -> list[SignSums]:
        """Of all looks."""
        return [seen.signs for seen in self._seen]

    def since(self, stamp: float) -> list[Comparison]:
        """Of the looks that are newer."""
        return [one for one in self.comparisons if one.look.stamp > stamp]

    def explained(
        self, causes: Causes, baseline: Baseline, stamp: float = -np.inf
    ) -> list[Explanation] | None:
        """By every cause, to first order, in the part of the window that tells most of a change.

        The most probable first. None before there are looks enough that are newer than the stamp.
        """
        found, sums = [], self.sums
        for share in _SPANS:
            since = sums[-1].stamp - share * self.length
            last = [look for look in sums if look.stamp >= since and look.stamp > stamp]
            if len(last) >= _LEAST_LOOKS * len(causes.cameras):
                system = linear_system(last, len(causes.cameras))
                found.append(explanations(causes, system, baseline))
        return max(found, key=lambda one: one[0].log_odds, default=None)
