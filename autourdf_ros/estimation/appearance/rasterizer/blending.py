"""Blends image Gaussians from front to back, one Gaussian after the other, and back.

A pixel's colour is the sum of T_i a_i c_i, with a_i the Gaussian's opacity at the pixel and T_i the
product of 1 - a_j of all in front. Every Gaussian touches exactly the pixels of its ellipse, row by
row; all that a pixel needs to know of those in front is its T, so that there are no lists and no
tiles. Two images are blended on two threads: the kernels hold no lock.
"""

from __future__ import annotations

from math import sqrt

import numpy as np
from numba import njit
from numpy.typing import NDArray

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

DENSEST = np.float32(0.99)  # of a Gaussian at a pixel: what is behind always counts a little
ONE, TWO, HALF = np.float32(1.0), np.float32(2.0), np.float32(0.5)
LEFT = 3  # channel after red, green and blue: share of the light from behind that passes
_FAST = {"contract", "nsz", "arcp", "reassoc"}


@njit(nogil=True, error_model="numpy", fastmath=_FAST, inline="always")
def fading(q):  # type: ignore[no-untyped-def]
    """Return exp(-q / 2) for q in [0, 11.1], to 1e-6: an eighth of it as a series, to the 8th."""
    t = np.float32(0.35) - np.float32(0.0625) * q
    s = np.float32(1 / 120) + t * np.float32(1 / 720)
    s = np.float32(1 / 24) + t * s
    s = np.float32(1 / 6) + t * s
    s = np.float32(0.5) + t * s
    s = ONE + t * s
    s = ONE + t * s
    s *= np.float32(0.7046880897187134)  # exp(-0.35)
    s *= s
    s *= s
    return s * s


@njit(nogil=True, error_model="numpy", inline="always")
def between(low, high, size):  # type: ignore[no-untyped-def]
    """Return the whole numbers [first, last) of [low, high] and [0, size)."""
    return int(max(low, -ONE) + ONE), min(size, int(max(high, -ONE) + ONE))


@njit(cache=True, nogil=True, error_model="numpy", fastmath=_FAST)
def blend(flat: Floats, colors: Floats, order: NDArray[np.int64], image: Floats) -> None:
    """Add the Gaussians to an image.

    Args:
        flat: (N, COLUMNS) image Gaussians.
        colors: (N, 3).
        order: numbers of those that are seen, from front to back.
        image: (H, W, 4) red, green, blue and LEFT, which is 1 at first.
    """
    height, width, _ = image.shape
    for n in range(len(order)):
        i = order[n]
        u, v, xx, xy, yy = flat[i, U], flat[i, V], flat[i, XX], flat[i, XY], flat[i, YY]
        opacity, rows = flat[i, OPACITY], flat[i, HALF_HEIGHT]
        red, green, blue = colors[i, 0], colors[i, 1], colors[i, 2]
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
            c0, c1 = yy * dy * dy, TWO * xy * dy
            for x in range(begin, end):
                dx = np.float32(x) - u
                alpha = min(opacity * fading((xx * dx + c1) * dx + c0), DENSEST)
                weight = alpha * image[y, x, LEFT]
                image[y, x, 0] += weight * red
                image[y, x, 1] += weight * green
                image[y, x, 2] += weight * blue
                image[y, x, LEFT] -= weight


@njit(cache=True, nogil=True, error_model="numpy", fastmath=_FAST)
def blend_back(  # type: ignore[no-untyped-def]
    flat: Floats, colors: Floats, order: NDArray[np.int64], pixels: Floats
):
    """Return the loss's gradients by image Gaussians (N, 6) and colours (N, 3).

    With g the gradient by a pixel's colour, the gradient by a_i is T_i g c_i - B_i / (1 - a_i),
    B_i being what g makes of all behind Gaussian i. So one number a pixel, what is still behind,
    is all that a pass from front to back needs.

    Args:
        flat: (N, COLUMNS) image Gaussians.
        colors: (N, 3).
        order: numbers of those that are seen, from front to back.
        pixels: (H, W, 5), is overwritten: gradient by red, green and blue; LEFT, 1 at first; and
            the sum over all four channels of gradient times final value.
    """
    height, width, _ = pixels.shape
    slopes = np.zeros((len(flat), 6), np.float32)
    by_colors = np.zeros((len(flat), 3), np.float32)
    none = np.float32(0.0)
    for n in range(len(order)):
        i = order[n]
        u, v, xx, xy, yy = flat[i, U], flat[i, V], flat[i, XX], flat[i, XY], flat[i, YY]
        opacity, rows = flat[i, OPACITY], flat[i, HALF_HEIGHT]
        red, green, blue = colors[i, 0], colors[i, 1], colors[i, 2]
        lean, room = -xy / xx, flat[i, REACH] / xx
        fall = (yy + xy * lean) / xx
        first, last = between(v - rows, v + rows, height)
        by_red = by_green = by_blue = by_opacity = none
        by_u = by_v = by_xx = by_xy = by_yy = none
        for y in range(first, last):
            dy = np.float32(y) - v
            side = room - fall * dy * dy
            if side <= 0:
                continue
            side, middle = sqrt(side), u + lean * dy
            begin, end = between(middle - side, middle + side, width)
            c0, c1 = yy * dy * dy, TWO * xy * dy
            s0 = s1 = s2 = none
            for x in range(begin, end):
                dx = np.float32(x) - u
                shape = fading((xx * dx + c1) * dx + c0)
                alpha = min(opacity * shape, DENSEST)
                gr, gg, gb = pixels[y, x, 0], pixels[y, x, 1], pixels[y, x, 2]
                left = pixels[y, x, LEFT]
                weight = alpha * left
                by_red += weight * gr
                by_green += weight * gg
                by_blue += weight * gb
                lit = gr * red + gg * green + gb * blue
                behind = pixels[y, x, 4] - weight * lit
                pixels[y, x, 4] = behind
                pixels[y, x, LEFT] = left - weight
                by_alpha = left * lit - behind / (ONE - alpha)
                by_alpha = by_alpha if opacity * shape < DENSEST else none
                by_opacity += by_alpha * shape
                by_q = by_alpha * alpha
                s0 += by_q
                s1 += by_q * dx
                s2 += by_q * dx * dx
            by_xx += s2
            by_xy += s1 * dy
            by_yy += s0 * dy * dy
            by_u += xx * s1 + xy * dy * s0
            by_v += xy * s1 + yy * dy * s0
        by_colors[i, 0], by_colors[i, 1], by_colors[i, 2] = by_red, by_green, by_blue
        slopes[i, 0], slopes[i, 1] = by_u, by_v
        slopes[i, 2], slopes[i, 3], slopes[i, 4] = -HALF * by_xx, -by_xy, -HALF * by_yy
        slopes[i, 5] = by_opacity
    return slopes, by_colors
