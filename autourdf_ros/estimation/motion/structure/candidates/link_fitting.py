"""Fit the joint of a link that may be added to a candidate, and find the link's points."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from autourdf_ros.estimation.common.joint_fit import JointFit, fit_prismatic, fit_revolute, on_axes
from autourdf_ros.estimation.motion.fitting.adjustment import MatchSchedule, adjust
from autourdf_ros.estimation.motion.fitting.articulation import Articulation
from autourdf_ros.estimation.motion.fitting.frame_fit import ArticulatedSurface, BasePrior, States
from autourdf_ros.estimation.motion.fitting.surface import LabelledSurface
from autourdf_ros.estimation.motion.registration.body_registration import refit_bodies
from autourdf_ros.estimation.motion.registration.frame_set import GATE, FrameSet
from autourdf_ros.estimation.motion.registration.point_costs import distance_costs
from autourdf_ros.estimation.motion.segmentation.labelling import smooth_labels
from autourdf_ros.estimation.motion.structure.candidates.posed_candidate import CandidateLink
from autourdf_ros.geometry.arrays import Array
from autourdf_ros.geometry.point_cloud import Cloud
from autourdf_ros.geometry.rigid_motion import exp_se3, inverse, log_se3, transform
from autourdf_ros.parallel import on_all_cores

STEPS = 6  # of following a patch into the next frame
WIDTHS = (1.0, 0.35)  # point spacings, of the kernel that a joint is adjusted with
TURN_BONUS = 1.1  # a joint that turns must save more than one that slides: it has more unknowns


@dataclass(frozen=True)
class ParentMotion:
    """How the parent of a link that is to be found moves.

    Attributes:
        link: number of the parent.
        poses: (F, 4, 4) of it.
        costs: (N,) of every reference point without the link (`point_costs`).
    """

    link: int
    poses: Array
    costs: Array


def fit_link(frames: FrameSet, parent: ParentMotion, patch: NDArray[np.int64]) -> CandidateLink:
    """Fit the joint of a patch of points (K,) on a parent, of the likelier type.

    The patch is tracked by itself through every sequence first, from where the parent moves it.
    """

    def tracked(numbers: NDArray[np.int64]) -> tuple[Array, Array]:
        return track_patch(frames, patch, numbers, parent.poses[numbers])

    motion = np.tile(np.eye(4), (len(parent.poses), 1, 1))
    metric = np.zeros((len(parent.poses), 6, 6))
    each = on_all_cores(tracked, frames.sequences)
    for numbers, found in zip(frames.sequences, each, strict=True):
        motion[numbers], metric[numbers] = found
    links = []
    for fit in (fit_revolute, fit_prismatic):
        joint: JointFit = fit(motion[:, None], metric[:, None])
        link = CandidateLink(
            parent.link,
            patch,
            joint.twists[0],
            joint.type == "revolute",
            joint.values[:, 0],
            float(joint.costs[0]) / frames.noise**2 / len(parent.poses),
            0.0,
        )
        links.append(adjust_link(frames, parent, link))
    turning, sliding = links
    return turning if turning.gain > TURN_BONUS * sliding.gain else sliding


def track_patch(
    frames: FrameSet, patch: NDArray[np.int64], numbers: NDArray[np.int64], poses: Array
) -> tuple[Array, Array]:
    """Track a patch by itself through one sequence.

    Each frame starts from the one before it, at its speed and at none.

    Args:
        frames: the reference and all frames.
        patch: (K,) numbers of its reference points.
        numbers: (F,) numbers of the sequence's frames.
        poses: (F, 4, 4) of the parent in them.

    Returns:
        Motions (F, 4, 4) relative to the parent, and their metrics (F, 6, 6).
    """
    reference = frames.reference
    points, normals = reference.points[patch], reference.normals[patch]
    labels = np.full(len(reference.points), -1)
    labels[patch] = 0
    motion, step = np.eye(4), np.eye(4)
    motions, metrics = [], []
    for number, pose in zip(numbers, poses, strict=True):
        frame, fits = frames.frames[number], []
        for start in (motion @ step, motion):
            fitted = refit_bodies(
                reference,
                labels,
                [frame],
                (pose @ start)[None, None],
                gate=GATE * reference.spacing,
                iterations=STEPS,
            )
            moved = fitted.poses[0, 0]
            costs = distance_costs(
                frame, transform(moved, points), normals @ moved[:3, :3].T, frames.noise
            )
            fits.append((costs.sum(), moved, fitted.information[0, 0]))
        _, moved, metric = min(fits, key=lambda fit: fit[0])
        before, motion = motion, inverse(pose) @ moved
        # Anew from its twist: a product of products doubles what rounding did to its rotation in
        # every frame, which after forty frames is all that is left of it.
        step = exp_se3(log_se3(inverse(before) @ motion))
        motions.append(motion)
        metrics.append(metric)
    return np.array(motions), np.array(metrics)


def adjust_link(
    frames: FrameSet, parent: ParentMotion, link: CandidateLink, expected: Array | None = None
) -> CandidateLink:
    """Adjust a link's joint to its points in all F frames, and compute what it gains them.

    Args:
        frames: the reference and the frames.
        parent: how the link's parent moves.
        link: the link.
        expected: (F,) joint values by a motor's readings, where it is known which.
    """
    reference, members = frames.reference, link.members
    points = reference.points[members]
    twist, revolute = link.twist[None], np.array([link.revolute])
    joint = Articulation(
        np.zeros(1, dtype=np.int64),
        twist,
        revolute,
        on_axes(twist, points.mean(axis=0)[None], revolute),
    )
    surface = LabelledSurface(
        points,
        reference.normals[members],
        reference.flatness[members],
        np.ones(len(members), dtype=np.int64),
        np.ones(len(members)),
    )
    start, end = np.array(WIDTHS) * reference.spacing
    kernels = np.concatenate([np.geomspace(start, end, 4), np.full(4, end)])
    adjusted = adjust(
        ArticulatedSurface(joint, surface, BasePrior(0.0, 0.0), frames.noise),
        frames.frames,
        States(link.values[:, None], parent.poses),
        MatchSchedule(3 * reference.spacing, kernels, "forward"),
        expected=None if expected is None else expected[:, None],
    )
    better = replace(
        link, twist=adjusted.model.twists[0], values=adjusted.states.values[:, 0], gain=0.0
    )
    left = mean_costs(frames, parent.poses @ joint_motions(better), members)
    return replace(better, gain=float((parent.costs[members] - left).sum()))


def joint_motions(link: CandidateLink) -> Array:
    """Return the motions (F, 4, 4) of a link on its parent."""
    return exp_se3(link.twist * link.values[:, None])


def mean_costs(frames: FrameSet, poses: Array, members: NDArray[np.int64]) -> Array:
    """Return mean costs (K,) of reference points (K,) if poses (F, 4, 4) moved them."""
    return np.asarray(frame_costs(frames, poses, members).mean(axis=0))


def frame_costs(frames: FrameSet, poses: Array, members: NDArray[np.int64]) -> Array:
    """Return costs (F, K) of reference points (K,) if poses (F, 4, 4) moved them."""
    points, normals = frames.reference.points[members], frames.reference.normals[members]

    def costs(frame: Cloud, pose: Array) -> Array:
        return distance_costs(
            frame, transform(pose, points), normals @ pose[:3, :3].T, frames.noise
        )

    return np.array(on_all_cores(costs, frames.frames, poses))


def explained_points(
    frames: FrameSet, parent: ParentMotion, within: NDArray[np.bool_], link: CandidateLink
) -> NDArray[np.int64]:
    """Return the points that a link explains better than what they belong to.

    Args:
        frames: the reference and F frames.
        parent: how the link's parent moves.
        within: (N,) points within reach of the link.
        link: the link.
    """
    near = np.flatnonzero(within)
    choices = np.full((len(parent.costs), 2), np.inf)
    choices[:, 0] = parent.costs
    choices[near, 1] = mean_costs(frames, parent.poses @ joint_motions(link), near)
    return np.flatnonzero(smooth_labels(choices, frames.neighbours) == 1)
