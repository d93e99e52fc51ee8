"""A bounded number of observations of daily work, spread over the robot's configurations."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from scipy.spatial.distance import cdist

from autourdf_ros.monitoring.observing.observation_comparison import Comparison


class SpreadObservations:
    """At most `most` observations of every camera.

    Many observations of one configuration add little to a single one: errors of the meshes and of
    the cameras' calibration are the same in all of them. So of the two observations of a camera
    with the most similar joint values (rad or m), the older is dropped.
    """

    def __init__(self, cameras: Sequence[str], most: int) -> None:
        self._most = most
        self._comparisons: dict[str, list[Comparison]] = {camera: [] for camera in cameras}

    def add(self, comparison: Comparison) -> None:
        """Take one observation; those of a camera come in the order of their stamps."""
        own = self._comparisons[comparison.observation.camera]
        own.append(comparison)
        if len(own) > self._most:
            values = np.stack([one.observation.values for one in own])
            gaps = cdist(values, values)
            gaps[np.tril_indices_from(gaps)] = np.inf
            del own[int(gaps.argmin()) // len(own)]

    @property
    def fewest(self) -> int:
        """Number of observations of the camera that has the fewest."""
        return min(map(len, self._comparisons.values()))

    @property
    def count(self) -> int:
        """Number of observations of all cameras."""
        return sum(map(len, self._comparisons.values()))

    @property
    def comparisons(self) -> list[Comparison]:
        """All observations in the order of their stamps."""
        every = [one for own in self._comparisons.values() for one in own]
        return sorted(every, key=lambda one: one.observation.stamp)
