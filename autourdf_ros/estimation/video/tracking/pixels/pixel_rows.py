"""What the pixels of one depth image say about the pose of one body, as rows of least squares.

All is in the camera's optical frame. A row (a, r, s) says that a . twist = r with standard
deviation s, the twist being of the body about its centre: a = (y x n, n), y the place from the
centre and n the gradient of the signed distance there, which beyond an edge points away from the
edge (a face's normal would not).
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numba import njit
from numpy.typing import NDArray

from autourdf_ros.estimation.video.tracking.pixels.distance_grid import on_grid
from autourdf_ros.geometry.arrays import Array

SURFACE, EDGE, FREE = 0, 1, 2
COLUMNS = 12  # of a row
NOBODY, DOUBTFUL = -1, -2
BACK = 0.2  # cosine to a ray from which a surface is seen from behind: a camera sees none
SIDES = 4  # of a pixel
BLOCK = 8  # side of the squares (pixels)
_STEPS = 200  # along a ray at most (resource bound)
_HALVINGS = 8  # of the bracket about a ray's nearest place


class Lens(NamedTuple):
    """Focal lengths and principal point (pixels)."""

    fx: float
    fy: float
    cx: float
    cy: float


class Errors(NamedTuple):
    """Standard deviations of a depth image.

    Attributes:
        axial: Of a depth z along the optical axis, in z^2 (1/m): that of a stereo camera.
        lateral: Of a pixel's direction, in pixels.
        edge: Of an outline that lies anywhere between two pixels, in pixels.
        step: Difference of neighbouring depths, in axial deviations, from which it is an outline.
    """

    axial: float
    lateral: float
    edge: float
    step: float


class BodyGrid(NamedTuple):
    """A body at a pose.

    Attributes:
        values: Of its `DistanceGrid`.
        origin: (3,) of it.
        cell: Of it.
        pose: (4, 4) of the body's frame in the camera's.
        centre: (3,) of its twists, in the camera's frame.
    """

    values: NDArray[np.float32]
    origin: Array
    cell: float
    pose: Array
    centre: Array


class Image(NamedTuple):
    """One depth image.

    Attributes:
        depth: (H, W) float32 along the optical axis (m), NaN where unknown.
        labels: (H, W) int16 numbers of the bodies that pixels show, NOBODY or DOUBTFUL.
        lens: Of the camera.
        errors: Of the depths.
    """

    depth: NDArray[np.float32]
    labels: NDArray[np.int16]
    lens: Lens
    errors: Errors


@njit(cache=True, nogil=True, error_model="numpy", inline="always")
def _into_body(pose, x, y, z):  # type: ignore[no-untyped-def]
    x, y, z = x - pose[0, 3], y - pose[1, 3], z - pose[2, 3]
    return (
        pose[0, 0] * x + pose[1, 0] * y + pose[2, 0] * z,
        pose[0, 1] * x + pose[1, 1] * y + pose[2, 1] * z,
        pose[0, 2] * x + pose[1, 2] * y + pose[2, 2] * z,
    )


@njit(cache=True, nogil=True, error_model="numpy")
def point_distances(  # type: ignore[no-untyped-def]
    image: Image, body: BodyGrid, window: tuple[int, int, int, int], found: NDArray[np.float32]
):
    """Write the signed distances of a window's points to a body.

    Args:
        image: Whose labels are not used.
        body: At its pose.
        window: First row and column, last row and column beyond.
        found: (H, W) is overwritten within the window; infinite where nothing is known.
    """
    lens = image.lens
    for row in range(window[0], window[2]):
        for column in range(window[1], window[3]):
            z = image.depth[row, column]
            found[row, column] = np.inf
            if z == z:
                x, y = (column - lens.cx) / lens.fx * z, (row - lens.cy) / lens.fy * z
                u, v, w = _into_body(body.pose, x, y, z)
                found[row, column] = on_grid(body.values, body.origin, body.cell, u, v, w)[1]


@njit(cache=True, nogil=True, error_model="numpy", inline="always")
def _span(body, x, y, depth):  # type: ignore[no-untyped-def]
    """Return a ray's start and direction in the body's frame, and z where it is on the grid."""
    ox, oy, oz = _into_body(body.pose, 0.0, 0.0, 0.0)
    ex, ey, ez = _into_body(body.pose, x, y, 1.0)
    dx, dy, dz = ex - ox, ey - oy, ez - oz
    low, high = 0.0, depth
    for k in range(3):
        start, along = (ox, oy, oz)[k], (dx, dy, dz)[k]
        near = body.origin[k]
        far = near + body.cell * (body.values.shape[k] - 1)
        if abs(along) < 1e-12:
            if start < near or start > far:
                high = -np.inf
        else:
            first, second = (near - start) / along, (far - start) / along
            low, high = max(low, min(first, second)), min(high, max(first, second))
    return (ox, oy, oz), (dx, dy, dz), low, high


@njit(cache=True, nogil=True, error_model="numpy")
def first_hit(body: BodyGrid, x: float, y: float, depth: float):  # type: ignore[no-untyped-def]
    """Return z (m) at which a ray enters a body, infinite where it does not before `depth`.

    Args:
        body: At its pose.
        x: Of the ray at z = 1.
        y: Of the ray at z = 1.
        depth: z at which the ray ends (m).
    """
    (ox, oy, oz), (dx, dy, dz), t, high = _span(body, x, y, depth)
    length = np.sqrt(dx * dx + dy * dy + dz * dz)
    for _ in range(_STEPS):
        if t >= high:
            break
        _, d, _, _, _ = on_grid(
            body.values, body.origin, body.cell, ox + t * dx, oy + t * dy, oz + t * dz
        )
        if d < 0.05 * body.cell:
            return t
        t += 0.95 * d / length if d < np.inf else 0.5 * body.cell / length
    return np.inf


@njit(cache=True, nogil=True, error_model="numpy")
def nearest_on_ray(  # type: ignore[no-untyped-def]
    body: BodyGrid, x: float, y: float, depth: float, exact: float
):
    """Return the least signed distance of a ray to a body, and the depth z at which it is.

    Args:
        body: At its pose.
        x: Of the ray at z = 1.
        y: Of the ray at z = 1.
        depth: z at which the ray ends (m).
        exact: Distance (m) below which the least one is exact; else it is one of the grid's steps.

    Returns:
        Distance (m), infinite off the grid, and z (m).
    """
    (ox, oy, oz), (dx, dy, dz), low, high = _span(body, x, y, depth)
    if low >= high:
        return np.inf, 0.0
    length = np.sqrt(dx * dx + dy * dy + dz * dz)
    least, at, t = np.inf, low, low
    shortest = 0.5 * body.cell / length
    for _ in range(_STEPS):
        _, d, _, _, _ = on_grid(
            body.values, body.origin, body.cell, ox + t * dx, oy + t * dy, oz + t * dz
        )
        if d < least:
            least, at = d, t
        if t >= high:
            break
        t = min(t + max(0.95 * d / length if d < np.inf else 0.0, shortest), high)
    step = shortest
    for _ in range(_HALVINGS if least < exact else 0):
        step *= 0.5
        for sign in (-1.0, 1.0):
            t = min(max(at + sign * step, low), high)
            _, d, _, _, _ = on_grid(
                body.values, body.origin, body.cell, ox + t * dx, oy + t * dy, oz + t * dz
            )
            if d < least:
                least, at = d, t
    return least, at


@njit(cache=True, nogil=True, error_model="numpy", inline="always")
def _write(body, x, y, z, rows, count):  # type: ignore[no-untyped-def]
    """Write a row's six coefficients and its residual; return the gradient and whether it is."""
    u, v, w = _into_body(body.pose, x, y, z)
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
                    _write(body, x * at, y * at, at, rows, count)
                    rows[count, 6] = s + width
                    rows[count, 7] = errors.edge * width
                    rows[count, 8], rows[count, 11] = FREE, row
                    rows[count, 9] = SIDES + (row // BLOCK) * across + column // BLOCK
                    count += 1
                continue
            if row % strides[0] == 0 and column % strides[0] == 0:
                on, nx, ny, nz = _write(body, x * z, y * z, z, rows, count)
                if on:
                    length = np.sqrt(x * x + y * y + 1)
                    along = x * nx + y * ny + nz
                    if along > BACK * length:
                        hit = first_hit(body, x, y, z)
                        if hit < z:
                            _, nx, ny, nz = _write(body, x * hit, y * hit, hit, rows, count)
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
                _write(body, ex * at, ey * at, at, rows, count)
                rows[count, 6] = s
                rows[count, 7] = errors.edge * at / lens.fx
                rows[count, 8], rows[count, 11] = EDGE, row
                rows[count, 9] = side
                count += 1
    return count
