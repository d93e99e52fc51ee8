"""The scene without the robot, which is removed from clouds."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray
from scipy.spatial import KDTree

TOLERANCE = 0.02


@dataclass(frozen=True, eq=False)
class Background:
    """The empty scene.

    Attributes:
        points: (N, 3), metres, fixed frame.
        tolerance: points nearer to the scene than this (m) belong to it.
    """

    points: NDArray[np.float32]
    tolerance: float = TOLERANCE

    def foreground_mask(self, points: NDArray[np.floating]) -> NDArray[np.bool_]:
        """Return which of (N, 3) points are farther from the scene than the tolerance."""
        distances, _ = self._tree.query(points, distance_upper_bound=self.tolerance)
        return np.asarray(np.isinf(distances))

    @cached_property
    def _tree(self) -> KDTree:
        return KDTree(self.points)
