"""Depth images of a mechanism at given joint values, before the background of its video."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import open3d as o3d
from numpy.typing import NDArray

from autourdf_ros.data.images.posed_camera import PinholeCamera
from autourdf_ros.geometry.triangle_mesh import SurfaceMesh

NEAREST = 1e-3
"""Depth (m) of a body's corner from which its image is not bounded by that of its corners."""


class DepthPainter:
    """Renders rigid bodies by ray casting (Embree), each in its own frame."""

    def __init__(
        self,
        camera: PinholeCamera,
        meshes: Sequence[SurfaceMesh],
        background: NDArray[np.float32] | None = None,
    ) -> None:
        """Prepare the bodies.

        Args:
            camera: That looks on.
            meshes: B bodies, each in its own frame.
            background: (H, W) depths behind them (m), NaN where none.
        """
        self._camera = camera
        self._background = background
        self._scenes = [_scene(mesh) for mesh in meshes]
        self._hulls = [mesh.hull for mesh in meshes]
        self._directions = camera.directions.astype(np.float32)

    def depth(self, poses: NDArray[np.float64]) -> NDArray[np.float32]:
        """Return (H, W) float32 depths (m) with the bodies at poses (B, 4, 4), NaN where none."""
        return self.depth_and_body(poses)[0]

    def depth_and_body(
        self, poses: NDArray[np.float64]
    ) -> tuple[NDArray[np.float32], NDArray[np.int16]]:
        """Return what `depth` returns, and (H, W) the body that is seen, -1 where none is."""
        camera = self._camera
        nearest = np.full((camera.height, camera.width), np.inf, np.float32)
        if self._background is not None:
            known = np.isfinite(self._background)
            nearest[known] = self._background[known]
        body = np.full(nearest.shape, -1, np.int16)
        bodies = zip(self._scenes, self._hulls, poses, strict=True)
        for number, (scene, hull, pose) in enumerate(bodies):
            local = np.linalg.inv(pose) @ camera.pose
            window = _window(hull, np.linalg.inv(local), camera)
            directions = self._directions[window]
            if not directions.size:
                continue
            rays = np.empty((*directions.shape[:2], 6), np.float32)
            rays[..., :3] = local[:3, 3]
            np.matmul(directions, local[:3, :3].T.astype(np.float32), out=rays[..., 3:])
            # Directions have z = 1 in the optical frame, so that the ray parameter is the depth.
            hits = scene.cast_rays(o3d.core.Tensor.from_numpy(rays))["t_hit"].numpy()
            nearer = hits < nearest[window]
            nearest[window][nearer] = hits[nearer]
            body[window][nearer] = number
        return np.where(np.isfinite(nearest), nearest, np.nan).astype(np.float32), body


def _scene(mesh: SurfaceMesh) -> o3d.t.geometry.RaycastingScene:
    scene = o3d.t.geometry.RaycastingScene()
    scene.add_triangles(
        o3d.core.Tensor.from_numpy(np.ascontiguousarray(mesh.vertices, np.float32)),
        o3d.core.Tensor.from_numpy(np.ascontiguousarray(mesh.triangles, np.uint32)),
    )
    return scene


def _window(
    hull: NDArray[np.float64], to_camera: NDArray[np.floating], camera: PinholeCamera
) -> tuple[slice, slice]:
    """Return the rows and columns of the image that may show a body.

    Args:
        hull: (H, 3) corners of its convex hull, in its own frame.
        to_camera: (4, 4) from there to the optical frame.
        camera: The camera.
    """
    corners = hull @ to_camera[:3, :3].T + to_camera[:3, 3]
    if corners[:, 2].max() <= 0:
        return slice(0, 0), slice(0, 0)
    if corners[:, 2].min() <= NEAREST:
        return slice(0, camera.height), slice(0, camera.width)
    pixels = corners[:, :2] / corners[:, 2:] * camera.focal + camera.principal
    size = (camera.width, camera.height)
    low = np.clip(np.floor(pixels.min(axis=0)), 0, size).astype(int)
    high = np.clip(np.ceil(pixels.max(axis=0)) + 1, 0, size).astype(int)
    return slice(low[1], high[1]), slice(low[0], high[0])
