"""What a camera would see of the model in a configuration where it has not been yet."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from autourdf_ros.kinematics.matching import group_sum
from autourdf_ros.monitoring.comparison import FACING, Comparison, Look
from autourdf_ros.monitoring.cropping import FINE
from autourdf_ros.monitoring.posed_scene import PosedScene
from autourdf_ros.monitoring.surface_cells import NO_CELLS
from autourdf_ros.monitoring.watched_model import WatchedModel

Array = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Viewpoint:
    """A camera, as it stood last. pose: (4, 4) in the base frame.

    shares: (S,) of what it should have seen of the segments, so much it saw lately: the rest is
    behind other things, out of its view, or between its pixels.
    """

    camera: str
    pose: Array
    shares: Array


def viewpoints(model: WatchedModel, looks: Sequence[Look]) -> list[Viewpoint]:
    """Of all cameras of some looks."""
    found = []
    for camera in sorted({look.camera for look in looks}):
        own = [look for look in looks if look.camera == camera]
        expected = sum(_in_sight(model, look.poses, look.camera_pose)[1] for look in own)
        seen = sum(look.seen for look in own)
        shares = np.minimum(seen / np.maximum(expected, 1), 1.0)
        # Where the camera's pixels are sparser than the points that are kept.
        most = (shares * expected).sum() * _area(model) / len(model.samples[0]) / FINE**2
        shares = shares * min(sum(len(look.close) for look in own) / max(most, 1.0), 1.0)
        found.append(Viewpoint(camera, own[-1].camera_pose, shares))
    return found


def expected_comparison(
    model: WatchedModel, viewpoint: Viewpoint, readings: Mapping[str, float]
) -> Comparison:
    """The normal equations that a look should give where nothing is off: their gradients are 0.

    Points are as dense as those that `cropped` keeps. readings: of the motors (rad or m).
    """
    values = model.values(readings)
    poses = model.poses(values)
    visible, _ = _in_sight(model, poses, viewpoint.pose)
    points, triangles = model.samples
    places, normals = points[visible], model.normals[triangles[visible]]
    owners = model.owner[triangles[visible]]
    each = viewpoint.shares[owners] * _area(model) / len(points) / FINE**2
    rows = np.concatenate([np.cross(places, normals), normals], axis=1)
    products = (each[:, None, None] * rows[:, :, None] * rows[:, None, :]).reshape(-1, 36)
    count = len(model.segments)
    sums = group_sum(np.column_stack([products, each]), owners, count)
    nothing, empty = np.zeros(count), np.empty((0, 3), np.float32)
    seen = np.rint(sums[:, 36]).astype(np.int64)
    look = Look(
        0.0,
        viewpoint.camera,
        values,
        np.zeros_like(values),
        poses,
        viewpoint.pose,
        empty,
        empty,
        seen,
        np.zeros_like(seen),
    )
    return Comparison(
        look,
        sums[:, :36].reshape(-1, 6, 6),
        np.zeros((count, 6)),
        nothing,
        sums[:, 36],
        empty,
        NO_CELLS,
    )


def _in_sight(
    model: WatchedModel, poses: Array, pose: Array
) -> tuple[NDArray[np.bool_], NDArray[np.int64]]:
    """((M,) whether samples are to be seen from a camera's pose, (S,) how many)."""
    scene = PosedScene(model, poses)
    toward = pose[:3, 3] - scene.samples
    facing = np.einsum("ni,ni->n", toward, scene.sample_normals)
    visible = scene.visible(pose[:3, 3]) & (facing > FACING * np.linalg.norm(toward, axis=1))
    owners = model.owner[model.samples[1][visible]]
    return visible, np.bincount(owners, minlength=len(model.segments))


def _area(model: WatchedModel) -> float:
    """m² of the whole surface."""
    corners = model.vertices[model.faces]
    sides = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
    return float(np.linalg.norm(sides, axis=1).sum() / 2)
