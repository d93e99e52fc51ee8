"""Closest-point matches between moved bodies and a frame.

A body's information H = sum w a a^T with a = (y x n, n) (y: moved point, n: unit normal) weighs its
motions by what its surface shows (`normal_equations`); almost everything in `estimation` is
weighted by it.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, NamedTuple

import numpy as np
from numba import njit
from numpy.typing import NDArray

from autourdf_ros.geometry.arrays import Array
from autourdf_ros.geometry.nearest import Grid, build_grid
from autourdf_ros.geometry.point_cloud import Cloud

Directions = Literal["both", "forward", "backward"]


@dataclass(frozen=True)
class Matches:
    """M pairs of a moved source point and a frame's point.

    Attributes:
        source: (M,) numbers of the source points.
        target: (M,) numbers of the frame's points.
        moved: (M, 3) the source points, moved.
        normals: (M, 3) of the plane that the distance is measured to.
        offsets: (M, 3) target minus moved.
        weights: (M,).
    """

    source: NDArray[np.int64]
    target: NDArray[np.int64]
    moved: Array
    normals: Array
    offsets: Array
    weights: Array

    @property
    def distances(self) -> Array:
        """Signed point-to-plane distances (M,), metres."""
        return np.einsum("mi,mi->m", self.normals, self.offsets)


def geman_mcclure(residuals: Array, width: float) -> Array:
    """Return weights of the Geman-McClure kernel: 1 at 0, 1/4 at `width`."""
    return (1.0 + (residuals / width) ** 2) ** -2


def warped_surface(
    poses: Array, owners: NDArray[np.int64], points: Array, normals: Array
) -> tuple[Array, Array]:
    """Return points and normals (N, 3), each moved by the pose of its owner.

    Args:
        poses: (B, 4, 4).
        owners: (N,) number of every point's pose.
        points: (N, 3).
        normals: (N, 3).
    """
    moved, turned = _move(
        np.ascontiguousarray(poses),
        np.ascontiguousarray(owners),
        np.ascontiguousarray(points),
        np.ascontiguousarray(normals),
    )
    return moved, turned


@njit(cache=True, nogil=True)
def _move(
    poses: Array, owners: NDArray[np.int64], points: Array, normals: Array
) -> tuple[Array, Array]:
    moved, turned = np.empty_like(points), np.empty_like(normals)
    for i in range(len(owners)):
        b = owners[i]
        x, y, z = points[i, 0], points[i, 1], points[i, 2]
        u, v, w = normals[i, 0], normals[i, 1], normals[i, 2]
        for k in range(3):
            r, s, t = poses[b, k, 0], poses[b, k, 1], poses[b, k, 2]
            moved[i, k] = r * x + s * y + t * z + poses[b, k, 3]
            turned[i, k] = r * u + s * v + t * w
    return moved, turned


def match(
    moved: Array,
    moved_normals: Array,
    flatness: Array,
    frame: Cloud,
    *,
    gate: float,
    kernel: float,
    directions: Directions = "both",
    every: int = 1,
) -> Matches:
    """Match closest points, with robust weights.

    The weight is the Geman-McClure kernel of the distance, of whose tangential part one point
    spacing is free, times the normals' agreement, times flatness.

    Args:
        moved: (N, 3) source points, already moved.
        moved_normals: (N, 3) their normals, moved.
        flatness: (N,) of the source.
        frame: the frame.
        gate: largest distance (m).
        kernel: width (m) of the kernel.
        directions: forward goes from the source to the frame's planes, backward from the frame to
            the source's planes.
        every: how many points of either side there are to one that is matched.
    """
    forward = backward = np.zeros(0, dtype=np.int64)
    if directions != "backward":
        forward = _some_nearest(frame.grid, moved, gate, every)
    if directions != "forward":
        backward = _some_nearest(build_grid(moved, frame.spacing), frame.points, gate, every)
    source = _Side(np.ascontiguousarray(moved), np.ascontiguousarray(moved_normals), flatness)
    target = _Side(frame.points, frame.normals, frame.flatness)
    return Matches(*_pair(forward, backward, source, target, frame.spacing, kernel))


def _some_nearest(grid: Grid, queries: Array, gate: float, every: int) -> NDArray[np.int64]:
    """Numbers (M,) of the points nearest to one query in `every`, of the others as beyond."""
    if every == 1:
        return grid.query(queries, gate)[1]
    numbers = np.full(len(queries), len(grid.points))
    numbers[::every] = grid.query(queries[::every], gate)[1]
    return numbers


class _Side(NamedTuple):
    """One side of the matches: points (N, 3), their normals (N, 3) and flatness (N,)."""

    points: Array
    normals: Array
    flatness: Array


@njit(cache=True, nogil=True)
def _pair(
    forward: NDArray[np.int64],
    backward: NDArray[np.int64],
    source_side: _Side,
    target_side: _Side,
    spacing: float,
    kernel: float,
) -> tuple[NDArray[np.int64], NDArray[np.int64], Array, Array, Array, Array]:
    """Fields of the matches: of the source with `forward`, of the frame with `backward`.

    Numbers of the nearest points, those of the last and one more where there is none.
    """
    moved, moved_normals, flatness = source_side
    points, point_normals, point_flatness = target_side
    most = len(forward) + len(backward)
    source, target = np.empty(most, np.int64), np.empty(most, np.int64)
    own, normals, offsets = np.empty((most, 3)), np.empty((most, 3)), np.empty((most, 3))
    weights = np.empty(most)
    count = 0
    for number in range(most):
        to_frame = number < len(forward)
        i = number if to_frame else backward[number - len(forward)]
        j = forward[number] if to_frame else number - len(forward)
        if i == len(moved) or j == len(points):
            continue
        agreement, plane, squared = 0.0, 0.0, 0.0
        for k in range(3):
            offset = points[j, k] - moved[i, k]
            normal = point_normals[j, k] if to_frame else moved_normals[i, k]
            own[count, k], normals[count, k], offsets[count, k] = moved[i, k], normal, offset
            agreement += moved_normals[i, k] * point_normals[j, k]
            plane += normal * offset
            squared += offset * offset
        beyond = max(np.sqrt(max(squared - plane * plane, 0.0)) - spacing, 0.0)
        ratio = 1.0 + (plane * plane + beyond * beyond) / (kernel * kernel)
        flat = point_flatness[j] if to_frame else flatness[i]
        weights[count] = agreement * agreement * flat / (ratio * ratio)
        source[count], target[count] = i, j
        count += 1
    return (
        source[:count],
        target[:count],
        own[:count],
        normals[:count],
        offsets[:count],
        weights[:count],
    )
