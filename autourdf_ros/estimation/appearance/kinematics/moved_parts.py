"""What one joint moves in images, for the search of its screw."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.ndimage import distance_transform_edt
from scipy.spatial import cKDTree

from autourdf_ros.estimation.appearance.screws.screw_costs import MovedPoints
from autourdf_ros.estimation.appearance.silhouettes.silhouettes import HALF, Silhouettes
from autourdf_ros.geometry.arrays import Array
from autourdf_ros.geometry.sampling import farthest_point_indices
from autourdf_ros.parallel import on_all_cores


@dataclass(frozen=True)
class MovedOptions:
    """Which points count as moved, and which pixels as needed.

    Attributes:
        images: At most, of one joint (resource bound).
        outside: Distance from the outline of a point that is not where it was (pixels).
        share: Of the images, of those of the points that are outside most often, from which a
            point counts as moved.
        most: Place among the points that are outside most often whose share is that.
        fewest: Moved points that are needed.
        uncovered: Distance from the points of all other parts beyond which a pixel of the robot
            needs another one (pixels).
        needed: Such pixels of an image (resource bound).
        covering: Points by which they are covered (resource bound).
    """

    images: int = 24
    outside: float = 1.5
    share: float = 0.5
    most: int = 20
    fewest: int = 6
    uncovered: float = 2.5
    needed: int = 20
    covering: int = 200


def often_outside(distances: NDArray[np.float32], options: MovedOptions) -> NDArray[np.bool_]:
    """Return (N,) which points are not where they were, by distances (F, N) from outlines."""
    shares = (distances > options.outside).mean(axis=0)
    most = np.sort(shares)[-min(options.most, len(shares))]
    return np.asarray(shares >= max(HALF * 3 / len(distances), options.share * most))


def moved_points(
    silhouettes: Silhouettes,
    values: Array,
    points: Array,
    covering: Array,
    others: Array,
    options: MovedOptions,
) -> MovedPoints:
    """Return moved points with the pixels that need them.

    Args:
        silhouettes: Of I images, in the frame of the joint's parent at rest.
        values: (I,) of the joint, from rest.
        points: (I, N, 3) that it surely moves.
        covering: (I, K, 3) that it may move.
        others: (I, M, 3) points of all other parts, in the same frame.
        options: All constants.
    """
    rng = np.random.default_rng(0)
    found = on_all_cores(
        lambda matrix, field, own: _needed(matrix, field, own, options.uncovered),
        silhouettes.projections,
        silhouettes.fields,
        others,
    )
    chosen = [own[rng.permutation(len(own))[: options.needed]] for own in found]
    spread = farthest_point_indices(covering[0], options.covering)
    covering = np.ascontiguousarray(covering[:, spread])
    return MovedPoints(
        silhouettes,
        np.ascontiguousarray(values),
        np.ascontiguousarray(points),
        covering,
        _spacing(silhouettes, covering[0]),
        np.concatenate(chosen).astype(float),
        np.repeat(np.arange(len(chosen)), [len(own) for own in chosen]),
    )


def _spacing(silhouettes: Silhouettes, points: Array) -> float:
    """Return the median distance of points (N, 3) from their nearest neighbours (pixels)."""
    distances = cKDTree(points).query(points, k=2)[0][:, 1]
    scale = silhouettes.focal / silhouettes.depths(points.mean(axis=0, keepdims=True))[:, 0]
    return float(np.median(distances) * np.median(scale))


def _needed(
    matrix: Array, field: NDArray[np.float32], others: Array, distance: float
) -> NDArray[np.int64]:
    """Return pixels (U, 2) of the robot, column and row, that are far from all others."""
    height, width = field.shape
    places = others @ matrix[:, :3].T + matrix[:, 3]
    pixels = np.round(places[:, :2] / places[:, 2:]).astype(int)
    inside = ((pixels >= 0) & (pixels < [width, height])).all(axis=1)
    free = np.ones(field.shape, bool)
    free[pixels[inside, 1], pixels[inside, 0]] = False
    away = distance_transform_edt(free) if inside.any() else np.full(field.shape, np.inf)
    rows, columns = np.nonzero((field < -HALF) & (away > distance))
    return np.column_stack([columns, rows])
