"""Axes about which a part may turn or along which it may slide."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]
SOURCES = ("slippage", "centre", "edge", "slide", "middle")


@dataclass(frozen=True)
class Axes:
    """Axes of possible joints.

    Attributes:
        directions: (K, 3) unit.
        points: (K, 3) on them, nearest to the middle of the contact (m).
        slides: (K,) whether a part slides along the axis.
        sources: (K,) numbers of `SOURCES`.
    """

    directions: Array
    points: Array
    slides: NDArray[np.bool_]
    sources: NDArray[np.int64]

    def __len__(self) -> int:
        return len(self.directions)

    def taken(self, chosen: NDArray[np.generic]) -> Axes:
        """Return the chosen ones."""
        return Axes(
            self.directions[chosen], self.points[chosen], self.slides[chosen], self.sources[chosen]
        )

    def nearly_same(self, angle: float, apart: float) -> NDArray[np.bool_]:
        """Return which of the axes (K, K) are of one kind, within an angle (degrees), and near.

        Args:
            angle: Between directions.
            apart: Distance of one's point from the other (m); it does not count for slides.
        """
        same = np.abs(self.directions @ self.directions.T) > np.cos(np.radians(angle))
        offsets = np.cross(self.points[:, None] - self.points[None], self.directions[None])
        near = np.linalg.norm(offsets, axis=2) < apart
        kinds = self.slides[:, None] == self.slides[None]
        return np.asarray(same & kinds & (near | self.slides[:, None]))

    @classmethod
    def joined(cls, *all_axes: Axes) -> Axes:
        """Put axes in a row."""
        return cls(
            np.concatenate([axes.directions for axes in all_axes]),
            np.concatenate([axes.points for axes in all_axes]),
            np.concatenate([axes.slides for axes in all_axes]),
            np.concatenate([axes.sources for axes in all_axes]),
        )

    @classmethod
    def alike(cls, directions: Array, points: Array, slides: bool, source: str) -> Axes:
        """Make axes of one kind."""
        directions = np.asarray(directions, float).reshape(-1, 3)
        points = np.broadcast_to(points, directions.shape).astype(float)
        count = len(directions)
        return cls(
            directions, points, np.full(count, slides), np.full(count, SOURCES.index(source))
        )
