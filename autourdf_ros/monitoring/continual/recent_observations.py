"""A few observations from before a change and since, spread over time, for a repair."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Mapping

from autourdf_ros.monitoring.observing.observation_comparison import Comparison

MOST = 10  # of a camera, from before and since
PERIOD = 0.5  # s between two that are kept of a camera


class RecentObservations:
    """Bounded: `MOST` observations of every camera before a change, and the newest since it."""

    def __init__(self) -> None:
        self._healthy: dict[str, list[Comparison]] = {}
        self._recent: dict[str, deque[Comparison]] = {}
        self._stamps: dict[str, float] = {}

    def wants(self, camera: str, stamp: float) -> bool:
        """Whether an observation of this camera at this time (s) should be kept."""
        before = self._stamps.get(camera)
        return before is None or not 0 <= stamp - before < PERIOD

    def add(self, comparison: Comparison, *, changed: bool) -> None:
        """Keep one.

        Args:
            comparison: The observation, compared with the model.
            changed: Whether a change of the robot is reported.
        """
        camera = comparison.observation.camera
        self._stamps[camera] = comparison.observation.stamp
        if changed:
            self._recent.setdefault(camera, deque(maxlen=MOST)).append(comparison)
            return
        healthy = self._healthy.setdefault(camera, [])
        healthy.append(comparison)
        if len(healthy) > MOST:
            # Dropping every other one keeps the rest spread over the whole time.
            del healthy[1::2]

    def forget_recent(self) -> None:
        """Forget the observations since a change: it is another change, or none."""
        self._recent.clear()

    @property
    def healthy(self) -> list[Comparison]:
        """From before the change, in the order of their stamps."""
        return _in_order(self._healthy)

    @property
    def recent(self) -> list[Comparison]:
        """Since the change, in the order of their stamps."""
        return _in_order(self._recent)


def _in_order(comparisons: Mapping[str, Iterable[Comparison]]) -> list[Comparison]:
    every = [one for own in comparisons.values() for one in own]
    return sorted(every, key=lambda one: one.observation.stamp)
