"""Determine what cameras could have seen: where a cloud shows nothing, something may be in front.

A depth camera sees the first surface along every ray. A range image of what it measured shows, of
any other place, whether it would have been seen there.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numba import njit
from numpy.typing import NDArray
from scipy.ndimage import minimum_filter
from scipy.spatial import cKDTree

from autourdf_ros.geometry.arrays import Array

CELL = 2.5  # of a range image, in typical distances between its rays
GRAZING = 0.15  # cosine of the angle to the normal below which a surface is hardly measured
SIDE = 500  # cells at most along a side of an image
WIDEST = np.cos(np.radians(75.0))  # no depth camera sees farther from its middle


@dataclass(frozen=True)
class RangeImage:
    """Least depth in every cell of an image of the points that one camera saw.

    Attributes:
        eye: (3,) the camera.
        axes: (3, 3) columns right, down and forward.
        cell: its side, as a tangent.
        corner: (2,) of the first cell.
        depths: (H, W), infinite where nothing was seen.
    """

    eye: Array
    axes: Array
    cell: float
    corner: Array
    depths: Array

    def passes(self, points: Array, margin: float) -> NDArray[np.bool_]:
        """Return whether the camera saw only what is more than `margin` behind points (N, 3).

        Then nothing is there: a surface would have stopped the ray. Neighbouring cells count, for
        at outlines half a cell is in doubt.
        """
        depth, seen = self._seen_at(minimum_filter(self.depths, size=3), points)
        measured = np.isfinite(self._seen_at(self.depths, points)[1])
        return measured & (seen > depth + margin)

    def _seen_at(self, depths: Array, points: Array) -> tuple[Array, Array]:
        """Depths (N,) of points, and those of the image at their place, infinite outside."""
        depth, places = _project(points, self.eye, self.axes)
        column, row = np.floor((places - self.corner) / self.cell).T
        height, width = depths.shape
        inside = (depth > 0) & (column >= 0) & (column < width) & (row >= 0) & (row < height)
        seen = np.full(len(points), np.inf)
        seen[inside] = depths[row[inside].astype(int), column[inside].astype(int)]
        return depth, seen


def seen_from(eye: Array, points: Array) -> bool:
    """Return whether one camera at `eye` (3,) can have seen points (N, 3): not from among them.

    Clouds that were merged, or given in the base frame, come with a pose that is no camera's.
    """
    rays = points - eye
    lengths = np.linalg.norm(rays, axis=1)
    middle = rays.mean(axis=0)
    return bool((rays @ middle > WIDEST * lengths * np.linalg.norm(middle)).all())


def range_image(eye: Array, points: Array) -> RangeImage | None:
    """Return the image of points (N, 3) seen from `eye` (3,); None of fewer than 2."""
    if len(points) < 2:
        return None
    forward = points.mean(axis=0) - eye
    axes = np.linalg.svd(forward[None] / np.linalg.norm(forward))[2].T[:, [1, 2, 0]]
    axes[:, 2] *= np.sign(axes[:, 2] @ forward)
    depth, places = _project(points, eye, axes)
    low, high = places.min(axis=0), places.max(axis=0)
    spacing = float(np.median(cKDTree(places).query(places, k=2)[0][:, 1]))
    cell = max(CELL * spacing, float((high - low).max()) / SIDE, 1e-9)
    column, row = np.floor((places - low) / cell).astype(int).T
    depths = np.full((row.max() + 1, column.max() + 1), np.inf)
    np.minimum.at(depths, (row, column), depth)
    return RangeImage(eye, axes, cell, low, depths)


def hidden(
    images: Sequence[RangeImage], points: Array, normals: Array, margin: float
) -> NDArray[np.bool_]:
    """Return whether no camera could see a surface at points (N, 3).

    From every one it faces away, or is more than `margin` behind what was seen.

    Args:
        images: of the cameras.
        points: (N, 3).
        normals: (N, 3) outer.
        margin: m.
    """
    result = np.ones(len(points), dtype=bool)
    points, normals = np.ascontiguousarray(points), np.ascontiguousarray(normals)
    for image in images:
        camera, cells = np.vstack([image.axes.T, image.eye]), np.append(image.corner, image.cell)
        _take_seen(result, points, normals, camera, cells, image.depths, margin)
    return result


@njit(cache=True, nogil=True)
def _take_seen(
    hidden: NDArray[np.bool_],
    points: Array,
    normals: Array,
    camera: Array,
    cells: Array,
    depths: Array,
    margin: float,
) -> None:
    """Take from `hidden` (N,) what a camera faced, and saw nothing more than `margin` in front of.

    Args:
        hidden: (N,) is changed.
        points: (N, 3).
        normals: (N, 3) outer.
        camera: (4, 3) rows right, down, forward and eye of a `RangeImage`.
        cells: (3,) the first one's corner, and the side.
        depths: (H, W) of the image.
        margin: m.
    """
    for i in range(len(points)):
        if not hidden[i]:
            continue
        depth = right = down = facing = squared = 0.0
        for k in range(3):
            away = points[i, k] - camera[3, k]
            right += away * camera[0, k]
            down += away * camera[1, k]
            depth += away * camera[2, k]
            facing -= away * normals[i, k]
            squared += away * away
        if not facing > GRAZING * np.sqrt(squared):
            continue
        seen = np.inf
        if depth > 0:
            column = np.floor((right / max(depth, 1e-12) - cells[0]) / cells[2])
            row = np.floor((down / max(depth, 1e-12) - cells[1]) / cells[2])
            if 0 <= column < depths.shape[1] and 0 <= row < depths.shape[0]:
                seen = depths[int(row), int(column)]
        if not seen < depth - margin:
            hidden[i] = False


def _project(points: Array, eye: Array, axes: Array) -> tuple[Array, Array]:
    """Depths (N,), and places (N, 2) on the image at depth 1."""
    local = (points - eye) @ axes
    depth = np.asarray(local[:, 2])
    return depth, local[:, :2] / np.where(np.abs(depth) > 1e-12, depth, 1e-12)[:, None]
