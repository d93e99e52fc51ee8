"""An image of a robot in a known configuration."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from autourdf_ros.data.images.posed_camera import PinholeCamera
from autourdf_ros.geometry.arrays import Array


@dataclass(frozen=True)
class PosedImage:
    """What one camera saw, and where the robot's links were.

    Attributes:
        camera: Where it was, and its lens.
        poses: (L, 4, 4) of the links in the world.
        color: (H, W, 3) red, green and blue in [0, 1]; 0 where the robot is not.
        mask: (H, W) share of the pixel that the robot covers, in [0, 1]; NaN where nothing is known
            of the pixel.
    """

    camera: PinholeCamera
    poses: Array
    color: NDArray[np.float32]
    mask: NDArray[np.float32]

    def halved(self) -> PosedImage:
        """Return the image at half its size; a last odd row or column is left out."""
        height, width = self.camera.height // 2, self.camera.width // 2
        column, row = ((value - 0.5) / 2 for value in self.camera.principal)
        camera = PinholeCamera(
            width,
            height,
            (self.camera.focal[0] / 2, self.camera.focal[1] / 2),
            (column, row),
            self.camera.pose,
        )
        color, mask = (
            np.ascontiguousarray(
                values[: 2 * height, : 2 * width]
                .reshape(height, 2, width, 2, -1)
                .mean(axis=(1, 3), dtype=np.float32)
            )
            for values in (self.color, self.mask)
        )
        return PosedImage(camera, self.poses, color, mask[..., 0])
