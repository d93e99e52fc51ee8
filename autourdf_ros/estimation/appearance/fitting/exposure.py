"""How much brighter one image is than the others, where a camera chooses its exposure itself."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from autourdf_ros.estimation.appearance.fitting.posed_image import PosedImage
from autourdf_ros.estimation.appearance.rasterizer.projection import Floats

RANGE = 4.0
"""Greatest factor between an exposure and the mean one."""
_LEAST = 1e-6  # of the drawn light, below which the robot is not in sight


def exposure(pixels: Floats, image: PosedImage) -> float:
    """Return the factor by which drawn colours come nearest to the recorded ones.

    Args:
        pixels: (H, W, 4) as `rasterize` returns them.
        image: That was recorded.
    """
    drawn = np.where(np.isfinite(image.mask)[..., None], pixels[..., :3], 0).astype(float)
    power = float(np.sum(drawn**2))
    if power < _LEAST * drawn.size:
        return 1.0
    return float(np.clip(np.sum(drawn * image.color) / power, 1 / RANGE, RANGE))


def exposed(image: PosedImage, factor: float) -> PosedImage:
    """Return the image as it would be with the mean exposure, of which it has `factor` times."""
    return replace(image, color=np.asarray(image.color / np.float32(factor), np.float32))
