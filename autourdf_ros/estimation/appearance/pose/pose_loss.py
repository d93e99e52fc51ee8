"""What images cost beside those drawn in a configuration, and how that depends on the joints."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from autourdf_ros.estimation.appearance.fitting.image_loss import image_loss
from autourdf_ros.estimation.appearance.fitting.posed_image import PosedImage
from autourdf_ros.estimation.appearance.pose.splat_robot import SplatRobot
from autourdf_ros.geometry.arrays import Array


def pose_loss(robot: SplatRobot, images: Sequence[PosedImage], free: Array) -> float:
    """Return the mean loss of the images in a configuration (K,)."""
    return float(
        np.mean([image_loss(robot.draw(free, one.camera).pixels, one)[0] for one in images])
    )


def pose_slope(robot: SplatRobot, images: Sequence[PosedImage], free: Array) -> tuple[float, Array]:
    """Return the mean loss of the images in a configuration (K,), and its gradient (K,)."""
    losses, slopes = [], []
    for image in images:
        drawn = robot.draw(free, image.camera)
        loss, by_pixels = image_loss(drawn.pixels, image)
        losses.append(loss)
        slopes.append(robot.gradient(free, image.camera, drawn, by_pixels))
    return float(np.mean(losses)), np.mean(slopes, axis=0)
