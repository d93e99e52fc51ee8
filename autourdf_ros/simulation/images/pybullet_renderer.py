"""Draws a robot with PyBullet's software renderer, as the papers on self-models do."""

from __future__ import annotations

import tempfile
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np

from autourdf_ros.data.images.posed_camera import PinholeCamera
from autourdf_ros.data.images.robot_images import RobotImage
from autourdf_ros.errors import InputError
from autourdf_ros.geometry.arrays import Array
from autourdf_ros.model.urdf.simulated_robot import SimulatedRobot
from autourdf_ros.quiet_library import quiet_library
from autourdf_ros.simulation.images.robot_copy import copy_robot

_NEAR, _FAR = 0.05, 20.0  # m, of the depth buffer
_FLIP = np.diag([1.0, -1.0, -1.0, 1.0])  # from the optical frame to OpenGL's camera axes


class PybulletRenderer:
    """PyBullet's `ER_TINY_RENDERER` with its default light, before a white background.

    Raises:
        InputError: PyBullet is not installed, or does not load the robot.
    """

    def __init__(self, robot: SimulatedRobot, shadows: bool = True) -> None:
        self._bullet = _pybullet()
        self._robot, self._shadows = robot, shadows
        with tempfile.TemporaryDirectory() as folder, quiet_library(errors=True):
            self._client = self._bullet.connect(self._bullet.DIRECT)
            try:
                self._body = self._bullet.loadURDF(
                    str(copy_robot(robot.urdf, Path(folder))),
                    useFixedBase=True,
                    physicsClientId=self._client,
                )
            except self._bullet.error as error:
                self.close()
                raise InputError(f"{robot.urdf}: PyBullet cannot load it: {error}") from error
        count = self._bullet.getNumJoints(self._body, self._client)
        names = [
            self._bullet.getJointInfo(self._body, number, self._client)[1].decode()
            for number in range(count)
        ]
        self._numbers = [names.index(name) for name in robot.names]

    def close(self) -> None:
        """End the simulation."""
        self._bullet.disconnect(self._client)

    def draw(self, values: Array, camera: PinholeCamera) -> RobotImage:
        """Return an image, as `ImageRenderer` says."""
        for number, value in zip(self._numbers, values, strict=True):
            self._bullet.resetJointState(
                self._body, number, float(value), physicsClientId=self._client
            )
        width, height, color, buffer, body = self._bullet.getCameraImage(
            camera.width,
            camera.height,
            np.linalg.inv(camera.pose @ _FLIP).T.ravel().tolist(),
            _projection(camera),
            shadow=int(self._shadows),
            renderer=self._bullet.ER_TINY_RENDERER,
            physicsClientId=self._client,
        )
        shown = np.reshape(body, (height, width)) >= 0
        depth = _FAR * _NEAR / (_FAR - (_FAR - _NEAR) * np.reshape(buffer, (height, width)))
        return RobotImage(
            camera,
            np.ascontiguousarray(np.reshape(color, (height, width, 4))[..., :3], np.uint8),
            dict(zip(self._robot.names, map(float, values), strict=True)),
            shown.astype(np.uint8) * np.uint8(255),
            np.where(shown, depth, np.nan).astype(np.float32),
        )


def _projection(camera: PinholeCamera) -> list[float]:
    """Return OpenGL's projection matrix, column by column."""
    width, height = camera.width, camera.height
    matrix: Any = np.zeros((4, 4))
    matrix[0, 0] = 2 * camera.focal[0] / width
    matrix[1, 1] = 2 * camera.focal[1] / height
    # Its rasterizer samples a pixel at its left and lower corner, OpenGL in the middle.
    matrix[0, 2] = 1 - 2 * camera.principal[0] / width
    matrix[1, 2] = 2 * (camera.principal[1] + 1) / height - 1
    matrix[2, 2] = -(_FAR + _NEAR) / (_FAR - _NEAR)
    matrix[2, 3] = -2 * _FAR * _NEAR / (_FAR - _NEAR)
    matrix[3, 2] = -1
    columns: list[float] = matrix.T.ravel().tolist()
    return columns


def _pybullet() -> ModuleType:
    try:
        with quiet_library(errors=True):  # it prints when it was built
            import pybullet
    except ImportError as error:
        raise InputError(
            "PyBullet is not installed; `pip install autourdf_ros[check]` brings it"
        ) from error
    module: ModuleType = pybullet
    return module
