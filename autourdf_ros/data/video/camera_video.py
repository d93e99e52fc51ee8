"""A video in memory: depth or colour images of one camera that does not move."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

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


@dataclass(frozen=True)
class CameraVideo:
    """Images of one camera that stands still.

    Attributes:
        camera: Intrinsics and pose.
        stamps: (T,) times of the images (s), rising.
        depth: (T, H, W) float32 along the optical axis (m), NaN where none; or None.
        colors: (T, H, W, 3) uint8 RGB; or None.
        masks: (T, H, W) uint8 numbers of the bodies from 1, 0 background; or None.
        source: File or folder that it was read from, or None.

    Raises:
        InputError: there are neither depth nor colours, shapes differ, or stamps do not rise.
    """

    camera: PinholeCamera
    stamps: NDArray[np.float64]
    depth: NDArray[np.float32] | None = None
    colors: NDArray[np.uint8] | None = None
    masks: NDArray[np.uint8] | None = None
    source: Path | None = None

    def __post_init__(self) -> None:
        where = self.source or "video"
        if self.depth is None and self.colors is None:
            raise InputError(f"{where}: there are neither depth nor colour images")
        shape = (len(self.stamps), self.camera.height, self.camera.width)
        for name in ("depth", "colors", "masks"):
            images = getattr(self, name)
            if images is not None and images.shape[:3] != shape:
                raise InputError(
                    f"{where}: {name} are {images.shape[:3]}; accepted is {shape} (frames, height, "
                    "width)"
                )
        if len(self.stamps) == 0 or not (np.diff(self.stamps) > 0).all():
            raise InputError(f"{where}: stamps do not rise; accepted is at least one frame, rising")
