"""Assignment of a cloud's points to the bodies of the true robot."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import open3d as o3d
from numpy.typing import NDArray

from autourdf_ros.geometry.triangle_mesh import SurfaceMesh

REACH = 0.03
"""Distance (m) from every surface beyond which a point belongs to no body."""

SMALLEST_AREA = 1e-12
"""Twice the area (m²) below which a triangle is ignored."""


@dataclass(frozen=True)
class BodyPoints:
    """The points of one cloud on the true robot.

    Attributes:
        labels: (N,) body of every point, -1 for none.
        distances: (N,) signed distance from its surface (m), NaN for none.
        normals: (N, 3) of the surface, in the fixed frame.
    """

    labels: NDArray[np.int64]
    distances: NDArray[np.float64]
    normals: NDArray[np.float64]


class BodySurfaces:
    """The surfaces of a robot's bodies, each in the frame of its body."""

    def __init__(self, surfaces: Sequence[SurfaceMesh | None]) -> None:
        """Prepare the search; the surface of a body may be None."""
        self._surfaces = surfaces
        self._scenes = [None if surface is None else _scene(surface) for surface in surfaces]

    def attribute(self, points: NDArray[np.float32], poses: NDArray[np.float64]) -> BodyPoints:
        """Assign every point (N, 3) to the body at `poses` (B, 4, 4) whose surface is nearest."""
        labels = np.full(len(points), -1)
        nearest = np.full(len(points), REACH)
        distances = np.full(len(points), np.nan)
        normals = np.zeros((len(points), 3))
        for body, (surface, scene) in enumerate(zip(self._surfaces, self._scenes, strict=True)):
            if surface is None or scene is None:
                continue
            rotation, origin = poses[body, :3, :3], poses[body, :3, 3]
            local = (points - origin) @ rotation
            low, high = surface.vertices.min(axis=0) - REACH, surface.vertices.max(axis=0) + REACH
            near = np.flatnonzero(np.all((local > low) & (local < high), axis=1))
            found = scene.compute_closest_points(
                o3d.core.Tensor.from_numpy(local[near].astype(np.float32))
            )
            normal = found["primitive_normals"].numpy().astype(float)
            away = local[near] - found["points"].numpy()
            distance = np.linalg.norm(away, axis=1)
            closer = distance < nearest[near]
            chosen = near[closer]
            labels[chosen], nearest[chosen] = body, distance[closer]
            side = np.where(np.einsum("ni,ni->n", away, normal)[closer] < 0, -1.0, 1.0)
            distances[chosen] = side * distance[closer]
            normals[chosen] = normal[closer] @ rotation.T
        return BodyPoints(labels, distances, normals)

    def distances(self, body: int, points: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return (N,) distances (m) of points (N, 3) in the body's frame from its surface."""
        scene = self._scenes[body]
        if scene is None:
            return np.full(len(points), np.inf)
        query = o3d.core.Tensor.from_numpy(points.astype(np.float32))
        return scene.compute_distance(query).numpy().astype(float)


def _scene(surface: SurfaceMesh) -> o3d.t.geometry.RaycastingScene:
    corners = surface.vertices[surface.triangles]
    cross = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
    # Real meshes have triangles without area, whose normal is NaN.
    triangles = surface.triangles[np.linalg.norm(cross, axis=1) > SMALLEST_AREA]
    scene = o3d.t.geometry.RaycastingScene()
    scene.add_triangles(
        o3d.core.Tensor.from_numpy(surface.vertices.astype(np.float32)),
        o3d.core.Tensor.from_numpy(triangles.astype(np.uint32)),
    )
    return scene
