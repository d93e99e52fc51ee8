"""Refine the cameras' poses: where they see the same surface, their clouds must coincide.

Robust point-to-plane Gauss-Newton over all pairs of cameras and all frames at once. The first
camera is held. Unlike `motion.registration.camera_alignment`, which corrects by millimetres what a
reconstruction uses, poses may be centimetres and degrees off, and the result has an uncertainty.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from autourdf_ros.estimation.common.surface_matching import match
from autourdf_ros.estimation.extrinsics.camera_views import CameraViews
from autourdf_ros.geometry.arrays import Array
from autourdf_ros.geometry.point_cloud import Cloud
from autourdf_ros.geometry.rigid_motion import exp_se3, inverse, log_se3, transform
from autourdf_ros.parallel import on_all_cores

ITERATIONS = 16
LAST_ITERATIONS = 10  # at the last gate, at most
CONVERGED = 1e-6  # rad or m
LAST_GATE = 2.0  # point spacings
COUNTED = 0.3  # weight from which on a match is one of a common surface
LEAST_MATCHES = 50  # of two cameras in a frame
PATCH = 50  # matches whose errors are one, by the errors of five simulated cells


@dataclass(frozen=True)
class Alignment:
    """Refined poses of C cameras.

    Attributes:
        poses: (C, 4, 4) in the fixed frame.
        covariance: (6 C, 6 C) of small motions (turn in rad, shift in m) of the cameras about
            `centre`, in the fixed frame; zero of the first.
        centre: (3,).
        noise: robust standard deviation (m) of a point from the plane that another camera saw.
        matches: (C, C) symmetric, points in all frames that two cameras saw of one surface.
        gate: the last one (m).
    """

    poses: Array
    covariance: Array
    centre: Array
    noise: float
    matches: NDArray[np.int64]
    gate: float


@dataclass(frozen=True)
class _Equations:
    """Normal equations of one frame, not divided by the noise.

    distances: (M,) of counted matches. matches: (C, C) number of them, by source and target.
    """

    information: Array
    gradient: Array
    distances: Array
    matches: NDArray[np.int64]


def align(views: CameraViews, poses: Array, prior: Array, gate: float) -> Alignment:
    """Refine the cameras' poses.

    Args:
        views: what the C cameras saw.
        poses: (C, 4, 4) in the fixed frame, to start from.
        prior: (6 C, 6 C) information of a small motion of the cameras about `scene_centre` (rad,
            m), which holds them where nothing determines it.
        gate: distance (m) at first up to which points may be of one surface; it narrows to two
            point spacings.
    """
    centre, count = scene_centre(views, poses), views.count
    start = poses
    spacing = float(np.median([cloud.spacing for _, cloud in _all(views)]))
    last = min(LAST_GATE * spacing, gate)
    noise = gate
    for number in range(ITERATIONS + LAST_ITERATIONS):
        here = max(gate * (last / gate) ** (number / (ITERATIONS - 1)), last)
        frames = equations(views, poses, centre, here)
        noise = noise_of(frames, here)
        information = sum((one.information for one in frames), np.zeros_like(prior))
        gradient = sum((one.gradient for one in frames), np.zeros(len(prior)))
        back = motion_between(poses, start, centre).ravel()
        steps = _solve(information / noise**2 + prior, gradient / noise**2 + prior @ back)
        poses = exp_se3(about(centre, steps.reshape(count, 6))) @ poses
        if number >= ITERATIONS and np.abs(steps).max() < CONVERGED:
            break
    frames = equations(views, poses, centre, last)
    noise = noise_of(frames, last)
    covariance = _covariance(frames, prior, noise)
    matches = np.sum([one.matches for one in frames], axis=0)
    return Alignment(poses, covariance, centre, noise, matches + matches.T, last)


def scene_centre(views: CameraViews, poses: Array) -> Array:
    """Return the mean (3,) of all that was seen, in the fixed frame."""
    return np.mean([transform(poses[c], cloud.points).mean(axis=0) for c, cloud in _all(views)], 0)


def scene_size(views: CameraViews) -> float:
    """Return the diagonal (m) of the box around what one camera sees, the median of all views."""
    return float(np.median([np.linalg.norm(np.ptp(c.points, axis=0)) for _, c in _all(views)]))


def about(centre: Array, twists: Array) -> Array:
    """Return twists (..., 6) about `centre` (3,) as twists about the origin."""
    turned = np.cross(centre, twists[..., :3])
    return np.concatenate([twists[..., :3], twists[..., 3:] + turned], axis=-1)


def motion_between(poses: Array, others: Array, centre: Array) -> Array:
    """Return twists (C, 6) about `centre` that move poses (C, 4, 4) onto others, to first order."""
    return about(-centre, log_se3(others @ inverse(poses)))


def equations(views: CameraViews, poses: Array, centre: Array, gate: float) -> list[_Equations]:
    """Return every frame's normal equations of the cameras' small motions about `centre`."""
    return on_all_cores(lambda clouds: _frame_equations(clouds, poses, centre, gate), views.clouds)


def noise_of(frames: list[_Equations], gate: float) -> float:
    """Return the robust standard deviation (m) of the distances of what counts as matched."""
    distances = np.concatenate([one.distances for one in frames])
    return float(1.4826 * np.median(np.abs(distances))) if len(distances) else gate


def _all(views: CameraViews) -> list[tuple[int, Cloud]]:
    return [(c, cloud) for frame in views.clouds for c, cloud in enumerate(frame) if cloud]


def _frame_equations(
    clouds: tuple[Cloud | None, ...], poses: Array, centre: Array, gate: float
) -> _Equations:
    count = len(clouds)
    information, gradient = np.zeros((count, 6, count, 6)), np.zeros((count, 6))
    matches = np.zeros((count, count), np.int64)
    distances = []
    for a, source in enumerate(clouds):
        for b, target in enumerate(clouds):
            if a == b or source is None or target is None:
                continue
            found = _pair(source, target, inverse(poses[b]) @ poses[a], gate)
            if found is None:
                continue
            moved, normals, offsets, weights = found
            points = transform(poses[b], moved) - centre
            planes = normals @ poses[b][:3, :3].T
            rows = np.concatenate([np.cross(points, planes), planes], axis=1)
            weighted = rows * weights[:, None]
            block, pull = weighted.T @ rows, weighted.T @ offsets
            information[a, :, a] += block
            information[b, :, b] += block
            information[a, :, b] -= block
            information[b, :, a] -= block
            gradient[a] += pull
            gradient[b] -= pull
            counted = weights > COUNTED
            distances.append(offsets[counted])
            matches[a, b] += int(counted.sum())
    return _Equations(
        information.reshape(6 * count, 6 * count),
        gradient.ravel(),
        np.concatenate([np.zeros(0), *distances]),
        matches,
    )


def _pair(
    source: Cloud, target: Cloud, relative: Array, gate: float
) -> tuple[Array, Array, Array, Array] | None:
    """Points of the source on planes of the target, in the target's frame.

    Points, normals, signed distances, weights; None of too few. Normals look to the camera that
    saw them: front and back of a thin link are not taken for one surface.
    """
    moved = transform(relative, source.points)
    turned = source.normals @ relative[:3, :3].T
    found = match(
        moved, turned, source.flatness, target, gate=gate, kernel=gate / 2, directions="forward"
    )
    alike = np.einsum("mi,mi->m", turned[found.source], found.normals) > 0
    if alike.sum() < LEAST_MATCHES:
        return None
    return found.moved[alike], found.normals[alike], found.distances[alike], found.weights[alike]


def _solve(information: Array, gradient: Array) -> Array:
    """Twists (6 C,) of the cameras; the first stays."""
    steps = np.zeros(len(gradient))
    steps[6:] = np.linalg.solve(information[6:, 6:], gradient[6:])
    return steps


def _covariance(frames: list[_Equations], prior: Array, noise: float) -> Array:
    """Of the cameras' motions: by how far the frames pull apart, and by what they have in common.

    The former as White (Econometrica 48, 1980). But much is wrong alike in all frames, in which
    neighbouring points see the same edges at the same slant: as if there were one frame only, and a
    point of it for every `PATCH`.
    """
    information = sum((one.information for one in frames), np.zeros_like(prior)) / noise**2
    pulls = np.stack([one.gradient for one in frames])[:, 6:] / noise**2
    pulls = pulls - pulls.mean(axis=0)
    apart = pulls.T @ pulls * len(pulls) / max(len(pulls) - 1, 1)
    inverted = np.linalg.inv((information + prior)[6:, 6:])
    common = information[6:, 6:] * len(frames) * PATCH + prior[6:, 6:]
    covariance = np.zeros_like(prior)
    covariance[6:, 6:] = inverted @ (apart + common) @ inverted
    return covariance
