"""Renders depth images of rigid bodies by ray casting."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import open3d as o3d
from numpy.typing import NDArray

from autourdf_ros.geometry.triangle_mesh import SurfaceMesh
from autourdf_ros.simulation.cameras.pinhole_camera import Camera

NOTHING = -2
BACKGROUND = -1


@dataclass(frozen=True)
class View:
    """True view of one camera; all arrays are (height, width, ...).

    Attributes:
        depth: float32 along the optical axis, metres; NaN where there is no surface.
        body: int16 number of the body; BACKGROUND for the static scene, else NOTHING.
        color: (..., 3) uint8 RGB.
        incidence: float32 cosine between the viewing ray and the surface normal, in [0, 1]; NaN
            where there is no surface.
    """

    depth: NDArray[np.float32]
    body: NDArray[np.int16]
    color: NDArray[np.uint8]
    incidence: NDArray[np.float32]

    @classmethod
    def empty(cls, height: int, width: int) -> View:
        """Return a view without any surface."""
        return cls(
            np.full((height, width), np.nan, dtype=np.float32),
            np.full((height, width), NOTHING, dtype=np.int16),
            np.zeros((height, width, 3), dtype=np.uint8),
            np.full((height, width), np.nan, dtype=np.float32),
        )

    def copy(self) -> View:
        """Return a view that shares no array with this one."""
        return View(self.depth.copy(), self.body.copy(), self.color.copy(), self.incidence.copy())


class _Body:
    """A ray casting scene of one rigid body in its own frame, so that it is never rebuilt."""

    def __init__(self, mesh: SurfaceMesh) -> None:
        self.mesh = mesh
        self.scene = o3d.t.geometry.RaycastingScene()
        self.scene.add_triangles(
            o3d.core.Tensor.from_numpy(mesh.vertices.astype(np.float32)),
            o3d.core.Tensor.from_numpy(mesh.triangles.astype(np.uint32)),
        )


class Renderer:
    """Renders rigid bodies before a static background, for static cameras."""

    def __init__(
        self,
        surfaces: Sequence[SurfaceMesh | None],
        cameras: Sequence[Camera],
        background: SurfaceMesh | None = None,
    ) -> None:
        """Prepare the scenes.

        Args:
            surfaces: one a body, in its own frame; None for a body without a surface.
            background: static scene in the fixed frame.
        """
        self.cameras = list(cameras)
        self._bodies = [None if mesh is None else _Body(mesh) for mesh in surfaces]
        self._backgrounds: list[View | None] = [None] * len(self.cameras)
        if background is not None:
            scene = _Body(background)
            for index, camera in enumerate(self.cameras):
                view = self._empty(camera)
                _cast(scene, np.eye(4), camera, view, BACKGROUND)
                self._backgrounds[index] = view

    def render(self, poses: NDArray[np.float64], index: int) -> View:
        """Return the view of camera `index` with the bodies at `poses` (B, 4, 4)."""
        camera, background = self.cameras[index], self._backgrounds[index]
        view = self._empty(camera) if background is None else background.copy()
        for number, (body, pose) in enumerate(zip(self._bodies, poses, strict=True)):
            if body is not None:
                _cast(body, pose, camera, view, number)
        return view

    @staticmethod
    def _empty(camera: Camera) -> View:
        return View.empty(camera.intrinsics.height, camera.intrinsics.width)


def _cast(body: _Body, pose: NDArray[np.float64], camera: Camera, view: View, number: int) -> None:
    """Draw a body at `pose` (4, 4) into the view where it is nearer than the view's depth."""
    to_body = np.linalg.inv(pose) @ camera.pose
    window = _window(body.mesh, np.linalg.inv(to_body), camera)
    directions = camera.intrinsics.directions[window]
    if directions.size == 0:
        return
    rays = np.empty((*directions.shape[:2], 6), dtype=np.float32)
    rays[..., :3] = to_body[:3, 3]
    np.matmul(directions, to_body[:3, :3].T.astype(np.float32), out=rays[..., 3:])
    hits = body.scene.cast_rays(o3d.core.Tensor.from_numpy(rays))
    # Directions have z = 1 in the optical frame, so the ray parameter is the depth.
    depth = hits["t_hit"].numpy()
    before = view.depth[window]
    nearer = np.isfinite(depth) & ~(before <= depth)
    before[nearer] = depth[nearer]
    view.body[window][nearer] = number
    view.color[window][nearer] = body.mesh.colors[hits["primitive_ids"].numpy()[nearer]]
    normals, toward = hits["primitive_normals"].numpy()[nearer], rays[..., 3:][nearer]
    cosine = np.abs(np.einsum("ni,ni->n", normals, toward)) / np.linalg.norm(toward, axis=1)
    view.incidence[window][nearer] = cosine


def _window(
    mesh: SurfaceMesh, to_camera: NDArray[np.floating], camera: Camera
) -> tuple[slice, slice]:
    """Return the rows and columns of the image that contain the mesh."""
    hull = mesh.hull @ to_camera[:3, :3].T + to_camera[:3, 3]
    inner = camera.intrinsics
    if hull[:, 2].min() <= 1e-3:
        if hull[:, 2].max() <= 0:
            return slice(0, 0), slice(0, 0)
        return slice(0, inner.height), slice(0, inner.width)
    pixels = hull[:, :2] / hull[:, 2:] * inner.focal + np.array(inner.center)
    low = np.floor(pixels.min(axis=0)).astype(int)
    high = np.ceil(pixels.max(axis=0)).astype(int) + 1
    columns, rows = (
        slice(max(0, int(low[axis])), max(0, min(size, int(high[axis]))))
        for axis, size in enumerate((inner.width, inner.height))
    )
    return rows, columns
