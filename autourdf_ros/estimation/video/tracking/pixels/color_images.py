"""Colour images of a camera that stands still: which body of known colour every pixel shows."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from autourdf_ros.estimation.video.tracking.pixels.depth_images import FRAMES, MAD
from autourdf_ros.estimation.video.tracking.pixels.pixel_rays import DOUBTFUL, NOBODY
from autourdf_ros.geometry.arrays import Array

SHADES = (0.4, 1.15)
"""Brightness of a surface, in its own, that light and view give it."""
ALIKE = 40.0
"""Distance of colours (of 255) within which a pixel may show a body; textures vary by that."""
CLEAR = 6.0
"""Distance of two colours, in standard deviations of a pixel's, at which they differ."""
LEAST = 1.0
"""Of that deviation: colours are whole numbers."""


@dataclass(frozen=True)
class ColorBackground:
    """What does not move.

    Attributes:
        colors: (H, W, 3) of 0 to 255.
        early: (H, W, 3) of the first frame.
        deviation: Standard deviation of a pixel's colour (of 255).
    """

    colors: Array
    early: Array
    deviation: float

    def off(self, image: NDArray[np.uint8], early: bool = False) -> NDArray[np.bool_]:
        """Return which pixels (H, W) of an image differ from it, or from the first frame."""
        still = self.early if early else self.colors
        return np.asarray(_apart(image, still) > CLEAR * np.sqrt(3) * self.deviation)


def color_background(colors: NDArray[np.uint8]) -> ColorBackground:
    """Return what does not move in colour images (T, H, W, 3): the median of every pixel."""
    chosen = np.linspace(0, len(colors) - 1, min(FRAMES, len(colors))).astype(int)
    some = colors[chosen].astype(np.float32)
    change = np.abs(np.diff(some, axis=0)) / np.sqrt(2) if len(some) > 1 else np.zeros(1)
    deviation = max(MAD * float(np.median(change)), LEAST)
    return ColorBackground(
        np.median(some, axis=0).astype(float), colors[0].astype(float), deviation
    )


def color_labels(
    image: NDArray[np.uint8], background: ColorBackground, bodies: Sequence[Array]
) -> NDArray[np.int16]:
    """Return the numbers (H, W) of the bodies that pixels show, NOBODY or DOUBTFUL.

    A pixel shows the body of the nearest colour, of any brightness that light and view may give,
    unless the background there is nearer. Where the background has a body's colour, the body hides
    it in most frames.

    Args:
        image: (H, W, 3).
        background: What does not move.
        bodies: (3,) colours of 0 to 255.
    """
    away = np.stack([_to_shades(image.astype(float), color) for color in bodies])
    behind = np.stack([_to_shades(background.colors, color) for color in bodies]).min(axis=0)
    clear = CLEAR * background.deviation
    nearest = away.argmin(axis=0)
    least = away.min(axis=0)
    still = np.where(behind < min(clear, ALIKE), np.inf, _apart(image, background.colors))
    labels = np.where((least < ALIKE) & (least < still), nearest, NOBODY).astype(np.int16)
    if len(bodies) > 1:
        second = np.partition(away, 1, axis=0)[1]
        labels[(labels != NOBODY) & (second < least + background.deviation)] = DOUBTFUL
    return labels


def _apart(image: NDArray, colors: Array) -> Array:
    return np.asarray(np.linalg.norm(image.astype(float) - colors, axis=-1))


def _to_shades(image: Array, color: Array) -> Array:
    """Return distances (H, W) of colours to the segment of a colour's shades."""
    length = max(float(color @ color), 1.0)
    shade = np.clip(image @ color / length, *SHADES)
    return np.asarray(np.linalg.norm(image - shade[..., None] * color, axis=-1))
