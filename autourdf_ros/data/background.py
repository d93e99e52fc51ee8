"""The scene without the robot, which is taken away from what the cameras see."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray
from scipy.spatial import KDTree

TOLERANCE = 0.02


@dataclass(frozen=True, eq=False)
class Background:
    """Points (N, 3) of the empty scene (m, fixed frame), and how near to them is the scene (m)."""

    points: NDArray[np.float32]
    tolerance: float = TOLERANCE

    def foreground_mask(self, points: NDArray[np.floating]) -> NDArray[np.bool_]:
        """Which of (N, 3) points are farther from the empty scene than the tolerance."""
        distances, _ = self._tree.query(points, distance_upper_bound=self.tolerance)
        return np.asarray(np.isinf(distances))

    @cached_property
    def _tree(self) -> KDTree:
        return KDTree(self.points)
