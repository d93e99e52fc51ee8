"""Draws a robot under a sun and an even sky, by ray casting, with smooth edges and shadows."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import open3d as o3d
from numpy.typing import NDArray

from autourdf_ros.data.images.posed_camera import PinholeCamera
from autourdf_ros.data.images.robot_images import RobotImage
from autourdf_ros.geometry.arrays import Array
from autourdf_ros.model.urdf.simulated_robot import SimulatedRobot
from autourdf_ros.simulation.images.textured_room import TexturedRoom

_OFF = 1e-4  # m, a shadow's ray begins this far off the surface


@dataclass(frozen=True)
class Sunlight:
    """The light.

    Attributes:
        direction: (3,) towards the sun, of any length, in the fixed frame.
        sky: Share of a surface's colour that it shows in the shade.
        shadows: Whether one part shades another.
        rays: Along each side of a pixel, whose mean is its colour.
    """

    direction: tuple[float, float, float] = (0.4, 0.3, 0.85)
    sky: float = 0.45
    shadows: bool = True
    rays: int = 2


class SunlitRenderer:
    """A renderer of a robot's visual meshes, before a black background or in a room.

    Mask and depth are the robot's alone.
    """

    def __init__(
        self,
        robot: SimulatedRobot,
        light: Sunlight = Sunlight(),
        room: TexturedRoom | None = None,
    ) -> None:
        self._robot, self._light, self._room = robot, light, room
        sun = np.array(light.direction)
        self._sun = sun / np.linalg.norm(sun)

    def draw(self, values: Array, camera: PinholeCamera) -> RobotImage:
        """Return an image, as `ImageRenderer` says."""
        scene, colors = self._scene(values)
        fine = _finer(camera, self._light.rays)
        rays = np.empty((fine.height, fine.width, 6), np.float32)
        rays[..., :3] = camera.pose[:3, 3]
        rays[..., 3:] = fine.directions @ camera.pose[:3, :3].T
        hits = scene.cast_rays(o3d.core.Tensor.from_numpy(rays))
        depth = hits["t_hit"].numpy()  # the directions have z = 1 in the optical frame
        shown = np.isfinite(depth)
        normals, toward = hits["primitive_normals"].numpy()[shown], rays[..., 3:][shown]
        normals *= -np.sign(np.einsum("ni,ni->n", normals, toward))[:, None]
        places = rays[..., :3][shown] + depth[shown, None] * toward
        color = np.zeros((*depth.shape, 3))
        number = hits["geometry_ids"].numpy()[shown], hits["primitive_ids"].numpy()[shown]
        color[shown] = colors(*number) * self._lit(scene, places, normals)[:, None]
        if self._room is not None:
            color[~shown] = self._room.colors(camera.pose[:3, 3], rays[..., 3:][~shown])
        count = self._light.rays
        mask = _mean(shown[..., None] * 255.0, count)[..., 0]
        means = depth.reshape(camera.height, count, camera.width, count).mean(axis=(1, 3))
        return RobotImage(
            camera,
            _mean(color, count),
            dict(zip(self._robot.names, map(float, values), strict=True)),
            mask,
            np.where(np.isfinite(means), means, np.nan).astype(np.float32),
        )

    def _lit(self, scene: o3d.t.geometry.RaycastingScene, places: Array, normals: Array) -> Array:
        """Return the share of its colour (N,) that a surface shows, by Lambert's law."""
        sunny = np.clip(normals @ self._sun, 0, None)
        if self._light.shadows:
            rays = np.empty((len(places), 6), np.float32)
            rays[:, :3], rays[:, 3:] = places + _OFF * normals, self._sun
            sunny *= ~scene.test_occlusions(o3d.core.Tensor.from_numpy(rays)).numpy()
        return np.asarray(self._light.sky + (1 - self._light.sky) * sunny)

    def _scene(self, values: Array):  # type: ignore[no-untyped-def]
        """Return the robot's scene, and a function of body and triangle to colours (N, 3)."""
        scene = o3d.t.geometry.RaycastingScene()
        starts, colors, total = [], [], 0
        for surface, pose in zip(self._robot.surfaces, self._robot.body_poses(values), strict=True):
            if surface is None:
                continue
            moved = surface.transformed(pose)
            scene.add_triangles(
                o3d.core.Tensor.from_numpy(np.ascontiguousarray(moved.vertices)),
                o3d.core.Tensor.from_numpy(np.ascontiguousarray(moved.triangles)),
            )
            starts.append(total)
            colors.append(moved.colors)
            total += len(moved.triangles)
        every, first = np.concatenate(colors), np.array(starts)
        return scene, lambda body, triangle: every[first[body] + triangle]


def _finer(camera: PinholeCamera, count: int) -> PinholeCamera:
    """Return the camera with `count` times as many pixels along each side."""
    column, row = ((value + 0.5) * count - 0.5 for value in camera.principal)
    return PinholeCamera(
        camera.width * count,
        camera.height * count,
        (camera.focal[0] * count, camera.focal[1] * count),
        (column, row),
        camera.pose,
    )


def _mean(values: Array, count: int) -> NDArray[np.uint8]:
    """Return the means of count x count pixels (H, W, C), in [0, 255]."""
    height, width = values.shape[0] // count, values.shape[1] // count
    means = values.reshape(height, count, width, count, -1).mean(axis=(1, 3))
    return np.asarray(np.round(means), np.uint8)
