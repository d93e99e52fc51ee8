"""Expected observation of the model in a configuration that no camera has seen yet."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from autourdf_ros.geometry.arrays import group_sum
from autourdf_ros.monitoring.observing.observation_comparison import Comparison, CroppedObservation
from autourdf_ros.monitoring.observing.posed_scene import PosedScene
from autourdf_ros.monitoring.observing.surface_cells import cell_sums
from autourdf_ros.monitoring.observing.watched_model import WatchedModel

Array = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Viewpoint:
    """A camera at its last pose.

    Attributes:
        camera: Name.
        pose: (4, 4) in the base frame.
        points: (S,) points measured on a segment per visible sample of its surface; fewer where
            other objects or the image border hid it.
    """

    camera: str
    pose: Array
    points: Array


def viewpoints(model: WatchedModel, seen: Sequence[Comparison]) -> list[Viewpoint]:
    """Return the viewpoints of all cameras of some observations."""
    found = []
    for camera in sorted({one.observation.camera for one in seen}):
        own = [one for one in seen if one.observation.camera == camera]
        samples = np.zeros(len(model.segments))
        for one in own:
            visible = PosedScene(model, one.observation.poses).visible(
                one.observation.camera_pose[:3, 3]
            )
            samples += np.bincount(model.owner[model.samples[1][visible]], minlength=len(samples))
        points = np.sum([one.counts for one in own], axis=0)
        # A segment that was never visible gets the average.
        mean = points.sum() / max(samples.sum(), 1.0)
        each = np.where(samples > 0, points / np.maximum(samples, 1.0), mean)
        found.append(Viewpoint(camera, own[-1].observation.camera_pose, each))
    return found


def expected_comparison(
    model: WatchedModel, viewpoint: Viewpoint, readings: Mapping[str, float]
) -> Comparison:
    """Return the sums that an observation should give where nothing is off: gradients are 0.

    Args:
        model: The watched model.
        viewpoint: The camera.
        readings: Of the motors (rad or m), which stand still.
    """
    values = model.values(readings)
    poses = model.poses(values)
    visible = PosedScene(model, poses).visible(viewpoint.pose[:3, 3])
    points, triangles = model.samples
    places, normals = points[visible], model.normals[triangles[visible]]
    owners = model.owner[triangles[visible]]
    each, count = viewpoint.points[owners], len(model.segments)
    rows = np.concatenate([np.cross(places, normals), normals], axis=1)
    products = (each[:, None, None] * rows[:, :, None] * rows[:, None, :]).reshape(-1, 36)
    sums = group_sum(np.column_stack([products, each]), owners, count)
    nothing, empty = np.zeros(count), np.empty((0, 3), np.float32)
    number, unasked = np.empty(0, np.float32), np.zeros(count, np.int64)
    observation = CroppedObservation(
        0.0,
        viewpoint.camera,
        values,
        np.zeros_like(values),
        poses,
        viewpoint.pose,
        empty,
        number,
        empty,
        unasked,
        unasked,
    )
    return Comparison(
        observation,
        sums[:, :36].reshape(-1, 6, 6),
        np.zeros((count, 6)),
        nothing,
        sums[:, 36],
        sums[:, 36],
        empty,
        cell_sums(
            owners,
            places,
            normals,
            rows,
            np.zeros(len(each)),
            each,
            model.lengths.surface_cell,
        ),
    )
