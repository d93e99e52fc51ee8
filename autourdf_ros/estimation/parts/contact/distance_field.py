"""Exact unsigned distances to the surface of a part."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from autourdf_ros.data.parts.part_assembly import Part
from autourdf_ros.estimation.parts.contact.triangle_tree import build_triangle_tree

ROUNDING = 1e-4
"""Error of a distance in float32, in diagonals of the part: of its needles, else a hundredth."""


class DistanceField:
    """Unsigned distance to a surface, which may be open, self-crossing or badly wound.

    Points are asked from any thread. Open3D computes in float32: lengths are relative to the
    middle of the part, and precise to about 1e-6 of its size.
    """

    def __init__(self, part: Part) -> None:
        """part: with at least one triangle."""
        import open3d as o3d

        self._middle = part.bounds.mean(axis=0)
        self._rounding = ROUNDING * part.diagonal
        self._tree = build_triangle_tree(part.vertices, part.triangles)
        self._tensor = o3d.core.Tensor.from_numpy
        self._scene = o3d.t.geometry.RaycastingScene(nthreads=1)
        self._scene.add_triangles(
            self._tensor(np.ascontiguousarray(part.vertices - self._middle, np.float32)),
            self._tensor(np.ascontiguousarray(part.triangles, np.uint32)),
        )

    def __call__(self, points: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return the distances (...) of points (..., 3) to the surface (m)."""
        asked = self._tensor(np.ascontiguousarray(points - self._middle, np.float32))
        return np.asarray(self._scene.compute_distance(asked, nthreads=1).numpy(), np.float64)

    def capped(
        self, points: NDArray[np.float64], limits: NDArray[np.float64] | float = np.inf
    ) -> NDArray[np.float64]:
        """Return the lesser of distance and limit (...) of points (..., 3), in float64 (m).

        It is quicker the smaller the limits are, and runs beside other threads.
        """
        return self._tree.capped(points, limits)

    def beyond(self, points: NDArray[np.float64], limits: NDArray[np.float64]) -> NDArray[np.bool_]:
        """Return whether points (N, 3) are at limits (N,) from the surface or further (m)."""
        return self._tree.beyond(points, limits)

    def near(
        self, points: NDArray[np.float64], reach: float
    ) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
        """Return the numbers of points (N, 3) about within reach, and their distances (m).

        Those that are surely beyond it are left out.
        """
        limit = reach + self._rounding
        close = np.flatnonzero(self.capped(points, limit) < limit)
        return close, self(points[close]) if len(close) else np.zeros(0)

    def nearest(self, points: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return the points (N, 3) of the surface nearest to points (N, 3)."""
        asked = self._tensor(np.ascontiguousarray(points - self._middle, np.float32))
        found = self._scene.compute_closest_points(asked, nthreads=1)["points"]
        return np.asarray(found.numpy(), np.float64) + self._middle

    def inside(self, points: NDArray[np.float64]) -> NDArray[np.bool_]:
        """Return whether points (N, 3) are inside, by the majority of three rays' crossings."""
        asked = self._tensor(np.ascontiguousarray(points - self._middle, np.float32))
        return np.asarray(
            self._scene.compute_occupancy(asked, nthreads=1, nsamples=3).numpy() > 0.5
        )
