"""Draws a result folder's robot without colours, by its visual meshes."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

import numpy as np

from autourdf_ros.data.images.posed_camera import PinholeCamera
from autourdf_ros.errors import InputError
from autourdf_ros.estimation.appearance.rasterizer.seen_surface import NOTHING
from autourdf_ros.model.document.self_model_reading import read_self_model
from autourdf_ros.workflows.appearance.drawn_robot import DrawnImage, DrawnRobot
from autourdf_ros.workflows.appearance.image_poses import configured_poses
from autourdf_ros.workflows.appearance.link_surfaces import visual_mesh
from autourdf_ros.workflows.mechanisms.predicted_frames import DepthPainter


class MeshRobot:
    """Visual meshes of a result folder, ready to be drawn.

    Raises:
        InputError: The folder is damaged, or no link has a visual mesh.
    """

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self.model = read_self_model(folder)
        meshes = [visual_mesh(folder, name) for name in self.model.tree.links]
        self._shown = np.array([n for n, mesh in enumerate(meshes) if mesh is not None], int)
        if not len(self._shown):
            raise InputError(f"{folder}: no link has a visual mesh; accepted is one with meshes")
        self._meshes = [mesh for mesh in meshes if mesh is not None]
        self._painter: DepthPainter | None = None
        self._camera: PinholeCamera | None = None

    def draw(self, positions: Mapping[str, float], camera: PinholeCamera) -> DrawnImage:
        """Return an image without colours, as `DrawnRobot.draw`."""
        poses = configured_poses(self.model, positions, str(self._folder))
        painter = self._painter_of(camera)
        depth, body = painter.depth_and_body(np.linalg.inv(camera.pose) @ poses[self._shown])
        link = np.where(body >= 0, self._shown[body], NOTHING)
        return DrawnImage(None, depth, link, np.isfinite(depth).astype(np.float32))

    def _painter_of(self, camera: PinholeCamera) -> DepthPainter:
        """Return the painter of a lens; the camera stands at the origin, whatever its pose is."""
        lens = replace(camera, pose=np.eye(4))
        known = self._camera
        if self._painter is None or known is None or _lens(known) != _lens(lens):
            self._painter, self._camera = DepthPainter(lens, self._meshes), lens
        return self._painter


def robot_of(folder: Path) -> DrawnRobot | MeshRobot:
    """Return what draws the robot of a result folder: its splats, or where it has none its meshes.

    Raises:
        InputError: The folder is damaged, or has neither.
    """
    layer = read_self_model(folder).appearance
    return DrawnRobot(folder) if layer is not None and layer.links else MeshRobot(folder)


def _lens(camera: PinholeCamera) -> tuple[object, ...]:
    return camera.width, camera.height, camera.focal, camera.principal
