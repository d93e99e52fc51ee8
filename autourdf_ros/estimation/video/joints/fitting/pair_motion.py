"""How two bodies of a pose track move against each other, the world being a body like any other."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from autourdf_ros.estimation.video.joints.fitting.fitted_mechanism import MechanismFit, Observations
from autourdf_ros.estimation.video.pose_track import BodySymmetry, PoseTrack
from autourdf_ros.estimation.video.symmetry.equivalent_poses import continuous_poses, spun
from autourdf_ros.geometry.arrays import Array
from autourdf_ros.geometry.rigid_motion import adjoint, from_translation, transform

WORLD = -1
NO_SYMMETRY = BodySymmetry("none", np.zeros(3), np.array([0.0, 0.0, 1.0]), np.eye(3)[None])


@dataclass(frozen=True)
class PairMotion:
    """Two bodies in the frames in which both are seen.

    Attributes:
        parent: Number of a body, or `WORLD`.
        child: Number of a body.
        frames: (N,) numbers of the frames.
        seen: Observations of the child alone, the parent being the root; their information is
            that of both bodies' errors.
        parent_symmetry: Symmetry of the parent.
        parent_covariance: (N, 6, 6) of the parent's twists, about the child's centre.
    """

    parent: int
    child: int
    frames: np.ndarray
    seen: Observations
    parent_symmetry: BodySymmetry
    parent_covariance: Array

    def spun_parent(self, fit: MechanismFit) -> PairMotion:
        """Return the pair with the parent turned within its symmetry, as a fit's errors ask.

        The parent's most likely error is S A^T W e, S being its own covariance, W the information
        about both and e the error of the child (Gauss-Markov).
        """
        weighed = self.seen.information[0] @ _own_errors(fit)[..., None]
        twists = (self.parent_covariance @ weighed)[..., 0]
        root = spun(self.seen.root, twists[:, :3], self.parent_symmetry)
        return replace(self, seen=replace(self.seen, root=root))


def _own_errors(fit: MechanismFit) -> Array:
    """(N, 6) errors of the child, from the whitened ones."""
    values, vectors = np.linalg.eigh(fit.observations.information[0])
    scaled = fit.whitened[0] / np.sqrt(np.maximum(values, 1e-300))
    return np.asarray(np.einsum("tij,tj->ti", vectors, scaled))


def mechanism_size(track: PoseTrack) -> float:
    """Return how far the bodies' centres get from one another (m): the scale of all lengths."""
    centres = transform(track.poses, track.centres[:, None])[track.seen]
    reach = np.linalg.norm(np.ptp(centres, axis=0)) if len(centres) else 0.0
    own = np.linalg.norm(track.centres, axis=1).max(initial=0.0)
    return float(max(reach, own)) or 1.0


def pair_motion(track: PoseTrack, parent: int, child: int) -> PairMotion:
    """Return how a pair of bodies moves, in the frames in which both are seen.

    Args:
        track: Of which symmetric bodies move no more than they must (`continuous_poses`).
        parent: Number of a body, or `WORLD`.
        child: Number of a body.
    """
    frames = np.flatnonzero(track.seen[child] & (parent == WORLD or track.seen[parent]))
    poses, covariance = track.poses[child, frames], track.covariances[child, frames]
    centres = transform(poses, track.centres[child])
    if parent == WORLD:
        root, own = np.tile(np.eye(4), (len(frames), 1, 1)), np.zeros((len(frames), 6, 6))
    else:
        root = track.poses[parent, frames]
        change = adjoint(from_translation(transform(root, track.centres[parent]) - centres))
        own = change @ track.covariances[parent, frames] @ np.swapaxes(change, -1, -2)
    seen = Observations(
        root,
        poses[None],
        np.linalg.inv(covariance + own)[None],
        track.centres[child][None],
        (track.symmetries[child],),
        mechanism_size(track),
    )
    symmetry = NO_SYMMETRY if parent == WORLD else track.symmetries[parent]
    return PairMotion(parent, child, frames, seen, symmetry, own)


def all_observations(track: PoseTrack, noise: float) -> Observations:
    """Return all bodies in all frames, the world being the root.

    Args:
        track: As in `pair_motion`.
        noise: Factor of the stated standard deviations.
    """
    seen = track.seen[..., None, None]
    covariances = np.where(seen, track.covariances, np.eye(6)) * noise**2
    return Observations(
        np.tile(np.eye(4), (len(track.stamps), 1, 1)),
        np.where(seen, track.poses, np.eye(4)),
        np.where(seen, np.linalg.inv(covariances), 0.0),
        track.centres,
        track.symmetries,
        mechanism_size(track),
    )


def without_jumps(track: PoseTrack) -> PoseTrack:
    """Return the track in which symmetric bodies move no more than they must."""
    return replace(track, poses=continuous_poses(track))
