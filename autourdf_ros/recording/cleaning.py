"""Cleaning of a cloud: crop, ground, outliers, downsampling, normals.

All functions take (N, 3) points in metres in a frame whose z points up.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array
from scipy.sparse.csgraph import (
    breadth_first_order,
    connected_components,
    minimum_spanning_tree,
)
from scipy.spatial import KDTree

Points = NDArray[np.floating]
Mask = NDArray[np.bool_]

_GROUND_SEED = 0
_OUTLIER_BUDGET = 3


@dataclass(frozen=True)
class Box:
    """Axis-aligned box: `lower` and `upper` corner (m)."""

    lower: tuple[float, float, float]
    upper: tuple[float, float, float]

    def __post_init__(self) -> None:
        bounds = np.array([self.lower, self.upper], float)
        if bounds.shape != (2, 3) or not (bounds[0] < bounds[1]).all():
            raise ValueError(f"box from {self.lower} to {self.upper}; lower must be below upper")


@dataclass(frozen=True)
class Ground:
    """Where the ground is: near z = `height`, within `search` of it (m).

    All up to `margin` above it is ground.
    """

    height: float = 0.0
    search: float = 0.03
    margin: float = 0.008


@dataclass(frozen=True)
class CleaningOptions:
    """What `clean` does. box, ground: None leaves that step out.

    outlier_ratio: see `inlier_mask`; 0 leaves it out. points: at most so many are kept.
    """

    box: Box | None = None
    ground: Ground | None = None
    outlier_ratio: float = 2.0
    points: int = 5000


def clean(
    points: Points, colors: NDArray[np.uint8] | None, options: CleaningOptions
) -> tuple[NDArray[np.float32], NDArray[np.uint8] | None]:
    """Crop, remove ground and outliers, downsample. Returns points (M, 3) and their colours."""
    keep = np.asarray(np.isfinite(points).all(axis=1))
    if options.box is not None:
        keep = keep & box_mask(points, options.box)
    points, colors = _select(points, colors, keep)
    if options.ground is not None:
        points, colors = _select(points, colors, above_ground_mask(points, options.ground))
    # Outliers are searched among a bounded number of points, so that time is bounded as well.
    points, colors = voxel_downsample(
        points, colors, voxel_size_for(points, _OUTLIER_BUDGET * options.points)
    )
    if options.outlier_ratio > 0:
        points, colors = _select(points, colors, inlier_mask(points, options.outlier_ratio))
    chosen = farthest_point_indices(points, options.points)
    return (
        np.ascontiguousarray(points[chosen], np.float32),
        None if colors is None else colors[chosen],
    )


def box_mask(points: Points, box: Box) -> Mask:
    """Which points are inside the box."""
    return np.asarray(((points >= box.lower) & (points <= box.upper)).all(axis=1))


def above_ground_mask(points: Points, ground: Ground) -> Mask:
    """Which points are above the ground plane.

    The plane is found by RANSAC among the points within `search` of z = `height`; where there is
    none (ground out of sight, or already removed) it is the given height itself.
    """
    level, slope = ground.height, np.zeros(2)
    band = points[np.abs(points[:, 2] - ground.height) <= ground.search].astype(float)
    plane = _ground_plane(band, ground)
    if plane is not None:
        slope, level = plane[:2], plane[2]
    return points[:, 2] > points[:, :2] @ slope + level + ground.margin


def _ground_plane(band: NDArray[np.float64], ground: Ground) -> NDArray[np.float64] | None:
    """Coefficients (a, b, c) of z = a x + b y + c through most of the points, or None."""
    rng = np.random.default_rng(_GROUND_SEED)
    if len(band) < 50:
        return None
    sample = band[rng.permutation(len(band))[:2000]]
    triples = sample[rng.integers(len(sample), size=(200, 3))]
    rows = np.concatenate([triples[:, :, :2], np.ones((200, 3, 1))], axis=2)
    solvable = np.abs(np.linalg.det(rows)) > 1e-6
    planes = np.linalg.solve(rows[solvable], triples[solvable, :, 2:])[:, :, 0]
    # A tilt of more than 6 degrees is another surface than the ground.
    planes = planes[np.linalg.norm(planes[:, :2], axis=1) < 0.1]
    if not len(planes):
        return None
    homogeneous = np.column_stack([sample[:, :2], np.ones(len(sample))])
    inliers = np.abs(homogeneous @ planes.T - sample[:, 2:]) < ground.margin / 2
    best = inliers[:, inliers.sum(axis=0).argmax()]
    if best.mean() < 0.5:
        return None
    return np.linalg.lstsq(homogeneous[best], sample[best, 2], rcond=None)[0]


def inlier_mask(points: Points, ratio: float, neighbours: int = 12) -> Mask:
    """Which points have neighbours at an ordinary distance (Rusu et al., 2008).

    A point whose mean distance to its neighbours exceeds the mean over all points by more than
    `ratio` standard deviations is an outlier.
    """
    if len(points) <= neighbours:
        return np.ones(len(points), bool)
    distances, _ = KDTree(points).query(points, neighbours + 1, workers=-1)
    mean = distances[:, 1:].mean(axis=1)
    return np.asarray(mean <= mean.mean() + ratio * mean.std())


def voxel_size_for(points: Points, count: int) -> float:
    """Side of the voxels (m) that leave at most `count` points; 0 where there are no more."""
    if len(points) <= count:
        return 0.0
    low, high = 0.0, 2.0 * float(np.ptp(points, axis=0).max())
    for _ in range(12):
        middle = (low + high) / 2
        if len(np.unique(_voxel_keys(points, middle))) > count:
            low = middle
        else:
            high = middle
    return high


def voxel_downsample(
    points: Points, colors: NDArray[np.uint8] | None, size: float
) -> tuple[Points, NDArray[np.uint8] | None]:
    """Mean point and colour of every occupied voxel of side `size` (m); 0 changes nothing."""
    if size <= 0 or not len(points):
        return points, colors
    _, voxel, counts = np.unique(_voxel_keys(points, size), return_inverse=True, return_counts=True)
    means = _group_means(points, voxel, counts)
    if colors is None:
        return means, None
    return means, np.rint(_group_means(colors, voxel, counts)).astype(np.uint8)


def farthest_point_indices(points: Points, count: int) -> NDArray[np.int64]:
    """Indices of `count` points spread evenly: each the farthest from those before.

    Eldar et al., The farthest point strategy for progressive image sampling, 1997.
    """
    if len(points) <= count:
        return np.arange(len(points))
    axes = np.ascontiguousarray(points.T, np.float32)
    distance = np.full(len(points), np.inf, np.float32)
    chosen = np.zeros(count, np.int64)
    for i in range(1, count):
        last = chosen[i - 1]
        offset = axes - axes[:, last, None]
        np.square(offset, out=offset)
        np.minimum(distance, offset[0] + offset[1] + offset[2], out=distance)
        chosen[i] = distance.argmax()
    return chosen


def normals(
    points: Points, viewpoints: Points | None = None, neighbours: int = 16
) -> NDArray[np.float64]:
    """Unit normals (N, 3) of the planes through each point's neighbours.

    viewpoints: (N, 3) the camera that saw each point, or (3,) one camera for all: normals point
    towards it. None: they agree with their neighbours, and point away from the centroid on the
    whole.
    """
    points = np.asarray(points, float)
    if len(points) < 3:
        raise ValueError(f"normals of {len(points)} points; at least 3 are needed")
    _, nearest = KDTree(points).query(points, min(neighbours, len(points)), workers=-1)
    local = points[nearest] - points[nearest].mean(axis=1, keepdims=True)
    _, vectors = np.linalg.eigh(local.swapaxes(1, 2) @ local)
    directions = vectors[:, :, 0]
    if viewpoints is None:
        return _agreeing(points, directions, neighbours)
    away = (directions * (viewpoints - points)).sum(axis=1) < 0
    return np.where(away[:, None], -directions, directions)


def _agreeing(
    points: Points, directions: NDArray[np.float64], neighbours: int
) -> NDArray[np.float64]:
    """Signs along minimum spanning trees of the neighbour graph (Hoppe et al., 1992)."""
    count = len(points)
    _, nearest = KDTree(points).query(points, min(neighbours, count))
    rows, columns = np.repeat(np.arange(count), nearest.shape[1]), nearest.ravel()
    bends = 1.0 - np.abs((directions[rows] * directions[columns]).sum(axis=1))
    graph = csr_array((bends + 1e-6, (rows, columns)), shape=(count, count))
    tree = minimum_spanning_tree(graph)
    parents = np.arange(count)
    components, labels = connected_components(tree, directed=False)
    for root in np.unique(labels, return_index=True)[1]:
        order, found = breadth_first_order(tree, root, directed=False)
        parents[order[1:]] = found[order[1:]]
    signs = np.where((directions * directions[parents]).sum(axis=1) < 0, -1.0, 1.0)
    # Pointer doubling multiplies the signs along every path to its root in log2(count) steps.
    for _ in range(int(count).bit_length()):
        signs, parents = signs * signs[parents], parents[parents]
    directions = directions * signs[:, None]
    outward = (directions * (points - points.mean(axis=0))).sum(axis=1)
    majority = np.bincount(labels, outward, components)
    return directions * np.where(majority < 0, -1.0, 1.0)[labels, None]


def _select(
    points: Points, colors: NDArray[np.uint8] | None, keep: Mask
) -> tuple[Points, NDArray[np.uint8] | None]:
    return points[keep], None if colors is None else colors[keep]


def _voxel_keys(points: Points, size: float) -> NDArray[np.int64]:
    cells = np.floor((points - points.min(axis=0)) / size).astype(np.int64)
    spans = cells.max(axis=0) + 1
    return (cells[:, 0] * spans[1] + cells[:, 1]) * spans[2] + cells[:, 2]


def _group_means(
    values: NDArray, group: NDArray[np.intp], counts: NDArray[np.intp]
) -> NDArray[np.float64]:
    sums = [np.bincount(group, column, len(counts)) for column in values.T]
    return np.stack(sums, axis=1) / counts[:, None]
