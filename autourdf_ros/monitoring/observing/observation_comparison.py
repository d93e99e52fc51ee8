"""One look against the model: how every segment is off, and what no link explains."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from autourdf_ros.data.background import Background
from autourdf_ros.geometry.arrays import group_sum
from autourdf_ros.monitoring.observing.cropping import cropped, neighbourhood
from autourdf_ros.monitoring.observing.depth_image import DepthImage, depth_image
from autourdf_ros.monitoring.observing.observation import Observation
from autourdf_ros.monitoring.observing.posed_scene import PosedScene
from autourdf_ros.monitoring.observing.surface_cells import CellSums, cell_sums
from autourdf_ros.monitoring.observing.watched_model import WatchedModel

GATE = 0.045  # m: what is farther from the model no link explains
HUBER = 0.003  # m
_FACING = 0.4  # cosine to the normal of the nearest place, below which a point tells little


@dataclass(frozen=True, eq=False)
class CroppedObservation:
    """What is left of an observation near the robot; J joints, B bodies, S segments.

    values, rates: (J,) of the joints since the reference, and per second. poses: (B, 4, 4) motions
    of the bodies. camera_pose: (4, 4). close, about: (N, 3), (M, 3) points close to the robot and
    farther about it, in the base frame (m), means of those in a voxel. number: (N,) of how many
    points each of the close ones is. seen, missing: (S,) samples of the surface that this
    camera should see, and does or sees past.
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
    """A look's points against the S segments, as sums that are all that tests need.

    information: (S, 6, 6), gradient: (S, 6): normal equations of the small twist (rad, m) by which
    a segment is seen off, about the base frame's origin with its body put back to the reference;
    every point has unit noise. squares: (S,) weighted squared distances (m²) of counts: (S,) points
    in means: (S,) of them. unexplained: (U, 3) points near the robot (base frame) that are on no
    link. cells: the same of the surface's cells.
    """

    look: CroppedObservation
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
    """Pose the model as the readings say, and keep what the camera saw near it.

    background: of the empty scene, in the base frame, which is taken away.
    """
    values = model.values(observation.readings)
    scene = PosedScene(model, model.poses(values))
    pose = observation.camera_pose
    points, number, close = cropped(observation.points, pose, neighbourhood(scene.samples))
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
    """What `take_look` keeps, compared with the model where the readings have it."""
    look = crop_observation(model, observation, background)
    return compare_displaced(model, look, np.zeros((len(model.segments), 6)))


def compare_displaced(
    model: WatchedModel,
    look: CroppedObservation,
    moved: NDArray[np.float64],
    linear: NDArray[np.float64] | None = None,
) -> Comparison:
    """Compare a look with the model, its segments put elsewhere first by twists (S, 6).

    linear: (S, 6) the same to first order in what is asked, where that is something else.

    The nearer the surface is to where it truly is, the more points find their own place on it. What
    is told are the whole distances to the model where the readings have it, all the same.
    Point-to-plane distances (Chen and Medioni 1992), robust by Huber's weights. A mean of n points
    has n times the weight of one.
    """
    scene = PosedScene(model, look.poses, moved)
    at = scene.at
    points = look.close.astype(np.float64)
    places, triangles = scene.nearest(points)
    offsets = points - places
    lengths = np.linalg.norm(offsets, axis=1)
    explained = lengths <= GATE
    owners = model.owner[triangles]
    normals = np.einsum("nij,nj->ni", at[owners, :3, :3], model.normals[triangles])
    toward = look.camera_pose[:3, 3] - places
    facing = np.einsum("ni,ni->n", toward, normals) > _FACING * np.linalg.norm(toward, axis=1)
    on = explained & facing
    distances = np.einsum("ni,ni->n", offsets[on], normals[on])
    robust = HUBER / np.maximum(np.abs(distances), HUBER)
    weights = robust * look.number[on]
    # On the model itself: one spot is in one cell, wherever its segment was put.
    own = at[owners[on]]
    spots = np.einsum("nji,nj->ni", own[:, :3, :3], places[on] - own[:, :3, 3])
    back = look.poses[model.triangle_body[triangles[on]]]
    turned = np.einsum("nji,nj->ni", back[:, :3, :3], normals[on])
    put_back = np.einsum("nji,nj->ni", back[:, :3, :3], places[on] - back[:, :3, 3])
    rows = np.concatenate([np.cross(put_back, turned), turned], axis=1)
    weighted = weights[:, None] * rows
    told = moved if linear is None else linear
    whole = distances + np.einsum("ni,ni->n", rows, told[owners[on]])
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
        look,
        sums[:, :36].reshape(-1, 6, 6),
        sums[:, 36:42],
        sums[:, 42],
        sums[:, 43],
        sums[:, 44],
        np.concatenate([look.close[~explained], look.about]),
        cell_sums(owners[on], spots, model.normals[triangles[on]], rows, whole, weights),
    )


def coverage(scene: PosedScene, image: DepthImage) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """((S,) seen, (S,) missing) samples of every segment, of those that the camera should see."""
    model = scene.model
    expected = np.flatnonzero(scene.visible(image.pose[:3, 3]))
    owners = model.owner[model.samples[1][expected]]
    seen, missing = image.look(scene.samples[expected])
    count = len(model.segments)
    return np.bincount(owners[seen], minlength=count), np.bincount(owners[missing], minlength=count)
