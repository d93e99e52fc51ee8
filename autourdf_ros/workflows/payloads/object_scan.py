"""From a scan by a moving camera to the object that stands on the table."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from autourdf_ros.data.frame import Frame, Recording
from autourdf_ros.errors import InputError
from autourdf_ros.geometry.point_cloud import size_of
from autourdf_ros.geometry.range_image import RangeImage, range_image, seen_from
from autourdf_ros.progress import Progress, silent
from autourdf_ros.shape.solid.coloured_surface import ColouredSurface
from autourdf_ros.shape.solid.object_on_table import object_on_table
from autourdf_ros.shape.solid.table_completion import (
    EmptySpace,
    Table,
    completed_on_table,
    fit_table,
)
from autourdf_ros.shape.solid.winding_field import FIELD_OPTIONS, spacing_of
from autourdf_ros.workflows.payloads.scan_stitching import (
    SCAN_OPTIONS,
    ScanOptions,
    ScanView,
    levelled,
    merged_views,
    moved_views,
    registered,
)

Array = NDArray[np.float64]


@dataclass(frozen=True)
class ScannedObject:
    """An object on a table, as a scan shows it, in the recording's fixed frame.

    Attributes:
        surface: Closed; what no view saw is not `observed`.
        table: On which it stands.
        corrections: (v, 4, 4) by which the views were moved (m).
    """

    surface: ColouredSurface
    table: Table
    corrections: Array


def is_scan(recording: Recording, options: ScanOptions = SCAN_OPTIONS) -> bool:
    """Return whether a camera of known pose moves through a recording."""
    for views in _views_by_camera(recording).values():
        eyes = np.array([view.eye for view in views])
        distances = [np.linalg.norm(view.points.mean(0) - view.eye) for view in views]
        if size_of(eyes) > options.moved * float(np.median(distances)):
            return True
    return False


def scanned_object(
    recording: Recording, progress: Progress = silent, options: ScanOptions = SCAN_OPTIONS
) -> ScannedObject:
    """Return the one object on the table that a scan shows.

    Raises:
        InputError: there is no table, not one object, or the views contradict each other.
    """
    source = str(recording.source or "scan")
    views = [view for own in _views_by_camera(recording).values() for view in own]
    chosen = np.unique(np.linspace(0, len(views) - 1, options.views).astype(int))
    given = [views[number] for number in chosen]
    progress("stitching the scan", 0.0)
    corrections = levelled(given, source, options)
    _, surface = _cut(moved_views(given, corrections), source, options)
    corrections = registered(given, corrections, surface, options)
    progress("stitching the scan", 0.8)
    corrections = levelled(moved_views(given, corrections), source, options) @ corrections
    stitched = moved_views(given, corrections)
    table, surface = _cut(stitched, source, options)
    progress("closing the object", 0.9)
    return ScannedObject(_closed(stitched, table, surface, options), table, corrections)


def object_of_view(scene: ColouredSurface) -> ScannedObject:
    """Return the one object on the table that a single cloud shows.

    Raises:
        InputError: there is no table, or not one object.
    """
    table = fit_table(scene)
    surface = object_on_table(scene, table)
    return ScannedObject(completed_on_table(surface, table), table, np.eye(4)[None])


def _views_by_camera(recording: Recording) -> dict[int, list[ScanView]]:
    """Views of the cameras whose poses are known."""
    found: dict[int, list[ScanView]] = {}
    for name, frame in zip(recording.frame_names, recording.frames, strict=True):
        for camera, view in _views(name, frame):
            found.setdefault(camera, []).append(view)
    return found


def _views(name: str, frame: Frame) -> list[tuple[int, ScanView]]:
    if frame.camera_poses is None:
        return []
    cameras = frame.cameras
    if cameras is None:
        if len(frame.camera_poses) != 1:
            return []
        cameras = np.zeros(len(frame.points), np.uint8)
    found = []
    for camera in np.unique(cameras):
        own = cameras == camera
        points = np.asarray(frame.points[own], float)
        eye = np.asarray(frame.camera_poses[camera, :3, 3], float)
        if seen_from(eye, points):
            colors = None if frame.colors is None else frame.colors[own]
            found.append((int(camera), ScanView(name, points, colors, eye)))
    return found


def _cut(
    views: Sequence[ScanView], source: str, options: ScanOptions
) -> tuple[Table, ColouredSurface]:
    """The table, and the object at the density that is wanted of it."""
    scene = merged_views(views, options.scene_points, source)
    table = fit_table(scene)
    rough = object_on_table(scene, table)
    low, high = rough.points.min(0), rough.points.max(0)
    margin = size_of(rough.points) / np.cbrt(options.object_points)
    near = []
    for view in views:
        inside = ((view.points > low - margin) & (view.points < high + margin)).all(1)
        near.append(view.chosen(inside))
    fine = merged_views(near, options.object_points, source)
    heights = fine.points @ table.normal - table.height
    below = heights[heights < 0]  # of finer means, which are noisier
    noise = float(np.sqrt((below**2).mean())) if len(below) else table.noise
    table = replace(table, noise=max(noise, table.noise))
    return table, object_on_table(fine, table)


def _closed(
    views: Sequence[ScanView], table: Table, surface: ColouredSurface, options: ScanOptions
) -> ColouredSurface:
    images = tuple(image for view in views if (image := range_image(view.eye, view.points)))
    scene = np.concatenate([view.points for view in views])
    bare = scene[np.abs(scene @ table.normal - table.height) < 2 * table.noise]
    margin = options.margin * _spacing(surface)
    passed = _contradicted(images, surface.points, margin)
    if passed.mean() > options.contradicted:
        raise InputError(
            f"{surface.source}: views looked past {100 * passed.mean():.0f} % of the object's "
            "points, which others saw; accepted is an object that does not move during the scan, "
            "and poses of the camera that follow it"
        )
    return completed_on_table(surface.chosen(~passed), table, EmptySpace(bare, images))


def _contradicted(images: Sequence[RangeImage], points: Array, margin: float) -> NDArray[np.bool_]:
    found = np.zeros(len(points), bool)
    for image in images:
        found |= image.passes(points, margin)
    return found


def _spacing(surface: ColouredSurface) -> float:
    return spacing_of(surface.points, FIELD_OPTIONS.neighbours)
