"""A change of unit and frame: what structure from motion leaves open of its cameras."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from autourdf_ros.data.images.posed_camera import PinholeCamera
from autourdf_ros.geometry.arrays import Array

_AGREE = 0.5  # length of the mean of the cameras' upward directions from which it is a direction


@dataclass(frozen=True)
class Similarity:
    """Brings points of the scene to another frame: turn @ (scale * point) + shift.

    Attributes:
        scale: Metres of the scene's unit.
        turn: (3, 3) rotation.
        shift: (3,) metres.
    """

    scale: float
    turn: Array
    shift: Array

    def camera(self, camera: PinholeCamera) -> PinholeCamera:
        """Return a camera of the scene in the other frame."""
        pose = np.eye(4)
        pose[:3, :3] = self.turn @ camera.pose[:3, :3]
        pose[:3, 3] = self.scale * self.turn @ camera.pose[:3, 3] + self.shift
        return replace(camera, pose=pose)

    def points(self, points: Array) -> Array:
        """Return points (N, 3) of the scene in the other frame."""
        return np.asarray(self.scale * points @ self.turn.T + self.shift)


def upright(cameras: Sequence[PinholeCamera], scale: float) -> tuple[Similarity, bool]:
    """Return a frame for cameras that nothing else holds, and whether they agree on what is up.

    Its z axis is the mean direction of what is up in the images, its origin the point nearest to
    all optical axes, and the first camera looks along its x axis, seen from above.

    Args:
        cameras: In the scene.
        scale: Metres of the scene's unit.
    """
    poses = np.array([camera.pose for camera in cameras])
    mean = -poses[:, :3, 1].mean(axis=0)
    length = np.linalg.norm(mean)
    up = mean / length if length > 0 else np.array([0.0, 0.0, 1.0])
    # Of a camera that looks straight down, what is up in its image is ahead.
    first = poses[0, :3, 2] if abs(poses[0, :3, 2] @ up) < 0.99 else -poses[0, :3, 1]
    ahead = first - (first @ up) * up
    if not np.linalg.norm(ahead) > 1e-6:
        ahead = np.cross(up, [1.0, 0.0, 0.0] if abs(up[0]) < 0.9 else [0.0, 1.0, 0.0])
    ahead /= np.linalg.norm(ahead)
    turn = np.stack([ahead, np.cross(up, ahead), up])
    across = np.eye(3) - poses[:, :3, 2, None] * poses[:, None, :3, 2]
    total = np.einsum("fij,fj->i", across, poses[:, :3, 3])
    middle = np.linalg.lstsq(across.sum(axis=0), total, rcond=None)[0]
    return Similarity(scale, turn, -scale * turn @ middle), bool(length >= _AGREE)
