"""Which Gaussian a pixel shows first, and how far away: link masks and depth images."""

from __future__ import annotations

from dataclasses import dataclass
from math import sqrt

import numpy as np
from numba import njit
from numpy.typing import NDArray

from autourdf_ros.estimation.appearance.rasterizer.blending import (
    DENSEST,
    ONE,
    between,
    fading,
)
from autourdf_ros.estimation.appearance.rasterizer.projection import (
    HALF_HEIGHT,
    OPACITY,
    REACH,
    XX,
    XY,
    YY,
    Floats,
    U,
    V,
)
from autourdf_ros.estimation.appearance.rasterizer.rasterize import SplatImage

NOTHING = -1
HALF = np.float32(0.5)


@dataclass(frozen=True)
class SeenSurface:
    """What the pixels of an image show.

    Attributes:
        depth: (H, W) along the optical axis (m) of the Gaussian at which half of the light from
            behind is gone; NaN where more than half passes all.
        number: (H, W) of that Gaussian, or NOTHING.
    """

    depth: NDArray[np.float32]
    number: NDArray[np.int64]


def seen_surface(image: SplatImage) -> SeenSurface:
    """Return the surface of an image that `rasterize` drew."""
    height, width, _ = image.pixels.shape
    number = np.full((height, width), NOTHING, np.int64)
    _first_half(image.flat, image.order, number)
    found = number >= 0
    depth = np.full((height, width), np.nan, np.float32)
    depth[found] = image.depths[number[found]]
    return SeenSurface(depth, number)


@njit(cache=True, nogil=True, error_model="numpy")
def _first_half(flat: Floats, order: NDArray[np.int64], number: NDArray[np.int64]) -> None:
    height, width = number.shape
    left = np.ones((height, width), np.float32)
    for n in range(len(order)):
        i = order[n]
        u, v, xx, xy, yy = flat[i, U], flat[i, V], flat[i, XX], flat[i, XY], flat[i, YY]
        opacity, rows = flat[i, OPACITY], flat[i, HALF_HEIGHT]
        lean, room = -xy / xx, flat[i, REACH] / xx
        fall = (yy + xy * lean) / xx
        first, last = between(v - rows, v + rows, height)
        for y in range(first, last):
            dy = np.float32(y) - v
            side = room - fall * dy * dy
            if side <= 0:
                continue
            side, middle = sqrt(side), u + lean * dy
            begin, end = between(middle - side, middle + side, width)
            for x in range(begin, end):
                if number[y, x] >= 0:
                    continue
                dx = np.float32(x) - u
                q = xx * dx * dx + np.float32(2.0) * xy * dx * dy + yy * dy * dy
                left[y, x] *= ONE - min(opacity * fading(q), DENSEST)
                if left[y, x] < HALF:
                    number[y, x] = i
