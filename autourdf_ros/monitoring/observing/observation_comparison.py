"""One observation against the model: displacements of the segments, and unexplained points."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from autourdf_ros.data.background import Background
from autourdf_ros.geometry.arrays import group_sum
from autourdf_ros.monitoring.observing.cropping import crop_points, neighbourhood
from autourdf_ros.monitoring.observing.depth_image import DepthImage, depth_image
from autourdf_ros.monitoring.observing.observation import Observation
from autourdf_ros.monitoring.observing.posed_scene import PosedScene
from autourdf_ros.monitoring.observing.surface_cells import CellSums, cell_sums
from autourdf_ros.monitoring.observing.watched_model import WatchedModel

HUBER = 0.003  # m
_FACING = 0.4  # cosine to the normal of the nearest place, below which a point counts little


@dataclass(frozen=True, eq=False)
class CroppedObservation:
    """The part of an observation near the robot; J joints, B bodies, S segments.

    Attributes:
        stamp: Seconds.
        camera: Name.
        values: (J,) joint values since the reference (rad or m).
        rates: (J,) their velocities (rad/s or m/s).
        poses: (B, 4, 4) motions of the bodies since the reference.
        camera_pose: (4, 4) in the base frame.
        close: (N, 3) voxel means close to the robot, in the base frame (m).
        number: (N,) points in each of these.
        about: (M, 3) voxel means farther from the robot, in the base frame (m).
        seen: (S,) surface samples that this camera should see and does.
        missing: (S,) surface samples that it should see and sees past.
    """

    stamp: float
    camera: str
    values: NDArray[np.float64]
    rates: NDArray[np.float64]
    poses: NDArray[np.float64]
    camera_pose: NDArray[np.float64]
    close: NDArray[np.float32]
    number: NDArray[np.float32]
    about: NDArray[np.float32]
    seen: NDArray[np.int64]
    missing: NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class Comparison:
    """One observation's points against the S segments, as the sums that the tests need.

    Attributes:
        observation: The points compared.
        information: (S, 6, 6) normal matrix of the small twist (rad, m) that displaces a segment,
            about the base frame's origin, with its body moved back to the reference; every point
            has unit noise.
        gradient: (S, 6) right side of the normal equations.
        squares: (S,) weighted squared distances (m²).
        counts: (S,) weighted number of points.
        means: (S,) weighted number of voxel means.
        unexplained: (U, 3) points near the robot that are on no link, in the base frame (m).
        cells: The same sums by cell of the surface.
    """

    observation: CroppedObservation
    information: NDArray[np.float64]
    gradient: NDArray[np.float64]
    squares: NDArray[np.float64]
    counts: NDArray[np.float64]
    means: NDArray[np.float64]
    unexplained: NDArray[np.float32]
    cells: CellSums


def crop_observation(
    model: WatchedModel, observation: Observation, background: Background | None = None
) -> CroppedObservation:
    """Pose the model by the readings and keep what the camera saw near it.

    Args:
        model: The watched model.
        observation: One cloud.
        background: The empty scene in the base frame, which is removed.
    """
    values = model.values(observation.readings)
    scene = PosedScene(model, model.poses(values))
    pose = observation.camera_pose
    around = neighbourhood(scene.samples, model.lengths)
    points, number, close = crop_points(observation.points, pose, around)
    if background is not None and len(points):
        kept = background.foreground_mask(points)
        points, number, close = points[kept], number[kept], close[kept]
    seen, missing = coverage(scene, depth_image(observation.points, pose))
    return CroppedObservation(
        observation.stamp,
        observation.camera,
        values,
        model.rates(observation.velocities),
        scene.poses,
        pose,
        points[close].astype(np.float32),
        number[close].astype(np.float32),
        points[~close].astype(np.float32),
        seen,
        missing,
    )


def compare_observation(
    model: WatchedModel, observation: Observation, background: Background | None = None
) -> Comparison:
    """Compare what `crop_observation` keeps with the model at the pose of the readings."""
    cropped = crop_observation(model, observation, background)
    return compare_displaced(model, cropped, np.zeros((len(model.segments), 6)))


def compare_displaced(
    model: WatchedModel,
    observation: CroppedObservation,
    moved: NDArray[np.float64],
    linear: NDArray[np.float64] | None = None,
) -> Comparison:
    """Compare an observation with the model after twists (S, 6) displace its segments.

    The nearer the surface is to its true place, the more points are matched with their own place on
    it. The sums still hold the whole distances from the model at the pose of the readings.
    Distances are point-to-plane (Chen and Medioni 1992) with Huber's robust weights. A mean of n
    points has n times the weight of one point.

    Args:
        model: The watched model.
        observation: The cropped cloud.
        moved: (S, 6) twists of the segments (rad, m), each in the frame of its body at the
            reference.
        linear: (S, 6) the same to first order in the parameters in question; None: equal to
            `moved`.
    """
    scene = PosedScene(model, observation.poses, moved)
    at = scene.at
    points = observation.close.astype(np.float64)
    places, triangles = scene.nearest(points)
    offsets = points - places
    lengths = np.linalg.norm(offsets, axis=1)
    explained = lengths <= model.lengths.gate
    owners = model.owner[triangles]
    normals = np.einsum("nij,nj->ni", at[owners, :3, :3], model.normals[triangles])
    toward = observation.camera_pose[:3, 3] - places
    facing = np.einsum("ni,ni->n", toward, normals) > _FACING * np.linalg.norm(toward, axis=1)
    on = explained & facing
    distances = np.einsum("ni,ni->n", offsets[on], normals[on])
    robust = HUBER / np.maximum(np.abs(distances), HUBER)
    weights = robust * observation.number[on]
    # On the model itself: one spot is in one cell, wherever its segment was moved.
    own = at[owners[on]]
    spots = np.einsum("nji,nj->ni", own[:, :3, :3], places[on] - own[:, :3, 3])
    back = observation.poses[model.triangle_body[triangles[on]]]
    turned = np.einsum("nji,nj->ni", back[:, :3, :3], normals[on])
    put_back = np.einsum("nji,nj->ni", back[:, :3, :3], places[on] - back[:, :3, 3])
    rows = np.concatenate([np.cross(put_back, turned), turned], axis=1)
    weighted = weights[:, None] * rows
    shown = moved if linear is None else linear
    whole = distances + np.einsum("ni,ni->n", rows, shown[owners[on]])
    sums = group_sum(
        np.concatenate(
            [
                (weighted[:, :, None] * rows[:, None, :]).reshape(-1, 36),
                weighted * whole[:, None],
                (weights * whole**2)[:, None],
                weights[:, None],
                robust[:, None],
            ],
            axis=1,
        ),
        owners[on],
        len(model.segments),
    )
    return Comparison(
        observation,
        sums[:, :36].reshape(-1, 6, 6),
        sums[:, 36:42],
        sums[:, 42],
        sums[:, 43],
        sums[:, 44],
        np.concatenate([observation.close[~explained], observation.about]),
        cell_sums(
            owners[on],
            spots,
            model.normals[triangles[on]],
            rows,
            whole,
            weights,
            model.lengths.surface_cell,
        ),
    )


def coverage(scene: PosedScene, image: DepthImage) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Count the surface samples of every segment that the camera should see.

    Returns:
        (S,) seen samples and (S,) missing samples.
    """
    model = scene.model
    expected = np.flatnonzero(scene.visible(image.pose[:3, 3]))
    owners = model.owner[model.samples[1][expected]]
    seen, missing = image.visibility(scene.samples[expected], model.lengths.seen)
    count = len(model.segments)
    return np.bincount(owners[seen], minlength=count), np.bincount(owners[missing], minlength=count)
