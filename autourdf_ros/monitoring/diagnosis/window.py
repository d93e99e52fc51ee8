"""The last seconds of observations, and their joint explanation."""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from autourdf_ros.monitoring.diagnosis.baseline import Baseline
from autourdf_ros.monitoring.diagnosis.cause_ranking import (
    Explanation,
    explanations,
    most_significant,
)
from autourdf_ros.monitoring.diagnosis.causes import Causes
from autourdf_ros.monitoring.diagnosis.linear_system import ObservationSums, linear_system
from autourdf_ros.monitoring.diagnosis.motor_signs import SignSums
from autourdf_ros.monitoring.diagnosis.unexplained_points import FilledCells
from autourdf_ros.monitoring.observing.observation_comparison import Comparison

_SPANS = (0.2, 0.5, 1.0)  # shares of the window in which a change may have begun
_LEAST_OBSERVATIONS = 3  # of every camera, in a span


@dataclass(frozen=True, eq=False)
class WindowEntry:
    """An observation, and everything computed from it once."""

    comparison: Comparison
    sums: ObservationSums
    cells: FilledCells
    signs: SignSums


class Window:
    """Bounded in time by the stamps of the observations; `length` in seconds."""

    def __init__(self, length: float) -> None:
        self.length = length
        self._seen: deque[WindowEntry] = deque()

    def add(self, seen: WindowEntry) -> None:
        """Take an observation; those older than the window by its stamp are dropped."""
        self._seen.append(seen)
        newest = seen.comparison.observation.stamp
        while newest - self._seen[0].comparison.observation.stamp > self.length:
            self._seen.popleft()

    def clear(self) -> None:
        """Drop all observations."""
        self._seen.clear()

    @property
    def comparisons(self) -> list[Comparison]:
        """Of all observations, in the order in which they came, as the other lists."""
        return [seen.comparison for seen in self._seen]

    @property
    def sums(self) -> list[ObservationSums]:
        """Of all observations."""
        return [seen.sums for seen in self._seen]

    @property
    def cells(self) -> list[FilledCells]:
        """Of all observations."""
        return [seen.cells for seen in self._seen]

    @property
    def signs(self) -> list[SignSums]:
        """Of all observations."""
        return [seen.signs for seen in self._seen]

    def since(self, stamp: float) -> list[Comparison]:
        """Return the comparisons with a newer stamp."""
        return [one for one in self.comparisons if one.observation.stamp > stamp]

    def explained(
        self, causes: Causes, baseline: Baseline, stamp: float = -np.inf
    ) -> list[Explanation] | None:
        """Return the first-order explanations in the part of the window that shows a change best.

        The most probable is first. None without enough observations newer than `stamp`.
        """
        sums = [one for one in self.sums if one.stamp > stamp]
        found = by_spans(causes, baseline, sums, self.length)
        return max(found, key=most_significant, default=None)

    def remaining(
        self, causes: Causes, baseline: Baseline, found: Explanation, stamp: float
    ) -> float:
        """Return the significance of the best further cause beside one, to first order."""
        beside = baseline.displaced(found.cause.columns, found.parameters)
        others = self.explained(causes, beside, stamp)
        return 0.0 if others is None else most_significant(others)


def by_spans(
    causes: Causes, baseline: Baseline, sums: Sequence[ObservationSums], length: float
) -> list[list[Explanation]]:
    """Return the first-order explanations of several spans up to the last observation.

    Args:
        causes: All causes.
        baseline: Learnt before.
        sums: In the order of their stamps.
        length: Of the window (s). Spans with few observations are left out.
    """
    found = []
    for share in _SPANS:
        since = (sums[-1].stamp if sums else 0.0) - share * length
        last = [one for one in sums if one.stamp >= since]
        if len(last) >= _LEAST_OBSERVATIONS * len(causes.cameras):
            found.append(explanations(causes, linear_system(last, len(causes.cameras)), baseline))
    return found
