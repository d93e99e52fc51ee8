"""Pose tracks of mechanisms that are known, with errors as a tracker makes them.

A mechanism is a list of bodies, each with a joint to an earlier one or to the world. Bodies'
frames stand anywhere on them; noise is 0.5 mm and 0.1 degrees unless said otherwise, and a
capsule's spin is unknown.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from autourdf_ros.estimation.video.joints.fitting.lower_pairs import PAIRS, PairType
from autourdf_ros.estimation.video.pose_track import BodySymmetry, PoseTrack
from autourdf_ros.geometry.rigid_motion import exp_se3, inverse, moved_about, transform

Z = np.array([0.0, 0.0, 1.0])
NO_SYMMETRY = BodySymmetry("none", np.zeros(3), Z, np.eye(3)[None])
CAPSULE = BodySymmetry("axial", np.zeros(3), Z, np.array([np.eye(3), np.diag([1.0, -1.0, -1.0])]))
SPIN_VARIANCE = np.pi**2 / 3  # of a turn of which nothing is known


@dataclass(frozen=True)
class TrueJoint:
    """A joint of a known mechanism.

    Attributes:
        body: Name of the body that it moves.
        parent: Name of the body that it hangs on, or "world".
        kind: Type.
        frame: (4, 4) pose in the parent's frame.
        placement: (4, 4) pose of the body in the joint's frame, at zero.
        values: (T, D) coordinates of the twist along the type's `moves`.
        symmetry: Of the body.
    """

    body: str
    parent: str
    kind: PairType
    frame: np.ndarray
    placement: np.ndarray
    values: np.ndarray
    symmetry: BodySymmetry = NO_SYMMETRY


@dataclass(frozen=True)
class TrackNoise:
    """Errors of a tracker.

    Attributes:
        turn: Standard deviation of rotations (rad).
        shift: Of positions (m).
        correlation: Of errors from frame to frame.
        outliers: Share of frames with errors of `outlier` standard deviations.
        gaps: Share of frames that are not seen, in runs.
        factor: Of true errors against stated ones.
        outlier: See `outliers`.
    """

    turn: float = np.radians(0.1)
    shift: float = 0.0005
    correlation: float = 0.0
    outliers: float = 0.0
    gaps: float = 0.0
    factor: float = 1.0
    outlier: float = 30.0


@dataclass(frozen=True)
class TrueMechanism:
    """A known mechanism: joints in an order in which parents come first."""

    joints: tuple[TrueJoint, ...]
    rate: float = 60.0
    poses: dict[str, np.ndarray] = field(default_factory=dict)

    def __post_init__(self) -> None:
        count = len(self.joints[0].values)
        self.poses["world"] = np.tile(np.eye(4), (count, 1, 1))
        for joint in self.joints:
            twists = np.zeros((count, 6))
            twists[:, list(PAIRS[joint.kind].moves)] = joint.values
            motion = exp_se3(twists)
            if joint.kind == "free":
                motion[:, :3, 3] = twists[:, 3:]
            self.poses[joint.body] = (
                self.poses[joint.parent] @ joint.frame @ motion @ joint.placement
            )


def observed_track(mechanism: TrueMechanism, rng: np.random.Generator, noise: TrackNoise):
    """Return the `PoseTrack` of a mechanism."""
    tracks = [_observed(mechanism.poses[j.body], j.symmetry, rng, noise) for j in mechanism.joints]
    count = len(mechanism.joints[0].values)
    return PoseTrack(
        tuple(joint.body for joint in mechanism.joints),
        np.arange(count) / mechanism.rate,
        np.array([poses for poses, _ in tracks]),
        np.array([covariances for _, covariances in tracks]),
        np.zeros((len(tracks), 3)),
        tuple(joint.symmetry for joint in mechanism.joints),
    )


def _observed(poses, symmetry, rng, noise):
    count = len(poses)
    stated = np.repeat([noise.turn, noise.shift], 3)
    errors = np.empty((count, 6))
    fresh = rng.normal(size=(count, 6)) * stated * noise.factor
    errors[0] = fresh[0]
    for frame in range(1, count):
        kept = noise.correlation
        errors[frame] = kept * errors[frame - 1] + np.sqrt(1 - kept**2) * fresh[frame]
    wild = rng.random(count) < noise.outliers
    errors[wild] += rng.normal(size=(wild.sum(), 6)) * stated * noise.outlier
    seen = moved_about(poses[:, :3, 3].copy(), errors, poses)
    covariances = np.tile(np.diag(stated**2), (count, 1, 1))
    if symmetry.kind == "axial":
        axes = poses[:, :3, :3] @ symmetry.axis
        covariances[:, :3, :3] += SPIN_VARIANCE * axes[:, :, None] * axes[:, None, :]
        spins = np.cumsum(rng.normal(size=count) * 0.05) + rng.uniform(0, 2 * np.pi)
        twists = np.hstack([np.outer(spins, symmetry.axis), np.zeros((count, 3))])
        seen = seen @ exp_se3(twists)
    hidden = np.zeros(count, bool)
    while hidden.mean() < noise.gaps:
        start = rng.integers(1, count)
        hidden[start : start + rng.integers(3, 15)] = True
    seen[hidden], covariances[hidden] = np.nan, np.nan
    return seen, covariances


def joint_line_errors(joint: TrueJoint, frame: np.ndarray) -> tuple[float, float]:
    """Return how far a joint's frame (4, 4), in the parent, is off: degrees and metres.

    The axis or normal, and the pivot across it; of a spherical joint the pivot alone.
    """
    axis, point = joint.frame[:3, 2], joint.frame[:3, 3]
    angle = np.degrees(
        np.arctan2(np.linalg.norm(np.cross(axis, frame[:3, 2])), abs(axis @ frame[:3, 2]))
    )
    away = frame[:3, 3] - point
    if joint.kind == "spherical":
        return 0.0, float(np.linalg.norm(away))
    across = away - (away @ axis) * axis
    turns = joint.kind in ("revolute", "cylindrical")
    return float(angle), float(np.linalg.norm(across)) if turns else 0.0


def relative_poses(mechanism: TrueMechanism, parent: str, child: str) -> np.ndarray:
    """Return the poses (T, 4, 4) of a body in another's frame."""
    return inverse(mechanism.poses[parent]) @ mechanism.poses[child]


def pivot_in_world(mechanism: TrueMechanism, joint: TrueJoint) -> np.ndarray:
    """Return where a joint is (T, 3) in the world."""
    return transform(mechanism.poses[joint.parent], joint.frame[:3, 3])
