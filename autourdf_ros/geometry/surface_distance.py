"""Measure how far two surfaces are apart."""

from __future__ import annotations

import numpy as np
import open3d as o3d
import trimesh
from numpy.typing import NDArray

SAMPLES = 1500
"""Points of each surface."""


class DistanceField:
    """Distance to a surface."""

    def __init__(self, mesh: trimesh.Trimesh) -> None:
        """mesh: not empty."""
        self._scene = o3d.t.geometry.RaycastingScene(nthreads=1)
        self._scene.add_triangles(
            o3d.core.Tensor.from_numpy(np.ascontiguousarray(mesh.vertices, np.float32)),
            o3d.core.Tensor.from_numpy(np.ascontiguousarray(mesh.faces, np.uint32)),
        )

    def __call__(self, points: NDArray[np.float64]) -> NDArray[np.float64]:
        """Of (..., 3) points: (...), m."""
        asked = o3d.core.Tensor.from_numpy(np.ascontiguousarray(points, np.float32))
        return np.asarray(self._scene.compute_distance(asked, nthreads=1).numpy(), float)


def points_on(mesh: trimesh.Trimesh, count: int = SAMPLES) -> NDArray[np.float64]:
    """Return points (count, 3) spread evenly over a surface, always the same."""
    return np.asarray(trimesh.sample.sample_surface(mesh, count, seed=0)[0], float)


def surface_distances(first: trimesh.Trimesh, second: trimesh.Trimesh) -> NDArray[np.float64]:
    """Return distances (2 * SAMPLES,) of points of each surface to the other (m)."""
    return np.concatenate(
        [DistanceField(second)(points_on(first)), DistanceField(first)(points_on(second))]
    )
