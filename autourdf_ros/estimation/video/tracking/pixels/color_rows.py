"""What the pixels of one colour image say about the pose of one body, as rows of least squares.

The rows are those of `pixel_rows`; instead of points on the surface there are rays that meet it.
"""

from __future__ import annotations

import numpy as np
from numba import njit

from autourdf_ros.estimation.video.tracking.pixels.pixel_rays import (
    NOBODY,
    BodyGrid,
    Image,
    nearest_on_ray,
)
from autourdf_ros.estimation.video.tracking.pixels.pixel_rows import (
    BLOCK,
    EDGE,
    FREE,
    SIDES,
    SURFACE,
    write_row,
)
from autourdf_ros.geometry.arrays import Array


@njit(cache=True, nogil=True, error_model="numpy")
def color_rows(  # type: ignore[no-untyped-def]
    image: Image,
    body: BodyGrid,
    number: int,
    window: tuple[int, int, int, int],
    strides: tuple[int, int],
    rows: Array,
):
    """Write the rows of one body.

    Rays of pixels that show the body meet it, those that show the background do not (both count
    from a pixel's width on), and outlines between the two touch its surface.

    Args:
        image: With labels; its depths are not used.
        body: At its pose.
        number: Of the body among the labels.
        window: First row and column, last row and column beyond.
        strides: Of rows and columns: of rays of the body, and of the background.
        rows: (N, COLUMNS), is overwritten as by `depth_rows`.

    Returns:
        How many rows were written.
    """
    lens, labels = image.lens, image.labels
    count, most = 0, len(rows)
    across = labels.shape[1] // BLOCK + 1
    end = 2 * body.centre[2] + body.cell * max(body.values.shape)
    for row in range(window[0], window[2]):
        for column in range(window[1], window[3]):
            label = labels[row, column]
            shows = label == number
            if (not shows and label != NOBODY) or count + 5 > most:
                continue
            stride = strides[0] if shows else strides[1]
            x, y = (column - lens.cx) / lens.fx, (row - lens.cy) / lens.fy
            if row % stride == 0 and column % stride == 0:
                s, at = nearest_on_ray(body, x, y, end, np.inf if shows else 0.0)
                width = at / lens.fx
                off = s - width if shows else s + width
                if s < np.inf and (shows or off < 0):
                    write_row(body, x * at, y * at, at, rows, count)
                    if shows and off < 0:
                        off = 0.0
                        for k in range(6):
                            rows[count, k] = 0.0
                    rows[count, 6], rows[count, 7] = off, image.errors.edge * width
                    rows[count, 8], rows[count, 11] = SURFACE if shows else FREE, row
                    rows[count, 9] = SIDES + (row // BLOCK) * across + column // BLOCK
                    count += 1
            for side in range(SIDES if shows else 0):
                r, c = row + (1, -1, 0, 0)[side], column + (0, 0, 1, -1)[side]
                if r < 0 or c < 0 or r >= labels.shape[0] or c >= labels.shape[1]:
                    continue
                if labels[r, c] != NOBODY:
                    continue
                ex = ((column + c) / 2 - lens.cx) / lens.fx
                ey = ((row + r) / 2 - lens.cy) / lens.fy
                s, at = nearest_on_ray(body, ex, ey, end, np.inf)
                if s < np.inf:
                    write_row(body, ex * at, ey * at, at, rows, count)
                    rows[count, 6], rows[count, 7] = s, image.errors.edge * at / lens.fx
                    rows[count, 8], rows[count, 11], rows[count, 9] = EDGE, row, side
                    count += 1
    return count
