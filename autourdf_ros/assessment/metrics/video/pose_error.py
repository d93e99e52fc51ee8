"""Errors of tracked poses, modulo the symmetries of the bodies."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.stats import chi2

from autourdf_ros.errors import InputError
from autourdf_ros.estimation.video.pose_track import PoseTrack
from autourdf_ros.estimation.video.symmetry.equivalent_poses import free_turns, nearest_equivalent
from autourdf_ros.geometry.arrays import Array
from autourdf_ros.geometry.rigid_motion import log_so3

TWO_SIGMA = 0.9545
"""Probability that a normal variable is within two standard deviations."""


@dataclass(frozen=True)
class PoseErrors:
    """Errors of the poses that were seen.

    Attributes:
        shifts: (N, 3) estimated minus true position of the bodies' frames (m), world axes.
        turns: (N, 3) rotation vectors from the true to the estimated rotation (rad), world axes;
            of all rotations that look the same, those from the nearest.
        seen: Share of the frames and bodies that were seen.
        coverage: Share of all errors' observable components, in the principal directions of their
            covariances, that are within two standard deviations: 0.95 where these are right.
        covered_sets: Share of the poses whose observable error lies within the 95 % ellipsoid.
    """

    shifts: Array
    turns: Array
    seen: float
    coverage: float
    covered_sets: float

    @property
    def position(self) -> float:
        """Mean absolute error of a coordinate (m)."""
        return float(np.abs(self.shifts).mean())

    @property
    def angle(self) -> float:
        """Mean absolute error of a component of the rotation vectors (rad)."""
        return float(np.abs(self.turns).mean())

    @property
    def both(self) -> float:
        """Mean over both, metres and radians mixed, as Heiden et al. (2022) state it."""
        return (self.position + self.angle) / 2


def pose_errors(track: PoseTrack, truth: Array) -> PoseErrors:
    """Compare a track with the true poses.

    Args:
        track: B bodies in T frames.
        truth: (B, T, 4, 4) in the world.

    Raises:
        InputError: the shapes differ, or nothing was seen.
    """
    if track.poses.shape != truth.shape:
        raise InputError(
            f"true poses are {truth.shape}; accepted is the track's {track.poses.shape}"
        )
    if not track.seen.any():
        raise InputError("track: no body was seen; accepted is at least one pose")
    rows = [_errors(track, body, frame, truth) for body, frame in np.argwhere(track.seen)]
    scores = [_scores(track, row) for row in rows]
    squares = np.concatenate(scores)
    sets = [score.sum() <= chi2.ppf(0.95, len(score)) for score in scores if len(score)]
    return PoseErrors(
        np.array([row.shift for row in rows]),
        np.array([row.turn for row in rows]),
        float(track.seen.mean()),
        float((squares <= 4.0).mean()),
        float(np.mean(sets)),
    )


@dataclass(frozen=True)
class _Row:
    body: int
    frame: int
    shift: Array
    turn: Array
    centre_shift: Array
    rotation: Array


def _errors(track: PoseTrack, body: int, frame: int, truth: Array) -> _Row:
    true, pose = truth[body, frame], track.poses[body, frame]
    pose = nearest_equivalent(track.symmetries[body], pose, true)
    turn = log_so3(pose[:3, :3] @ true[:3, :3].T)
    centre = track.centres[body]
    moved = (pose - true)[:3, :3] @ centre + (pose - true)[:3, 3]
    return _Row(body, frame, (pose - true)[:3, 3], turn, moved, pose[:3, :3])


def _scores(track: PoseTrack, row: _Row) -> Array:
    """Return squared errors over variances (K,) in principal directions, without free turns."""
    covariance = track.covariances[row.body, row.frame]
    free = free_turns(track.symmetries[row.body], row.rotation)
    kept = np.eye(6)
    if len(free):
        turns = np.linalg.svd(free)[2][len(free) :]
        kept = np.zeros((3 + len(turns), 6))
        kept[: len(turns), :3], kept[len(turns) :, 3:] = turns, np.eye(3)
    scales = np.sqrt(np.diag(kept @ covariance @ kept.T))  # rad and m have no common scale
    values, vectors = np.linalg.eigh(kept @ covariance @ kept.T / np.outer(scales, scales))
    error = kept @ np.concatenate([row.turn, row.centre_shift]) / scales
    return np.asarray((vectors.T @ error) ** 2 / np.maximum(values, 1e-12))
