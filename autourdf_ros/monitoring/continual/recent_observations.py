"""A few looks from before a change and since, spread over time: what a repair needs."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Mapping

from autourdf_ros.monitoring.observing.observation_comparison import Comparison

MOST = 10  # of a camera, from before and since
PERIOD = 0.5  # s between two that are kept


class RecentObservations:
    """Bounded: `MOST` looks of every camera from before the change, and the newest since it."""

    def __init__(self) -> None:
        self._healthy: dict[str, list[Comparison]] = {}
        self._recent: dict[str, deque[Comparison]] = {}
        self._stamps: dict[str, float] = {}

    def wants(self, camera: str, stamp: float) -> bool:
        """Whether a look of this camera at this time (s) should be kept."""
        before = self._stamps.get(camera)
        return before is None or not 0 <= stamp - before < PERIOD

    def add(self, look: Comparison, *, changed: bool) -> None:
        """Keep one. changed: whether it is of a robot of which a change is told."""
        camera = look.look.camera
        self._stamps[camera] = look.look.stamp
        if changed:
            self._recent.setdefault(camera, deque(maxlen=MOST)).append(look)
            return
        healthy = self._healthy.setdefault(camera, [])
        healthy.append(look)
        if len(healthy) > MOST:
            # Every other one goes, so that those left are still spread over the whole time.
            del healthy[1::2]

    def forget_recent(self) -> None:
        """Forget those since the change: it is another one, or none."""
        self._recent.clear()

    @property
    def healthy(self) -> list[Comparison]:
        """From before the change, in the order of their stamps."""
        return _in_order(self._healthy)

    @property
    def recent(self) -> list[Comparison]:
        """Since the change, in the order of their stamps."""
        return _in_order(self._recent)


def _in_order(looks: Mapping[str, Iterable[Comparison]]) -> list[Comparison]:
    every = [one for own in looks.values() for one in own]
    return sorted(every, key=lambda one: one.look.stamp)
