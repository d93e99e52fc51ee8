"""What the residuals of an image say of a few numbers that move what is drawn."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from autourdf_ros.estimation.appearance.fitting.fit_options import ResidualOptions
from autourdf_ros.estimation.appearance.fitting.image_loss import COVERED
from autourdf_ros.estimation.appearance.fitting.posed_image import PosedImage
from autourdf_ros.estimation.appearance.rasterizer.projection import Floats
from autourdf_ros.geometry.arrays import Array

_LEAST = 1e-3  # of a drawn pixel's change, from which it says something


def image_information(
    drawn: Floats,
    changes: Floats,
    steps: Array,
    image: PosedImage,
    options: ResidualOptions,
    used: NDArray[np.bool_] | None = None,
) -> tuple[Array, Array]:
    """Return the information (P, P) of an image, and the slope (P,) of its cost.

    Large residuals count less (Geman and McClure's weights): holes of a mask move nothing.

    Args:
        drawn: (H, W, 4) as `rasterize` returns them.
        changes: (H, W, 4, P) of them by a step of each number.
        steps: (P,) these steps.
        image: As it was recorded.
        options: All constants.
        used: (H, W) which pixels count; None: all of which something is known.
    """
    counts = np.isfinite(image.mask) & (np.abs(changes) > _LEAST).any(axis=(2, 3))
    if used is not None:
        counts &= used
    count = changes.shape[-1]
    if not counts.any():
        return np.zeros((count, count)), np.zeros(count)
    recorded = np.concatenate([image.color, 1 - image.mask[..., None]], axis=2)
    weights = np.array([1, 1, 1, COVERED])
    apart = ((drawn - recorded)[counts] * weights).ravel().astype(float)
    slopes = (changes[counts] * weights[:, None]).reshape(-1, count) / steps
    sigma = max(1.4826 * float(np.median(np.abs(apart))), options.noise)
    share = (1 / (1 + (apart / (options.robust * sigma)) ** 2)) ** 2
    share /= sigma**2 * options.alike
    return slopes.T @ (slopes * share[:, None]), slopes.T @ (share * apart)
