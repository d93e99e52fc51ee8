"""Joints of two bodies by random samples of consecutive frames, as Heiden et al. (2022) do it.

Revolute, prismatic and static joints of section III-C. A model of two consecutive transforms is
judged by the poses that it predicts in all frames; the one that most frames agree with wins.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from autourdf_ros.estimation.common.joint_fit import across_basis
from autourdf_ros.estimation.video.joints.fitting.fitted_mechanism import Edge
from autourdf_ros.estimation.video.joints.fitting.joint_starts import nearest_motions
from autourdf_ros.estimation.video.joints.fitting.lower_pairs import PairType
from autourdf_ros.estimation.video.joints.joints_options import RansacOptions
from autourdf_ros.geometry.arrays import Array
from autourdf_ros.geometry.rigid_motion import cross, inverse, log_so3

STEP = 0.5  # of the tolerance, that a body moves at least between the frames of a sample
KINDS: tuple[PairType, ...] = ("fixed", "revolute", "prismatic")


@dataclass(frozen=True)
class PoseTolerance:
    """Errors up to which poses agree: `turn` (rad) and `shift` (m)."""

    turn: float
    shift: float


@dataclass(frozen=True)
class SampledJoint:
    """The best joint of one type.

    Attributes:
        edge: The joint, in all given frames.
        cost: Mean error of the frames that agree, in units of the tolerance.
        inliers: Share of the frames that agree.
    """

    edge: Edge
    cost: float
    inliers: float


def sampled_joint(
    relative: Array,
    ends: NDArray[np.int64],
    tolerance: PoseTolerance,
    rng: np.random.Generator,
    options: RansacOptions,
) -> SampledJoint | None:
    """Return the joint of least error of all types, or None where no type has a candidate.

    Args:
        relative: (N, 4, 4) poses of the child in the parent.
        ends: (N,) number of the frame that follows in a sample, -1 where there is none.
        tolerance: Errors of a frame that agrees.
        rng: Draws the samples.
        options: Number of samples and share of inliers.
    """
    found = []
    for kind in KINDS:
        best = _best_of_type(kind, relative, ends, tolerance, rng, options)
        if best is not None and best.inliers >= options.least_inliers:
            found.append(best)
    return min(found, key=lambda one: one.cost) if found else None


def _best_of_type(
    kind: PairType,
    relative: Array,
    ends: NDArray[np.int64],
    tolerance: PoseTolerance,
    rng: np.random.Generator,
    options: RansacOptions,
) -> SampledJoint | None:
    """The model of the most inliers, at equality the one of the least error.

    Frames between which a body hardly moves show no axis: they are no samples.
    """
    choices = _samples(kind, relative, ends, tolerance)
    if not len(choices):
        return None
    best: SampledJoint | None = None
    for start in rng.choice(choices, options.samples):
        edge = joint_of_sample(kind, relative, int(start), int(ends[start]))
        errors = _errors(edge, relative, tolerance)
        agree = errors <= 1.0
        cost = float(errors[agree].mean()) if agree.any() else np.inf
        tried = SampledJoint(edge, cost, float(agree.mean()))
        if best is None or (tried.inliers, -tried.cost) > (best.inliers, -best.cost):
            best = tried
    return best


def _samples(
    kind: PairType, relative: Array, ends: NDArray[np.int64], tolerance: PoseTolerance
) -> NDArray[np.int64]:
    """Numbers of the frames that a sample may start with."""
    if kind == "fixed":
        return np.arange(len(relative))
    starts = np.flatnonzero(ends >= 0)
    first, second = relative[starts], relative[ends[starts]]
    if kind == "revolute":
        turns = log_so3(np.swapaxes(first[:, :3, :3], 1, 2) @ second[:, :3, :3])
        return starts[np.linalg.norm(turns, axis=1) > tolerance.turn * STEP]
    shifts = second[:, :3, 3] - first[:, :3, 3]
    return starts[np.linalg.norm(shifts, axis=1) > tolerance.shift * STEP]


def joint_of_sample(kind: PairType, relative: Array, start: int, end: int) -> Edge:
    """Return the joint that moves a body from one frame to another, as the paper has it.

    Revolute: s = dr / |dr| and pivot p + dr x dp / |dr|^2; prismatic: s = dp / |dp|; dp
    is the difference of positions. dr is the rotation vector from one to the other; the paper has
    the difference of rotation vectors, which is the same where the axis is that of the rotation
    at rest, and no axis at all elsewhere.

    Args:
        kind: Of `KINDS`.
        relative: (N, 4, 4) poses of the child in the parent.
        start: Number of the first of the two.
        end: Number of the second.
    """
    home = relative[start]
    frame = np.eye(4)
    if kind != "fixed":
        pair = relative[[start, end]]
        turn = log_so3(pair[1:, :3, :3] @ pair[0, :3, :3].T)[0]
        shift = np.diff(pair[:, :3, 3], axis=0)[0]
        way = turn if kind == "revolute" else shift
        axis = way / max(float(np.linalg.norm(way)), 1e-12)
        frame[:3, :3] = np.column_stack([*across_basis(axis), axis])
        frame[:3, 3] = home[:3, 3]
        if kind == "revolute":
            frame[:3, 3] += cross(turn, shift) / max(float(turn @ turn), 1e-18)
    placement = inverse(frame) @ home
    motions = nearest_motions(kind, inverse(frame) @ relative @ inverse(placement))
    return Edge(-1, 0, kind, frame, placement, motions)


def _errors(edge: Edge, relative: Array, tolerance: PoseTolerance) -> Array:
    """Errors (N,) of all frames in units of the tolerance."""
    wanted = edge.frame @ edge.motions @ edge.placement
    turned = log_so3(np.swapaxes(wanted[:, :3, :3], 1, 2) @ relative[:, :3, :3])
    shifted = wanted[:, :3, 3] - relative[:, :3, 3]
    return np.maximum(
        np.linalg.norm(turned, axis=1) / tolerance.turn,
        np.linalg.norm(shifted, axis=1) / tolerance.shift,
    )
