"""What a drawn image costs beside the recorded one."""

from __future__ import annotations

import numpy as np
from numba import njit

from autourdf_ros.estimation.appearance.fitting.posed_image import PosedImage
from autourdf_ros.estimation.appearance.rasterizer.projection import Floats

ABSOLUTE, SQUARED, COVERED = 0.5, 5.0, 0.1
"""Weights of the mean absolute and squared error of a colour, and absolute error of the mask."""


def image_loss(pixels: Floats, image: PosedImage) -> tuple[float, Floats]:
    """Return the loss, and its gradient (H, W, 4) by the drawn pixels.

    Args:
        pixels: (H, W, 4) as `rasterize` returns them.
        image: That is to be met.
    """
    loss, slopes = _loss(pixels, image.color, image.mask)
    return float(loss), slopes


@njit(cache=True, nogil=True, error_model="numpy")
def _loss(pixels, color, mask):  # type: ignore[no-untyped-def]
    height, width, _ = pixels.shape
    slopes = np.empty((height, width, 4), np.float32)
    each = 1 / (3 * height * width)
    total = 0.0
    for y in range(height):
        for x in range(width):
            if np.isnan(mask[y, x]):
                slopes[y, x] = 0
                continue
            for c in range(3):
                error = pixels[y, x, c] - color[y, x, c]
                total += each * (ABSOLUTE * abs(error) + SQUARED * error * error)
                slopes[y, x, c] = each * (ABSOLUTE * np.sign(error) + 2 * SQUARED * error)
            error = 1 - pixels[y, x, 3] - mask[y, x]
            total += 3 * each * COVERED * abs(error)
            slopes[y, x, 3] = -3 * each * COVERED * np.sign(error)
    return total, slopes
