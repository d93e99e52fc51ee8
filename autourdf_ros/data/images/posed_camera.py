"""A pinhole camera without distortion: lens and pose."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from autourdf_ros.errors import InputError


@dataclass(frozen=True)
class PinholeCamera:
    """A pinhole camera without distortion.

    Optical frame: z forward, x right, y down (REP 103). Pixel centres have whole coordinates.

    Attributes:
        width: Pixels.
        height: Pixels.
        focal: (2,) focal lengths along columns and rows (pixels).
        principal: (2,) principal point, column and row (pixels).
        pose: (4, 4) of the optical frame in the world, whose z axis points up.

    Raises:
        InputError: a size or focal length is not positive, or the pose is no rigid motion.
    """

    width: int
    height: int
    focal: tuple[float, float]
    principal: tuple[float, float]
    pose: NDArray[np.float64]

    def __post_init__(self) -> None:
        if min(self.width, self.height) < 1:
            raise InputError(
                f"camera: image size is {self.width} x {self.height}; accepted is at least 1 x 1"
            )
        if not (np.isfinite(self.focal).all() and min(self.focal) > 0):
            raise InputError(f"camera: focal lengths are {self.focal}; accepted: above 0 (pixels)")
        rotation = np.asarray(self.pose)[:3, :3]
        if not (
            np.isfinite(self.pose).all()
            and np.allclose(rotation @ rotation.T, np.eye(3), atol=1e-4)
            and np.linalg.det(rotation) > 0
        ):
            raise InputError(
                "camera: its pose is no rigid motion; accepted is a rotation and shift"
            )

    @cached_property
    def directions(self) -> NDArray[np.float64]:
        """(height, width, 3) viewing rays in the optical frame with z = 1."""
        columns, rows = np.meshgrid(np.arange(self.width), np.arange(self.height))
        x = (columns - self.principal[0]) / self.focal[0]
        y = (rows - self.principal[1]) / self.focal[1]
        return np.stack([x, y, np.ones_like(x)], axis=-1)

    def project(
        self, points: NDArray[np.float64]
    ) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Return pixels (N, 2) (column, row) and depths (N,) along z of points (N, 3), world."""
        local = (points - self.pose[:3, 3]) @ self.pose[:3, :3]
        depth = local[:, 2]
        safe = np.where(np.abs(depth) > 1e-12, depth, 1e-12)
        return local[:, :2] / safe[:, None] * self.focal + self.principal, depth


def look_at(eye: NDArray[np.float64], target: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the pose (4, 4) of an upright optical frame at `eye` (3,) that faces `target` (3,)."""
    forward = (target - eye) / np.linalg.norm(target - eye)
    up = np.array([0.0, 0.0, 1.0]) if abs(forward[2]) < 0.99 else np.array([1.0, 0.0, 0.0])
    right = np.cross(forward, up)
    right /= np.linalg.norm(right)
    pose = np.eye(4)
    pose[:3, :3] = np.stack([right, np.cross(forward, right), forward], axis=1)
    pose[:3, 3] = eye
    return pose
