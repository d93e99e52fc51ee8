"""Looks of daily work: a bounded number, spread over the robot's configurations."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from scipy.spatial.distance import cdist

from autourdf_ros.monitoring.observing.observation_comparison import Comparison


class SpreadObservations:
    """At most `most` looks of every camera.

    What is seen again and again from one configuration tells little more than one look: errors of
    meshes and of the cameras' calibration are the same there. So of the two looks of a camera whose
    joint values (rad or m) are most alike, the older goes.
    """

    def __init__(self, cameras: Sequence[str], most: int) -> None:
        self._most = most
        self._looks: dict[str, list[Comparison]] = {camera: [] for camera in cameras}

    def add(self, look: Comparison) -> None:
        """Take one look; looks of a camera come in the order of their stamps."""
        own = self._looks[look.look.camera]
        own.append(look)
        if len(own) > self._most:
            values = np.stack([one.look.values for one in own])
            gaps = cdist(values, values)
            gaps[np.tril_indices_from(gaps)] = np.inf
            del own[int(gaps.argmin()) // len(own)]

    @property
    def fewest(self) -> int:
        """Looks of the camera that has fewest."""
        return min(map(len, self._looks.values()))

    @property
    def count(self) -> int:
        """Looks of all cameras."""
        return sum(map(len, self._looks.values()))

    @property
    def looks(self) -> list[Comparison]:
        """In the order of their stamps."""
        every = [one for own in self._looks.values() for one in own]
        return sorted(every, key=lambda one: one.look.stamp)
