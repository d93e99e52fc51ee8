"""The visual hull: the space whose projections are inside of all outlines (Laurentini, 1994)."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.ndimage import gaussian_filter

from autourdf_ros.errors import InputError
from autourdf_ros.estimation.appearance.silhouettes.silhouettes import HALF, Silhouettes
from autourdf_ros.geometry.arrays import Array

_FIRST = 24  # cells along the first cube
_CORNERS = HALF * np.stack(np.meshgrid(*[[-1.0, 1.0]] * 3, indexing="ij"), axis=-1).reshape(-1, 3)
_SEEN = 0.5  # share of the images that must see a cell at all
_BLUR = 1.2  # cells, of the occupancy whose gradient is the normal
_MOST = 3_000_000  # cells (resource bound)


@dataclass(frozen=True)
class Hull:
    """Cells of a regular grid.

    Attributes:
        points: (N, 3) their middles (m).
        size: Edge of a cell (m).
    """

    points: Array
    size: float

    def of_cells(self, chosen: NDArray[np.bool_]) -> Hull:
        """Return some of the cells."""
        return Hull(self.points[chosen], self.size)

    def surface(self) -> tuple[NDArray[np.int64], Array]:
        """Return the numbers (S,) of cells beside empty ones, and their outward normals (S, 3)."""
        corner = self.points.min(axis=0) - 4 * self.size
        places = np.round((self.points - corner) / self.size).astype(np.int64)
        full = np.zeros(places.max(axis=0) + 5, np.float32)
        full[tuple(places.T)] = 1
        slopes = np.stack(np.gradient(gaussian_filter(full, _BLUR)), axis=-1)[tuple(places.T)]
        beside = np.zeros(len(places))
        for step in np.vstack([np.eye(3, dtype=int), -np.eye(3, dtype=int)]):
            beside += full[tuple((places + step).T)]
        chosen = np.flatnonzero(beside < 6)
        normals = -slopes[chosen].astype(float)
        lengths = np.linalg.norm(normals, axis=1, keepdims=True)
        normals = np.where(lengths > 0, normals / np.maximum(lengths, 1e-12), [0.0, 0.0, 1.0])
        return chosen, normals


def visual_hull(silhouettes: Silhouettes, finest: float) -> Hull:
    """Return the hull of outlines of a robot that stands still.

    A cube is divided as long as a cell is larger than `finest` pixels in a typical image.

    Raises:
        InputError: The outlines have no common space: cameras or masks are not of one robot.
    """
    points, size = _first_cells(silhouettes)
    while True:
        depths = silhouettes.depths(points)
        pixels = float(np.median(silhouettes.focal[:, None] * size / depths))
        last = pixels <= finest
        reach = silhouettes.focal[:, None] * size * np.sqrt(3) * HALF / depths
        distances = silhouettes.distances(points)
        outside = (distances > (HALF if last else reach)).any(axis=0)
        unseen = np.isfinite(distances).mean(axis=0) < _SEEN
        points = points[~outside & ~unseen]
        if not len(points):
            raise InputError(
                "no space projects into all masks of the robot at rest; accepted are cameras and "
                "masks of one robot that stands still"
            )
        if last or len(points) * 8 > _MOST:
            return Hull(points, size)
        size /= 2
        points = (points[:, None] + size * _CORNERS).reshape(-1, 3)


def _first_cells(silhouettes: Silhouettes) -> tuple[Array, float]:
    """Return cells of a cube around the robot, and their size."""
    centre, reach = _place(silhouettes)
    size = 2 * reach / _FIRST
    along = size * (np.arange(_FIRST) + HALF) - reach
    cells = np.stack(np.meshgrid(along, along, along, indexing="ij"), axis=-1).reshape(-1, 3)
    return centre + cells, size


def _place(silhouettes: Silhouettes) -> tuple[Array, float]:
    """Return the point (3,) nearest to all rays through the outlines' middles, and half a size."""
    rows, sides = [], []
    for matrix, field in zip(silhouettes.projections, silhouettes.fields, strict=True):
        v, u = np.nonzero(field < 0)
        if not len(u):
            continue
        for pixel, row in ((u.mean(), 0), (v.mean(), 1)):
            rows.append((matrix[row] - pixel * matrix[2]) / np.linalg.norm(matrix[row, :3]))
        sides.append(max(np.ptp(u), np.ptp(v)) + 1)
    if len(rows) < 4:
        raise InputError("the robot is in no two masks; accepted are images that show it")
    stacked = np.array(rows)
    centre = np.linalg.lstsq(stacked[:, :3], -stacked[:, 3], rcond=None)[0]
    depths = silhouettes.depths(centre[None])[:, 0]
    largest = max(sides) * np.max(np.abs(depths) / silhouettes.focal)
    return centre, float(largest)
