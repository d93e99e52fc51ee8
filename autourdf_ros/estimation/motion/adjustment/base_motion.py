"""Classify how the base moved: not at all, with whole frames that are off, or as one that floats.

The base of a robot that moves goes on in the next frame from where it was in the last one; errors
of the cameras' poses do not. Von Neumann's ratio of the mean square successive difference to the
variance (Annals of Mathematical Statistics 12, 1941), here over twice that, separates them: it is 1
on average for what is independent from frame to frame and 3 / (n + 1) for a random walk of n.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from autourdf_ros.estimation.common.joint_fit import fit_prismatic, fit_revolute
from autourdf_ros.estimation.motion.reconstruction import BaseMotion
from autourdf_ros.estimation.motion.segmentation.root_body import RootMotion
from autourdf_ros.geometry.arrays import Array
from autourdf_ros.geometry.rigid_motion import log_se3, log_so3, skew, transform
from autourdf_ros.model.layers.kinematics import BaseKind

SMOOTH = 0.6  # von Neumann ratio, halved, below which one frame's base goes on from the last one's
LEAST_STEPS = 8  # between frames, to determine that
LEAST_FRAMES = 6  # to determine whether a base moves by one joint only, which few poses always do


def base_motion(moves: RootMotion, sequences: Sequence[Array], points: Array) -> BaseMotion:
    """Classify the base's motion.

    Args:
        moves: how the root was seen to move.
        sequences: poses (F, 4, 4) from the reference in each of them, of inlier frames in their
            order.
        points: (N, 3) of the root link, in the reference frame.
    """
    if moves == "still" or not len(points):
        return BaseMotion("fixed")
    poses = np.concatenate(sequences)
    middle = points.mean(axis=0)
    turns = log_so3(poses[:, :3, :3])
    shifts = transform(poses, middle) - middle
    smoothness = _smoothness([_tracks(own, points) for own in sequences])
    floating = moves == "turns" if smoothness is None else smoothness < SMOOTH
    kind: BaseKind = "floating" if floating else "shifting frames"
    return BaseMotion(
        kind,
        float(np.sqrt((turns**2).sum(axis=1).mean())),
        float(np.sqrt((shifts**2).sum(axis=1).mean())),
        smoothness,
        _beside_one_joint(poses, points) if len(poses) >= LEAST_FRAMES else None,
    )


def _tracks(poses: Array, points: Array) -> Array:
    """Displacements (F, 12) of four points that move as far as all (N, 3) do."""
    middle, size = points.mean(axis=0), points.std(axis=0)
    corners = middle + np.vstack([np.zeros(3), np.diag(size)])
    moved = transform(poses[:, None], corners) - corners
    return np.asarray(moved.reshape(len(poses), -1))


def _smoothness(tracks: Sequence[Array]) -> float | None:
    """Von Neumann's ratio, halved, of the sequences (F, D) together; None where they are short."""
    long = [track for track in tracks if len(track) > 2]
    if sum(len(track) - 1 for track in long) < LEAST_STEPS:
        return None
    steps = [(np.diff(track, axis=0) ** 2).sum(axis=1).mean() for track in long]
    spreads = [track.var(axis=0, ddof=1).sum() for track in long]
    return float(np.sum(steps) / max(2 * np.sum(spreads), 1e-30))


def _beside_one_joint(poses: Array, points: Array) -> float:
    """Share of the points' squared displacements that no single joint explains."""
    rows = np.concatenate([-skew(points), np.broadcast_to(np.eye(3), (len(points), 3, 3))], axis=2)
    metric = np.einsum("nki,nkj->ij", rows, rows) / len(points)
    metrics = np.tile(metric, (len(poses), 1, 1, 1))
    moved = log_se3(poses)
    total = float(np.einsum("fi,ij,fj->", moved, metric, moved))
    fits = [fit(poses[:, None], metrics) for fit in (fit_revolute, fit_prismatic)]
    return min(float(fit.costs[0]) for fit in fits) / max(total, 1e-30)
