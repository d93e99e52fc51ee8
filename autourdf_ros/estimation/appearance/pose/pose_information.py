"""How surely images determine the values of joints, from the loss around its minimum.

The estimate's covariance is that of a minimum of a sum over independent parts of the data (the
"sandwich" of Huber, 1967): inverse curvature, covariance of the sum's gradient, inverse
curvature, with the curvature of the least squares that has the loss's gradient. Parts are tiles of
pixels, as neighbouring ones err alike. What the images leave open, the joints' ranges bound.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from autourdf_ros.estimation.appearance.fitting.image_loss import image_loss
from autourdf_ros.estimation.appearance.fitting.posed_image import PosedImage
from autourdf_ros.estimation.appearance.pose.configuration_search import limits, scales
from autourdf_ros.estimation.appearance.pose.pose_options import PoseOptions
from autourdf_ros.estimation.appearance.pose.splat_robot import SplatRobot
from autourdf_ros.estimation.appearance.rasterizer.projection import Floats
from autourdf_ros.geometry.arrays import Array

TILE = 16
"""Side of the tiles whose errors are independent (pixels)."""
STEP = 5e-3
"""Of the differences (rad)."""
SMALL = 0.02
"""Errors of a pixel below this count as this: a mean absolute error has no curvature elsewhere."""


def pose_covariance(
    robot: SplatRobot, images: Sequence[PosedImage], free: Array, options: PoseOptions
) -> Array:
    """Return the covariance (K, K) of the free joints' values at a minimum of the loss.

    Args:
        robot: With K free joints.
        images: All of this configuration.
        free: (K,) values.
        options: All constants.
    """
    scale = scales(robot, options)
    curvature = np.zeros((len(free), len(free)))
    scatter = np.zeros_like(curvature)
    for image in images:
        moved = [_change(robot, free, step, image) for step in STEP * np.diag(scale)]
        pixels = robot.draw(free, image.camera).pixels
        _, by_pixels = image_loss(pixels, image)
        errors = pixels - np.dstack([image.color, 1 - image.mask])
        weights = np.abs(by_pixels) / np.maximum(np.abs(errors), SMALL)
        rows = np.stack(moved).reshape(len(free), -1)
        curvature += rows * weights.ravel() @ rows.T
        scores = _by_tiles(moved, by_pixels)
        scatter += scores.T @ scores
    lower, upper = limits(robot)
    span = np.clip((upper - lower) / scale, 1e-6, 2 * np.pi)
    known = np.diag(12 / span**2)
    noise = scatter + 1e-9 * max(np.trace(scatter), 1e-30) * np.eye(len(free))
    information = curvature @ np.linalg.solve(noise, curvature)
    return np.asarray(np.linalg.inv(information + known) * np.outer(scale, scale))


def _change(robot: SplatRobot, free: Array, step: Array, image: PosedImage) -> Array:
    """Return the pixels' derivative (H, W, 4) along a step (K,)."""
    ahead, back = (
        robot.draw(free + sign * step, image.camera).pixels.astype(float) for sign in (1, -1)
    )
    return np.asarray((ahead - back) / (2 * STEP))


def _by_tiles(moved: Sequence[Array], by_pixels: Floats) -> Array:
    """Return the gradients (T, K) of the loss of an image's tiles."""
    height, width = by_pixels.shape[:2]
    rows, columns = -(-height // TILE), -(-width // TILE)
    tiles = (np.arange(height)[:, None] // TILE) * columns + np.arange(width) // TILE
    each = [np.einsum("hwc,hwc->hw", by_pixels, one).ravel() for one in moved]
    return np.stack([np.bincount(tiles.ravel(), one, rows * columns) for one in each], axis=1)
