"""Correct the cameras' extrinsics from what they see together, over all frames of a recording.

The cloud of every camera may be off by millimetres and tenths of a degree; where cameras see the
same surface at the same moment, their clouds must coincide. One small rigid correction a camera is
found by robust point-to-plane Gauss-Newton over all pairs of cameras and all frames at once.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import permutations

import numpy as np

from autourdf_ros.estimation.common.surface_matching import match
from autourdf_ros.geometry.arrays import Array
from autourdf_ros.geometry.point_cloud import Cloud
from autourdf_ros.geometry.rigid_motion import exp_se3, log_so3, transform

ITERATIONS = 10
GATES = (0.04, 0.015)  # of the robot's size, from the first to the last iteration
LEAST_MATCHES = 200
TURN, SHIFT = np.radians(1.0), 0.01  # prior deviation of the calibration: rad, robot sizes


@dataclass(frozen=True)
class CameraAlignment:
    """How the points of every camera are to be moved.

    Attributes:
        corrections: (C, 4, 4). Their mean is the identity: no camera is known to be right.
        covariances: (C, 6, 6) of each correction's rotation vector and shift. They are measured by
            how the frames disagree (the sandwich estimator, with a frame as a cluster), so what is
            wrong alike in all frames is not in them.
    """

    corrections: Array
    covariances: Array

    @property
    def common_stds(self) -> tuple[float, float]:
        """Standard deviations, a component, of what all cameras are off by together.

        Rotation vector and shift of the mean of C independent errors, as large as the corrections
        are: their variance over C.
        """
        count = len(self.corrections)
        turns = log_so3(self.corrections[:, :3, :3])
        shifts = self.corrections[:, :3, 3]
        turn, shift = (
            float(np.sqrt((each**2).sum() / 3 / (count - 1) / count)) for each in (turns, shifts)
        )
        return turn, shift


def align_cameras(
    views: Sequence[Sequence[Cloud | None]], noise: float, *, oriented: bool = False
) -> CameraAlignment:
    """Estimate the corrections to be applied to the points of every camera.

    Args:
        views: clouds by frame and camera, in engine units (robot size 1, around the origin); None
            where a camera saw too little.
        noise: standard deviation of a point along its normal.
        oriented: whether normals point to the camera, so that front and back of a thin link are
            not taken for one surface.
    """
    count = len(views[0])
    corrections = np.broadcast_to(np.eye(4), (count, 4, 4)).copy()
    own_prior = np.diag(noise**2 / np.repeat([TURN, SHIFT], 3) ** 2)
    prior: Array = np.kron(np.eye(count), own_prior).astype(np.float64)
    for gate in np.geomspace(*GATES, ITERATIONS):
        totals = [(prior, np.zeros(6 * count))]
        for frame in views:
            totals.append(_with_frame(*totals[-1], frame, corrections, gate, oriented))
        system, pull = totals[-1]
        steps = np.linalg.solve(system, pull)
        moves = steps.reshape(count, 6)
        corrections = exp_se3(moves - moves.mean(axis=0)) @ corrections
    # What each frame adds, at the solution.
    scores = np.diff([own_pull - own @ steps for own, own_pull in totals], axis=0)
    return CameraAlignment(corrections, _covariances(system, scores, noise**2 * prior))


def _covariances(system: Array, scores: Array, doubt: Array) -> Array:
    """Covariances (C, 6, 6) of corrections whose mean is the identity.

    Args:
        system: (6 C, 6 C) information of all frames.
        scores: (F, 6 C) gradient of every frame at the solution.
        doubt: (6 C, 6 C) covariance of the prior's gradient: what nothing shows is as unsure as it
            was.
    """
    frames, count = len(scores), len(system) // 6
    spread = doubt + scores.T @ scores * (frames / max(frames - 1, 1))
    centred = np.kron(np.eye(count) - 1 / count, np.eye(6))
    spread = centred @ np.linalg.solve(system, np.linalg.solve(system, spread).T) @ centred
    blocks = spread.reshape(count, 6, count, 6)
    return np.stack([blocks[camera, :, camera] for camera in range(count)])


def _with_frame(
    system: Array,
    pull: Array,
    frame: Sequence[Cloud | None],
    corrections: Array,
    gate: float,
    oriented: bool,
) -> tuple[Array, Array]:
    """Return information (6 C, 6 C) and gradient (6 C,) with what the cameras see at a moment."""
    system, pull = system.copy(), pull.copy()
    for a, b in permutations(range(len(frame)), 2):
        source, target = frame[a], frame[b]
        if source is None or target is None:
            continue
        pair = _pair_equations(source, target, corrections[[a, b]], gate, oriented)
        if pair is None:
            continue
        block, gradient = pair
        one, other = slice(6 * a, 6 * a + 6), slice(6 * b, 6 * b + 6)
        system[one, one] += block
        system[other, other] += block
        system[one, other] -= block
        system[other, one] -= block
        pull[one] += gradient
        pull[other] -= gradient
    return system, pull


def _pair_equations(
    source: Cloud, target: Cloud, corrections: Array, gate: float, oriented: bool
) -> tuple[Array, Array] | None:
    """Information (6, 6) and gradient (6,) of one camera's points on another's planes, or None.

    corrections: (2, 4, 4) of the source's and the target's camera.
    """
    own, other = corrections
    relative = np.linalg.inv(other) @ own
    moved = transform(relative, source.points)
    normals = source.normals @ relative[:3, :3].T
    matches = match(
        moved, normals, source.flatness, target, gate=gate, kernel=gate / 2, directions="forward"
    )
    facing = np.einsum("mi,mi->m", normals[matches.source], matches.normals)
    alike = facing > 0 if oriented else np.ones(len(facing), dtype=bool)
    if alike.sum() < LEAST_MATCHES:
        return None
    points = transform(other, matches.moved[alike])
    planes = matches.normals[alike] @ other[:3, :3].T
    rows = np.concatenate([np.cross(points, planes), planes], axis=1)
    weighted = rows * matches.weights[alike, None]
    return weighted.T @ rows, weighted.T @ matches.distances[alike]
