"""Depth images of a mechanism at given joint values, before the background of its video."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import open3d as o3d
from numpy.typing import NDArray

from autourdf_ros.data.images.posed_camera import PinholeCamera
from autourdf_ros.geometry.triangle_mesh import SurfaceMesh


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

    def depth(self, poses: NDArray[np.float64]) -> NDArray[np.float32]:
        """Return (H, W) float32 depths (m) with the bodies at poses (B, 4, 4), NaN where none."""
        camera = self._camera
        nearest = np.full((camera.height, camera.width), np.inf, np.float32)
        if self._background is not None:
            nearest = np.where(np.isfinite(self._background), self._background, np.inf)
        for scene, pose in zip(self._scenes, poses, strict=True):
            local = np.linalg.inv(pose) @ camera.pose
            rays = np.empty((camera.height, camera.width, 6), np.float32)
            rays[..., :3] = local[:3, 3]
            rays[..., 3:] = camera.directions @ local[:3, :3].T
            # Directions have z = 1 in the optical frame, so that the ray parameter is the depth.
            hits = scene.cast_rays(o3d.core.Tensor.from_numpy(rays))["t_hit"].numpy()
            nearest = np.minimum(nearest, hits)
        return np.where(np.isfinite(nearest), nearest, np.nan).astype(np.float32)


def _scene(mesh: SurfaceMesh) -> o3d.t.geometry.RaycastingScene:
    scene = o3d.t.geometry.RaycastingScene()
    scene.add_triangles(
        o3d.core.Tensor.from_numpy(np.ascontiguousarray(mesh.vertices, np.float32)),
        o3d.core.Tensor.from_numpy(np.ascontiguousarray(mesh.triangles, np.uint32)),
    )
    return scene
