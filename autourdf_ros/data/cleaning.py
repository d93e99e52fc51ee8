"""Cleaning of a cloud: crop, ground, background, outliers, downsampling.

All functions take (N, 3) points in metres in a frame whose z points up.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array
from scipy.sparse.csgraph import connected_components
from scipy.spatial import KDTree

from autourdf_ros.data.background import Background

Points = NDArray[np.floating]
Mask = NDArray[np.bool_]

_GROUND_SEED = 0
_OUTLIER_BUDGET = 3


@dataclass(frozen=True)
class Box:
    """Axis-aligned box between its `lower` and `upper` corner (m)."""

    lower: tuple[float, float, float]
    upper: tuple[float, float, float]

    def __post_init__(self) -> None:
        bounds = np.array([self.lower, self.upper], float)
        if bounds.shape != (2, 3) or not (bounds[0] < bounds[1]).all():
            raise ValueError(f"box from {self.lower} to {self.upper}; lower must be below upper")


@dataclass(frozen=True)
class Ground:
    """Position of the ground.

    Attributes:
        height: z of the ground (m).
        search: the ground is within this distance of `height` (m).
        margin: points up to this height above the ground belong to it (m), or higher where the
            measured ground is noisier.
    """

    height: float = 0.0
    search: float = 0.03
    margin: float = 0.008


@dataclass(frozen=True)
class CleaningOptions:
    """Steps of `clean`.

    Attributes:
        box: points outside it are removed; None keeps all.
        ground: None keeps it.
        outlier_ratio: see `inlier_mask`; 0 keeps outliers.
        gap: points farther than this (m) from the largest connected part are removed; 0 keeps all.
        points: largest number of points that are kept.
        background: None keeps it.
    """

    box: Box | None = None
    ground: Ground | None = None
    outlier_ratio: float = 5.0
    gap: float = 0.0
    points: int = 20000
    background: Background | None = None


Colors = NDArray[np.uint8] | None
View = tuple[Points, Colors]


def clean(
    views: Sequence[View], options: CleaningOptions
) -> tuple[NDArray[np.float32], Colors, NDArray[np.uint8]]:
    """Crop, remove ground, background and outliers, merge, keep the largest part, downsample.

    Ground and outliers are removed from every view by itself, since calibration errors put the
    ground at another height for every camera.

    Args:
        views: points (N, 3) and colours (N, 3) of every camera, in one frame.

    Returns:
        Points (M, 3), each the mean of what one camera saw in a voxel; colours (M, 3), or None
        where a camera has none; and the number (M,) of the camera that saw each point.
    """
    # Outliers are searched among a bounded number of points, so that time is bounded as well.
    budget = _OUTLIER_BUDGET * options.points // len(views)
    views = [_clean_view(view, options, budget) for view in views]
    if options.gap > 0:
        keep = largest_part_mask(np.vstack([points for points, _ in views]), options.gap)
        ends = np.cumsum([len(points) for points, _ in views])
        parts = np.split(keep, ends[:-1])
        views = [_select(*view, part) for view, part in zip(views, parts, strict=True)]
    share = options.points / max(sum(len(points) for points, _ in views), 1)
    views = [_at_most(*view, max(int(share * len(view[0])), 1)) for view in views]
    points = np.vstack([points for points, _ in views])
    known = [colors for _, colors in views if colors is not None]
    return (
        np.ascontiguousarray(points, np.float32),
        np.vstack(known) if len(known) == len(views) else None,
        np.repeat(np.arange(len(views), dtype=np.uint8), [len(points) for points, _ in views]),
    )


def _clean_view(view: View, options: CleaningOptions, budget: int) -> View:
    points, colors = view
    keep = np.asarray(np.isfinite(points).all(axis=1))
    if options.box is not None:
        keep = keep & box_mask(points, options.box)
    points, colors = _select(points, colors, keep)
    if options.ground is not None:
        points, colors = _select(points, colors, above_ground_mask(points, options.ground))
    if options.background is not None:
        # Before thinning, whose voxels mix points of the robot with those of what it stands on.
        points, colors = _select(points, colors, options.background.foreground_mask(points))
    points, colors = _at_most(points, colors, budget)
    if options.outlier_ratio > 0:
        points, colors = _select(points, colors, inlier_mask(points, options.outlier_ratio))
    return points, colors


def _at_most(points: Points, colors: Colors, count: int) -> View:
    return voxel_downsample(points, colors, voxel_size_for(points, count))


def box_mask(points: Points, box: Box) -> Mask:
    """Return which points are inside the box."""
    return np.asarray(((points >= box.lower) & (points <= box.upper)).all(axis=1))


def above_ground_mask(points: Points, ground: Ground) -> Mask:
    """Return which points are above the ground plane.

    RANSAC (Fischler and Bolles, 1981) finds the plane among the points within `search` of
    z = `height`. Where there is no plane (ground out of sight, or already removed), the plane
    z = `height` is used.
    """
    plane, margin = np.array([0.0, 0.0, ground.height]), ground.margin
    band = points[np.abs(points[:, 2] - ground.height) <= ground.search].astype(float)
    inliers = _ground_inliers(band, ground)
    if inliers is not None:
        for _ in range(3):
            plane = np.linalg.lstsq(_homogeneous(inliers), inliers[:, 2], rcond=None)[0]
            height = np.abs(band[:, 2] - _homogeneous(band) @ plane)
            deviation = 1.4826 * np.median(height)
            inliers = band[height <= 3 * deviation]
        margin = max(margin, 4 * float(deviation))
    return np.asarray(points[:, 2] > _homogeneous(points) @ plane + margin)


def _ground_inliers(band: NDArray[np.float64], ground: Ground) -> NDArray[np.float64] | None:
    """Return the points of the plane z = a x + b y + c that most points are on, or None."""
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
    distance = np.abs(_homogeneous(sample) @ planes.T - sample[:, 2:])
    near = distance < max(ground.margin / 2, ground.search / 5)
    best = near[:, near.sum(axis=0).argmax()]
    return sample[best] if best.mean() >= 0.5 else None


def _homogeneous(points: Points) -> NDArray[np.float64]:
    return np.column_stack([points[:, :2], np.ones(len(points))])


def largest_part_mask(points: Points, gap: float) -> Mask:
    """Return which points belong to the connected part with the most points.

    Args:
        gap: points nearer than this (m) are connected; some up to 3.5 times as far may be as well.
    """
    if not len(points):
        return np.zeros(0, bool)
    parts = connected_parts(points, gap)
    return np.asarray(parts == np.bincount(parts).argmax())


def connected_parts(points: Points, gap: float) -> NDArray[np.int64]:
    """Return the number (N,) of the connected part that each of (N, 3) points belongs to.

    Args:
        gap: points nearer than this (m) are connected; some up to 3.5 times as far may be as well.
    """
    cells = np.floor((points - points.min(axis=0)) / gap)
    cells, cell = np.unique(cells, axis=0, return_inverse=True)
    pairs = KDTree(cells).query_pairs(1.0, p=np.inf, output_type="ndarray")
    links = csr_array((np.ones(len(pairs)), pairs.T), shape=(len(cells), len(cells)))
    _, labels = connected_components(links, directed=False)
    return np.asarray(labels[cell.reshape(-1)], np.int64)


def inlier_mask(points: Points, ratio: float, neighbours: int = 12) -> Mask:
    """Return which points have neighbours at a typical distance.

    Statistical outlier removal (Rusu et al., 2008) with robust statistics: a point is an outlier
    when its mean distance to its neighbours exceeds the median over all points by more than
    `ratio` standard deviations, estimated from the median absolute deviation. With mean and
    standard deviation instead, flying pixels behind the robot's edges mask each other.
    """
    if len(points) <= neighbours:
        return np.ones(len(points), bool)
    distances, _ = KDTree(points).query(points, neighbours + 1, workers=-1)
    mean = distances[:, 1:].mean(axis=1)
    middle = np.median(mean)
    deviation = 1.4826 * np.median(np.abs(mean - middle))
    return np.asarray(mean <= middle + ratio * deviation)


def voxel_size_for(points: Points, count: int) -> float:
    """Return the voxel side (m) that leaves at most `count` points; 0 for no more points."""
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


def voxel_downsample(points: Points, colors: Colors, size: float) -> View:
    """Return mean point and colour of every voxel of side `size` (m); 0 changes nothing."""
    if size <= 0 or not len(points):
        return points, colors
    _, voxel, counts = np.unique(_voxel_keys(points, size), return_inverse=True, return_counts=True)
    means = _group_means(points, voxel, counts)
    if colors is None:
        return means, None
    return means, np.rint(_group_means(colors, voxel, counts)).astype(np.uint8)


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
