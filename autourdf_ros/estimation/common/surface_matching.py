"""Closest-point matches between moved bodies and a frame, and their normal equations.

A body's information H = sum w a a^T with a = (y x n, n) (y: moved point, n: unit normal) says
which of its motions its surface shows; almost everything in `kinematics` is weighted by it.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np
from numba import njit
from numpy.typing import NDArray

from autourdf_ros.geometry.arrays import Array
from autourdf_ros.geometry.nearest import build_grid
from autourdf_ros.geometry.point_cloud import Cloud

Directions = Literal["both", "forward", "backward"]

VISIBLE = 0.01  # least share of a motion that must be along the normals for it to be seen


@dataclass(frozen=True)
class Matches:
    """M pairs of a moved source point and a frame's point.

    source, target: (M,) indices. moved: (M, 3) the source points, moved. normals: (M, 3) of the
    plane that the distance is measured to. offsets: (M, 3) target minus moved. weights: (M,).
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
    """Weights of the Geman-McClure kernel: 1 at 0, 1/4 at `width`."""
    return (1.0 + (residuals / width) ** 2) ** -2


def warped_surface(
    poses: Array, owners: NDArray[np.int64], points: Array, normals: Array
) -> tuple[Array, Array]:
    """Points and normals (N, 3), each moved by the pose of its owner (N,) among poses (B, 4, 4)."""
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
) -> Matches:
    """Closest points no further apart than `gate` (m), with robust weights.

    moved, moved_normals, flatness: (N, 3), (N, 3), (N,) of the source, already moved.
    directions: forward goes from the source to the frame's planes, backward from the frame to the
    source's planes. Weights: Geman-McClure (width `kernel`, m) of the distance, of whose
    tangential part one point spacing is free, times normal agreement times flatness.
    """
    forward = backward = np.zeros(0, dtype=np.int64)
    if directions != "backward":
        forward = frame.grid.query(moved, gate)[1]
    if directions != "forward":
        backward = build_grid(moved, frame.spacing).query(frame.points, gate)[1]
    return Matches(
        *_pair(
            forward,
            backward,
            np.ascontiguousarray(moved),
            np.ascontiguousarray(moved_normals),
            flatness,
            frame.points,
            frame.normals,
            frame.flatness,
            frame.spacing,
            kernel,
        )
    )


@njit(cache=True, nogil=True)
def _pair(
    forward: NDArray[np.int64],
    backward: NDArray[np.int64],
    moved: Array,
    moved_normals: Array,
    flatness: Array,
    points: Array,
    point_normals: Array,
    point_flatness: Array,
    spacing: float,
    kernel: float,
) -> tuple[NDArray[np.int64], NDArray[np.int64], Array, Array, Array, Array]:
    """Fields of the matches: of the source with `forward`, of the frame with `backward`.

    Numbers of the nearest points, those of the last and one more where there is none.
    """
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


def group_sum(values: Array, groups: NDArray[np.int64], count: int) -> Array:
    """Sums (count, ...) of the rows of `values` (M, ...) by group number (M,)."""
    flat = values.reshape(len(values), int(np.prod(values.shape[1:])))
    order = np.argsort(groups, kind="stable")
    sizes = np.bincount(groups, minlength=count)
    result = np.zeros((count, flat.shape[1]))
    filled = np.flatnonzero(sizes)
    if len(filled):
        starts = (np.cumsum(sizes) - sizes)[filled]
        result[filled] = np.add.reduceat(flat[order], starts, axis=0)
    return result.reshape(count, *values.shape[1:])


def normal_equations(
    matches: Matches,
    groups: NDArray[np.int64],
    centres: Array,
    *,
    point_weight: float = 0.0,
) -> tuple[Array, Array]:
    """Information (K, 6, 6) and gradient (K, 6) of every group's twist about its centre.

    groups: (M,) body of every match. centres: (K, 3), in the frame. point_weight: share of the
    point-to-point distance added to the point-to-plane one. Minimising the squared distances
    means solving information @ twist = gradient.
    """
    centres = np.ascontiguousarray(centres)
    information, gradient = _plane_equations(
        matches.moved,
        np.ascontiguousarray(matches.normals),
        matches.offsets,
        matches.weights,
        groups,
        centres,
    )
    if point_weight > 0:
        extra_information, extra_gradient = _point_equations(
            matches.moved, matches.offsets, matches.weights, groups, centres
        )
        information += point_weight * extra_information
        gradient += point_weight * extra_gradient
    return information, gradient


def point_information(matches: Matches, groups: NDArray[np.int64], centres: Array) -> Array:
    """Information (K, 6, 6) that the same matches would give with all three directions seen."""
    centres = np.ascontiguousarray(centres)
    return np.asarray(
        _point_equations(matches.moved, matches.offsets, matches.weights, groups, centres)[0]
    )


def visible_share(points: Array, normals: Array, twist: Array) -> float:
    """Share of a motion along a twist (6,) that a surface at points (N, 3) shows by its normals.

    In [0, 1]: of the squared speeds, what is along them. Noise in the normals alone gives up to
    `VISIBLE`.
    """
    speeds = np.cross(twist[:3], points) + twist[3:]
    along = np.einsum("ni,ni->n", speeds, normals)
    return float((along**2).sum() / max((speeds**2).sum(), 1e-300))


def least_visible_share(points: Array, normals: Array) -> float:
    """`visible_share` of the motion that a surface at points (N, 3) shows least.

    Hardly any where it is round or a profile, of which nothing shows a spin or a slide; the
    smallest generalised eigenvalue of what normals show and what all directions would (Gelfand et
    al., Geometrically Stable Sampling for the ICP Algorithm, 3DIM 2003).
    """
    offsets = points - points.mean(axis=0)
    offsets = offsets / max(float(np.linalg.norm(offsets, axis=1).mean()), 1e-300)
    seen = np.hstack([np.cross(offsets, normals), normals])
    # About x, y and z, and along them: what moves a point by (w x p + v).
    turned = np.cross(np.eye(3)[:, None], offsets)
    slid = np.broadcast_to(np.eye(3)[:, None], turned.shape)
    moved = np.concatenate([turned, slid])
    whole = np.einsum("ink,jnk->ij", moved, moved)
    ridge = 1e-9 * np.trace(whole) * np.eye(6)
    lower = np.linalg.inv(np.linalg.cholesky(whole + ridge))
    return float(max(np.linalg.eigvalsh(lower @ (seen.T @ seen) @ lower.T)[0], 0.0))


def visible_information(plane: Array, point: Array, floor: float = VISIBLE) -> Array:
    """Point-to-plane information (..., 6, 6) without what noise in the normals feigns.

    A motion along the surface, such as a cylinder's spin, should have none; errors of the normals
    give it a share of the point-to-point information `point`. The share `floor` is taken off
    every direction, and directions with less than that are invisible.
    """
    ridge = 1e-9 * np.trace(point, axis1=-2, axis2=-1)[..., None, None] * np.eye(6)
    lower = np.linalg.cholesky(point + ridge + 1e-30 * np.eye(6))
    inverse = np.linalg.inv(lower)
    shares, vectors = np.linalg.eigh(inverse @ plane @ np.swapaxes(inverse, -1, -2))
    shares = np.maximum(shares - floor, 0)
    half = lower @ vectors
    return (half * shares[..., None, :]) @ np.swapaxes(half, -1, -2)


@njit(cache=True, nogil=True)
def _plane_equations(
    moved: Array,
    normals: Array,
    offsets: Array,
    weights: Array,
    groups: NDArray[np.int64],
    centres: Array,
) -> tuple[Array, Array]:
    """Sums of w a a^T and w a d, d being the distance along the normal, by group."""
    count = len(centres)
    information, gradient = np.zeros((count, 6, 6)), np.zeros((count, 6))
    row = np.empty(6)
    for m in range(len(weights)):
        g = groups[m]
        x, y, z = (
            moved[m, 0] - centres[g, 0],
            moved[m, 1] - centres[g, 1],
            moved[m, 2] - centres[g, 2],
        )
        a, b, c = normals[m, 0], normals[m, 1], normals[m, 2]
        row[0], row[1], row[2] = y * c - z * b, z * a - x * c, x * b - y * a
        row[3], row[4], row[5] = a, b, c
        distance = a * offsets[m, 0] + b * offsets[m, 1] + c * offsets[m, 2]
        for i in range(6):
            weighted = weights[m] * row[i]
            gradient[g, i] += weighted * distance
            for j in range(i, 6):
                information[g, i, j] += weighted * row[j]
    for g in range(count):
        for i in range(6):
            for j in range(i):
                information[g, i, j] = information[g, j, i]
    return information, gradient


@njit(cache=True, nogil=True)
def _point_equations(
    moved: Array, offsets: Array, weights: Array, groups: NDArray[np.int64], centres: Array
) -> tuple[Array, Array]:
    """The same for all three directions of the distance: of J = (-[y]x, 1), w J^T J and w J^T d."""
    count = len(centres)
    information, gradient = np.zeros((count, 6, 6)), np.zeros((count, 6))
    for m in range(len(weights)):
        g, w = groups[m], weights[m]
        x, y, z = (
            moved[m, 0] - centres[g, 0],
            moved[m, 1] - centres[g, 1],
            moved[m, 2] - centres[g, 2],
        )
        u, v, t = offsets[m, 0], offsets[m, 1], offsets[m, 2]
        own = information[g]
        own[0, 0] += w * (y * y + z * z)
        own[1, 1] += w * (x * x + z * z)
        own[2, 2] += w * (x * x + y * y)
        own[0, 1] -= w * x * y
        own[0, 2] -= w * x * z
        own[1, 2] -= w * y * z
        own[0, 4] -= w * z
        own[0, 5] += w * y
        own[1, 3] += w * z
        own[1, 5] -= w * x
        own[2, 3] -= w * y
        own[2, 4] += w * x
        for k in range(3, 6):
            own[k, k] += w
        gradient[g, 0] += w * (y * t - z * v)
        gradient[g, 1] += w * (z * u - x * t)
        gradient[g, 2] += w * (x * v - y * u)
        gradient[g, 3] += w * u
        gradient[g, 4] += w * v
        gradient[g, 5] += w * t
    for g in range(count):
        for i in range(6):
            for j in range(i):
                information[g, i, j] = information[g, j, i]
    return information, gradient
