"""What the pixels of one depth image say about the pose of one body, as rows of least squares.

All is in the camera's optical frame. A row (a, r, s) says that a . twist = r with standard
deviation s, the twist being of the body about its centre: a = (y x n, n), y the place from the
centre and n the gradient of the signed distance there, which beyond an edge points away from the
edge (a face's normal would not).
"""

from __future__ import annotations

import numpy as np
from numba import njit

from autourdf_ros.estimation.video.tracking.pixels.distance_grid import on_grid
from autourdf_ros.estimation.video.tracking.pixels.pixel_rays import (
    DOUBTFUL,
    BodyGrid,
    Image,
    first_hit,
    into_body,
    nearest_on_ray,
)
from autourdf_ros.geometry.arrays import Array

SURFACE, EDGE, FREE = 0, 1, 2
COLUMNS = 12  # of a row
BACK = 0.2  # cosine to a ray from which a surface is seen from behind: a camera sees none
SIDES = 4  # of a pixel
BLOCK = 8  # side of the squares (pixels)


@njit(cache=True, nogil=True, error_model="numpy")
def write_row(body, x, y, z, rows, count):  # type: ignore[no-untyped-def]
    """Write a row's six coefficients and its residual; return the gradient and whether it is."""
    u, v, w = into_body(body.pose, x, y, z)
    on, d, gu, gv, gw = on_grid(body.values, body.origin, body.cell, u, v, w)
    p = body.pose
    nx = p[0, 0] * gu + p[0, 1] * gv + p[0, 2] * gw
    ny = p[1, 0] * gu + p[1, 1] * gv + p[1, 2] * gw
    nz = p[2, 0] * gu + p[2, 1] * gv + p[2, 2] * gw
    x, y, z = x - body.centre[0], y - body.centre[1], z - body.centre[2]
    rows[count, 0], rows[count, 1], rows[count, 2] = (
        y * nz - z * ny,
        z * nx - x * nz,
        x * ny - y * nx,
    )
    rows[count, 3], rows[count, 4], rows[count, 5] = nx, ny, nz
    rows[count, 6] = d
    rows[count, 10] = x * nx + y * ny + z * nz
    return on, nx, ny, nz


@njit(cache=True, nogil=True, error_model="numpy")
def depth_rows(  # type: ignore[no-untyped-def]
    image: Image,
    body: BodyGrid,
    number: int,
    window: tuple[int, int, int, int],
    strides: tuple[int, int],
    rows: Array,
):
    """Write the rows of one body.

    Three kinds: points that show the body are on its surface, and where they would be on the back
    of a wall of it, on the plane of the wall's front; outlines, between a pixel that shows
    it and one that shows what is farther, touch its surface; rays that go on farther than the body
    do not enter it (they count from a pixel's width on).

    Args:
        image: With labels.
        body: At its pose.
        number: Of the body among the labels.
        window: First row and column, last row and column beyond.
        strides: Of rows and columns: of points, and of free rays.
        rows: (N, COLUMNS), is overwritten: six coefficients, residual (m), standard deviation (m),
            kind, and number of the block whose errors may depend on each other: points and rays by
            squares of BLOCK pixels, from SIDES on; outlines by the side that they are on (a
            straight one along the pixels is off by the same everywhere); n . y (m), by which the
            residual changes with the logarithm of the body's size; and row of the image.

    Returns:
        How many rows were written.
    """
    lens, errors, depth, labels = image.lens, image.errors, image.depth, image.labels
    count, most = 0, len(rows)
    across = depth.shape[1] // BLOCK + 1
    for row in range(window[0], window[2]):
        for column in range(window[1], window[3]):
            z = depth[row, column]
            label = labels[row, column]
            if z != z or label == DOUBTFUL or count + 5 > most:
                continue
            x, y = (column - lens.cx) / lens.fx, (row - lens.cy) / lens.fy
            pixel = z / lens.fx
            if label != number:
                if row % strides[1] != 0 or column % strides[1] != 0:
                    continue
                end = z - errors.step * errors.axial * z * z
                s, at = nearest_on_ray(body, x, y, end, -pixel)
                width = at / lens.fx
                if s < -width:
                    write_row(body, x * at, y * at, at, rows, count)
                    rows[count, 6] = s + width
                    rows[count, 7] = errors.edge * width
                    rows[count, 8], rows[count, 11] = FREE, row
                    rows[count, 9] = SIDES + (row // BLOCK) * across + column // BLOCK
                    count += 1
                continue
            if row % strides[0] == 0 and column % strides[0] == 0:
                on, nx, ny, nz = write_row(body, x * z, y * z, z, rows, count)
                if on:
                    length = np.sqrt(x * x + y * y + 1)
                    along = x * nx + y * ny + nz
                    if along > BACK * length:
                        hit = first_hit(body, x, y, z)
                        if hit < z:
                            _, nx, ny, nz = write_row(body, x * hit, y * hit, hit, rows, count)
                            along = x * nx + y * ny + nz
                            rows[count, 6] = (z - hit) * along
                    cosine = along / length
                    axial = errors.axial * z * z * along
                    lateral = errors.lateral * pixel
                    rows[count, 7] = np.sqrt(
                        axial * axial
                        + lateral * lateral * max(1 - cosine * cosine, 0.0)
                        + 0.0004 * pixel * pixel
                    )
                    rows[count, 8], rows[count, 11] = SURFACE, row
                    rows[count, 9] = SIDES + (row // BLOCK) * across + column // BLOCK
                    count += 1
            for side in range(SIDES):
                r, c = row + (1, -1, 0, 0)[side], column + (0, 0, 1, -1)[side]
                if r < 0 or c < 0 or r >= depth.shape[0] or c >= depth.shape[1]:
                    continue
                beyond = depth[r, c]
                if labels[r, c] == number or labels[r, c] == DOUBTFUL or beyond != beyond:
                    continue
                if beyond - z < max(2 * errors.step * errors.axial * z * z, 3 * pixel):
                    continue
                ex = ((column + c) / 2 - lens.cx) / lens.fx
                ey = ((row + r) / 2 - lens.cy) / lens.fy
                end = beyond - errors.step * errors.axial * z * z
                s, at = nearest_on_ray(body, ex, ey, end, np.inf)
                if s == np.inf:
                    continue
                write_row(body, ex * at, ey * at, at, rows, count)
                rows[count, 6] = s
                rows[count, 7] = errors.edge * at / lens.fx
                rows[count, 8], rows[count, 11] = EDGE, row
                rows[count, 9] = side
                count += 1
    return count
