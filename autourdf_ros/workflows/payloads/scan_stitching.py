"""Stitch the views of a scan: level them by the table that they show, then register them.

Every view counts as one of a camera of its own, whose place is known roughly.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.spatial.transform import Rotation

from autourdf_ros.data.cleaning import voxel_downsample, voxel_size_for
from autourdf_ros.errors import InputError
from autourdf_ros.estimation.motion.registration.camera_alignment import (
    LEAST_MATCHES,
    align_cameras,
)
from autourdf_ros.estimation.motion.registration.preparation import spread_points
from autourdf_ros.geometry.point_cloud import Cloud, prepare_seen_cloud
from autourdf_ros.geometry.rigid_motion import transform
from autourdf_ros.shape.solid.coloured_surface import ColouredSurface
from autourdf_ros.shape.solid.table_completion import Table, fit_table

Array = NDArray[np.float64]


@dataclass(frozen=True)
class ScanOptions:
    """How a scan is stitched.

    Attributes:
        moved: Share of a camera's distance from what it sees, by which it moves at least in a scan.
        views: At most so many, spread over the scan; a resource bound.
        view_points: Of each view that it is registered by; a resource bound.
        averaged: Times as many means of its points, to whose neighbourhoods planes are fitted:
            planes of single points tilt by their noise, and hold a view where it is.
        scene_points: Of the stitched scene, in which table and object are found.
        object_points: Of the stitched object.
        around: Sizes of the object, from its middle, within which views are registered.
        scales: Sizes of the object that count as the robot's for the engine, pass after pass: its
            gates are shares of that.
        noise: Of a point along its normal, as a share of what is registered.
        margin: Spacings of the object's points, behind one of them, from which on a view
            contradicts it.
        most_moved: Sizes of the object by which registration may move what a view shows of it. An
            object that was moved itself looks like more.
        contradicted: Share of the object's points from which on that is a fault: above it lies
            what flying pixels cause.
    """

    moved: float = 0.05
    views: int = 16
    view_points: int = 1000
    averaged: int = 3
    scene_points: int = 20_000
    object_points: int = 6000
    around: float = 0.8
    scales: tuple[float, ...] = (3.0, 1.0)
    noise: float = 0.002
    margin: float = 3.0
    most_moved: float = 0.15
    contradicted: float = 0.2


SCAN_OPTIONS = ScanOptions()


@dataclass(frozen=True)
class ScanView:
    """What a camera saw at one moment, in the fixed frame.

    Attributes:
        name: Of the frame, for messages.
        points: (n, 3) m.
        colors: (n, 3) RGB from 0 to 255; None where they are unknown.
        eye: (3,) where the camera was (m).
    """

    name: str
    points: Array
    colors: NDArray[np.uint8] | None
    eye: Array

    def moved(self, pose: Array) -> ScanView:
        """Return the view after a motion (4, 4)."""
        eye = transform(pose, self.eye[None])[0]
        return ScanView(self.name, transform(pose, self.points), self.colors, eye)

    def within(self, middle: Array, reach: float) -> ScanView:
        """Return what lies within reach (m) of a place (3,)."""
        return self.chosen(np.linalg.norm(self.points - middle, axis=1) < reach)

    def chosen(self, kept: NDArray[np.bool_]) -> ScanView:
        """Return the points of a mask (n,)."""
        colors = None if self.colors is None else self.colors[kept]
        return ScanView(self.name, self.points[kept], colors, self.eye)


def moved_views(views: Sequence[ScanView], poses: Array) -> list[ScanView]:
    """Return the views, each after its motion (v, 4, 4)."""
    return [view.moved(pose) for view, pose in zip(views, poses, strict=True)]


def levelled(views: Sequence[ScanView], source: str, options: ScanOptions) -> Array:
    """Return motions (v, 4, 4) that lay the table of every view that shows it on the mean of them.

    Raises:
        InputError: no view shows one.
    """
    tables: list[Table | None] = []
    for view in views:
        try:
            tables.append(fit_table(merged_views([view], options.view_points, source)))
        except InputError:
            tables.append(None)
    known = [table for table in tables if table is not None]
    if not known:
        raise InputError(
            f"{source}: no view shows a table; accepted is an object on a plane of which a quarter "
            "or more of a view's points are"
        )
    up = np.mean([table.normal for table in known], axis=0)
    up /= np.linalg.norm(up)
    middle = np.median(np.concatenate([view.points for view in views]), axis=0)
    offsets = [table.height - middle @ table.normal for table in known]
    height = float(np.mean(offsets))
    poses = np.tile(np.eye(4), (len(views), 1, 1))
    for pose, table in zip(poses, tables, strict=True):
        if table is None:
            continue
        pose[:3, :3] = Rotation.align_vectors(up[None], table.normal[None])[0].as_matrix()
        shift = (height - table.height + middle @ table.normal) * up
        pose[:3, 3] = middle - pose[:3, :3] @ middle + shift
    return poses


def registered(
    views: Sequence[ScanView], corrections: Array, surface: ColouredSurface, options: ScanOptions
) -> Array:
    """Return corrections (v, 4, 4) of the views, improved by what they show of the object.

    Args:
        views: As given.
        corrections: (v, 4, 4) to begin with (m).
        surface: Of the object, roughly.
        options: Of the registration.

    Raises:
        InputError: a view shows the object somewhere else.
    """
    low, high = surface.points.min(0), surface.points.max(0)
    middle, size = (low + high) / 2, float(np.linalg.norm(high - low))
    for scale in options.scales:
        near = [
            view.within(middle, options.around * size) for view in moved_views(views, corrections)
        ]
        corrections = _aligned(near, middle, scale * size, options) @ corrections
    moved = np.linalg.norm(corrections[:, :3, :3] @ middle + corrections[:, :3, 3] - middle, axis=1)
    if (most := float(moved.max())) > options.most_moved * size:
        raise InputError(
            f"{surface.source}: frame {views[int(moved.argmax())].name} shows the object "
            f"{1e3 * most:.0f} mm from where the others do; accepted are {options.most_moved:g} of "
            f"its {1e3 * size:.0f} mm: an object that does not move during the scan, and camera "
            "poses that are calibrated (autourdf extrinsics)"
        )
    return corrections


def _aligned(views: Sequence[ScanView], middle: Array, scale: float, options: ScanOptions) -> Array:
    """Corrections (v, 4, 4) of the views, m, in units of `scale` (m) about the middle (3,)."""
    clouds: list[Cloud | None] = []
    for view in views:
        if len(view.points) < LEAST_MATCHES:
            clouds.append(None)
            continue
        points = _thinned((view.points - middle) / scale, options.averaged * options.view_points)
        chosen = spread_points(points, options.view_points)
        clouds.append(prepare_seen_cloud(points, chosen, (view.eye - middle) / scale))
    corrections = align_cameras([clouds], options.noise, oriented=True).corrections
    corrections[:, :3, 3] = scale * corrections[:, :3, 3] + middle
    corrections[:, :3, 3] -= corrections[:, :3, :3] @ middle
    return corrections


def merged_views(views: Sequence[ScanView], count: int, source: str) -> ColouredSurface:
    """Return all points of the views, thinned to at most `count` means of small cubes."""
    points = np.concatenate([view.points for view in views])
    known = all(view.colors is not None for view in views)
    colors = np.concatenate([view.colors for view in views]) if known else None
    thinned, shades = voxel_downsample(points, colors, voxel_size_for(points, count))
    colours = None if shades is None else shades / 255.0
    return ColouredSurface(np.asarray(thinned, float), colours, source=source)


def _thinned(points: Array, count: int) -> Array:
    return np.asarray(voxel_downsample(points, None, voxel_size_for(points, count))[0], float)
