"""The robot's surface in the reference configuration, fused from many frames."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.spatial import cKDTree

from autourdf_ros.geometry.arrays import Array, group_sum
from autourdf_ros.geometry.point_cloud import Cloud, estimate_normals
from autourdf_ros.geometry.rigid_motion import inverse, transform
from autourdf_ros.parallel import on_all_cores

CELL = 0.5  # point spacings
NEIGHBOURS = 20
LEAST_NEIGHBOURS = 4


@dataclass(frozen=True)
class LabelledSurface:
    """M points in the reference configuration, each on one body.

    Attributes:
        points: (M, 3).
        normals: (M, 3).
        flatness: (M,).
        labels: (M,) body.
        support: (M,) how many measured points each stands for.
        colors: (M, 3) RGB, or None.
    """

    points: Array
    normals: Array
    flatness: Array
    labels: NDArray[np.int64]
    support: Array
    colors: NDArray[np.uint8] | None = None


def surface_of(cloud: Cloud, labels: NDArray[np.int64]) -> LabelledSurface:
    """Return the surface that one frame shows, without points of a label < 0."""
    keep = labels >= 0
    return LabelledSurface(
        cloud.points[keep],
        cloud.normals[keep],
        cloud.flatness[keep],
        labels[keep],
        np.ones(keep.sum()),
    )


def assign_points(
    surface: LabelledSurface, poses: Array, frame: Cloud, gate: float
) -> NDArray[np.int64]:
    """Return the body (N,) of every point of a frame: that of the nearest posed surface point.

    Args:
        surface: points on B bodies.
        poses: (B, 4, 4) of the bodies in this frame.
        frame: the frame.
        gate: distance (m) beyond which a point is on no body: -1.
    """
    moved = transform(poses[surface.labels], surface.points)
    distances, nearest = cKDTree(moved).query(frame.points, distance_upper_bound=gate, workers=-1)
    found = np.isfinite(distances)
    return np.where(found, surface.labels[np.where(found, nearest, 0)], -1)


def fuse_frames(
    surface: LabelledSurface,
    frames: Sequence[Cloud],
    colors: Sequence[NDArray[np.uint8] | None],
    poses: Array,
    *,
    spacing: float,
    gate: float,
) -> LabelledSurface:
    """Fuse all frames' points, moved back to the reference and averaged in small cells.

    Args:
        surface: the old surface, with its bodies.
        frames: F frames.
        colors: by frame, (N, 3) RGB or None.
        poses: (F, B, 4, 4) of the bodies.
        spacing: typical distance (m) between a frame's points.
        gate: distance (m) from the old surface beyond which a point is left out.
    """

    def back(frame: Cloud, color: NDArray[np.uint8] | None, pose: Array) -> tuple[Any, ...]:
        own = assign_points(surface, pose, frame, gate)
        keep = own >= 0
        shades = color[keep] if color is not None else np.zeros((keep.sum(), 3), np.uint8)
        return transform(inverse(pose)[own[keep]], frame.points[keep]), own[keep], shades

    moved = zip(*on_all_cores(back, frames, colors, poses), strict=True)
    points, labels, shades = map(np.concatenate, moved)
    coloured = all(color is not None for color in colors)
    return average_points(points, labels, shades if coloured else None, CELL * spacing)


def average_points(
    points: Array, labels: NDArray[np.int64], colors: NDArray[np.uint8] | None, cell: float
) -> LabelledSurface:
    """Average points over cubic cells of each body.

    Args:
        points: (N, 3).
        labels: (N,) body of every point.
        colors: (N, 3) RGB, or None.
        cell: side of the cells (m).
    """
    cells = np.floor((points - points.min(axis=0)) / cell).astype(np.int64)
    shape = cells.max(axis=0) + 1
    keys = ((labels * shape[0] + cells[:, 0]) * shape[1] + cells[:, 1]) * shape[2] + cells[:, 2]
    unique, groups = np.unique(keys, return_inverse=True)
    shades = np.zeros((len(points), 3)) if colors is None else colors.astype(np.float64)
    sums = group_sum(np.column_stack([points, shades, np.ones(len(points))]), groups, len(unique))
    support = sums[:, 6]
    means = sums[:, :3] / support[:, None]
    owners = unique // int(np.prod(shape))
    normals, flatness = np.zeros_like(means), np.zeros(len(means))
    for body in np.unique(owners):
        members = np.flatnonzero(owners == body)
        if len(members) < LEAST_NEIGHBOURS:
            continue
        local = means[members]
        _, neighbours = cKDTree(local).query(local, k=min(NEIGHBOURS, len(members)), workers=-1)
        normals[members], flatness[members] = estimate_normals(local, neighbours)
    return LabelledSurface(
        means,
        normals,
        flatness,
        owners,
        support,
        None if colors is None else np.rint(sums[:, 3:6] / support[:, None]).astype(np.uint8),
    )
