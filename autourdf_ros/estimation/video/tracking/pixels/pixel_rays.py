"""Bodies, images and viewing rays in the camera's optical frame, compiled."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numba import njit
from numpy.typing import NDArray

from autourdf_ros.estimation.video.tracking.pixels.distance_grid import on_grid
from autourdf_ros.geometry.arrays import Array

NOBODY, DOUBTFUL = -1, -2
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
def into_body(pose, x, y, z):  # type: ignore[no-untyped-def]
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
                u, v, w = into_body(body.pose, x, y, z)
                found[row, column] = on_grid(body.values, body.origin, body.cell, u, v, w)[1]


@njit(cache=True, nogil=True, error_model="numpy", inline="always")
def _span(body, x, y, depth):  # type: ignore[no-untyped-def]
    """Return a ray's start and direction in the body's frame, and z where it is on the grid."""
    ox, oy, oz = into_body(body.pose, 0.0, 0.0, 0.0)
    ex, ey, ez = into_body(body.pose, x, y, 1.0)
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
