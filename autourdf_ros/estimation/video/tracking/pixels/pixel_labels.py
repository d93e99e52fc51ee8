"""Which body every pixel shows.

A pixel shows the body whose surface, where it is expected, is nearest to the pixel's point.
"""

from __future__ import annotations

import numpy as np
from numba import njit
from numpy.typing import NDArray

from autourdf_ros.estimation.video.tracking.pixels.pixel_rays import (
    DOUBTFUL,
    NOBODY,
    BodyGrid,
    Errors,
    Image,
    nearest_on_ray,
    point_distances,
)

Window = tuple[int, int, int, int]


def label_pixels(
    image: Image,
    bodies: list[BodyGrid],
    windows: list[Window],
    still: NDArray[np.bool_],
    masks: NDArray[np.int16] | None,
    width: float,
) -> None:
    """Write the labels of an image: the nearest body within reach.

    A pixel that shows the still background shows a body only where its ray meets it. A pixel that
    is as near to another body is DOUBTFUL.

    Args:
        image: Whose labels are overwritten.
        bodies: At their poses.
        windows: First row and column, last row and column beyond of each.
        still: (H, W) pixels whose depth is that of the background.
        masks: (H, W) number of the body, beyond the last one for foreign objects, NOBODY for
            background, or None.
        width: Distance within which a point may be a body's (m), beside its own noise.
    """
    found = np.full((len(bodies), *image.depth.shape), np.inf, np.float32)
    for number, (body, window) in enumerate(zip(bodies, windows, strict=True)):
        point_distances(image, body, window, found[number])
        _clear_still(image, body, window, still, found[number])
    given = masks if masks is not None else np.full((1, 1), NOBODY, np.int16)
    _label(image.depth, found, given, image.errors, (image.lens.fx, width), image.labels)


@njit(cache=True, nogil=True, error_model="numpy")
def _clear_still(  # type: ignore[no-untyped-def]
    image: Image,
    body: BodyGrid,
    window: Window,
    still: NDArray[np.bool_],
    found: NDArray[np.float32],
):
    """Make distances of background beside the body infinite."""
    lens, cell = image.lens, 2 * body.cell
    for row in range(window[0], window[2]):
        for column in range(window[1], window[3]):
            if still[row, column] and found[row, column] < np.inf:
                x, y = (column - lens.cx) / lens.fx, (row - lens.cy) / lens.fy
                end = image.depth[row, column] + cell
                if nearest_on_ray(body, x, y, end, -np.inf)[0] > 0:
                    found[row, column] = np.inf


@njit(cache=True, nogil=True, error_model="numpy")
def _label(  # type: ignore[no-untyped-def]
    depth: NDArray[np.float32],
    found: NDArray[np.float32],
    masks: NDArray[np.int16],
    errors: Errors,
    scales: tuple[float, float],
    labels: NDArray[np.int16],
):
    focal, width = scales
    masked = masks.shape[0] > 1
    for row in range(depth.shape[0]):
        for column in range(depth.shape[1]):
            labels[row, column] = NOBODY
            z = depth[row, column]
            if z != z:
                continue
            noise = errors.axial * z * z + errors.lateral * z / focal
            reach = max(errors.step * noise, width)
            if masked:
                b = masks[row, column]
                if 0 <= b < found.shape[0]:
                    near = abs(found[b, row, column]) < 2 * reach
                    labels[row, column] = b if near else DOUBTFUL
                continue
            best, second = reach, np.inf
            for b in range(found.shape[0]):
                d = abs(found[b, row, column])
                if d < best:
                    if labels[row, column] != NOBODY:
                        second = best
                    best, labels[row, column] = d, b
                elif d < second:
                    second = d
            if labels[row, column] != NOBODY and second < best + 2 * noise:
                labels[row, column] = DOUBTFUL
