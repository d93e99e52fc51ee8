"""Hold the axis of a last link by the surface that is round about it.

A small last link, as a flange or a wrist, hardly shows its axis: its own points look alike however
it turns, and are as well explained by the link that it hangs on. But what two links explain equally
while they turn against each other is symmetric about the axis between them, and so holds the axis,
whichever of the two it is on.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from autourdf_ros.estimation.motion.fitting.adjustment import Adjustment
from autourdf_ros.estimation.motion.fitting.articulation import Articulation, body_poses
from autourdf_ros.estimation.motion.fitting.frame_fit import States
from autourdf_ros.estimation.motion.fitting.surface import LabelledSurface, surface_of
from autourdf_ros.estimation.motion.registration.frame_set import FrameSet
from autourdf_ros.estimation.motion.structure.candidate_model import CandidateModel
from autourdf_ros.estimation.motion.structure.candidates.link_fitting import frame_costs
from autourdf_ros.estimation.motion.structure.refinement import adjusted_to
from autourdf_ros.estimation.motion.structure.relabelling import relabelled
from autourdf_ros.geometry.arrays import Array
from autourdf_ros.geometry.rigid_motion import transform
from autourdf_ros.model.joint_grading import LARGEST_AXIS_STD

WEAK = LARGEST_AXIS_STD / 4  # standard deviation (rad) of an axis that is held so
SAME = 0.25  # mean cost by which what both links explain equally may differ
MOVED = 1.0  # point spacings (rms) by which it must have been turned
LEAST_ROUND = 30  # points of it
ROUNDS = 4  # of finding such points and of adjusting, at most (resource bound)
NO_WORSE = 1.02  # times the mean cost of both links' points, by which they may fit worse
SETTLED = np.radians(0.1)  # of the axis, when no more rounds are needed


def with_round_joints(
    frames: FrameSet,
    readings: Array | None,
    candidate: CandidateModel,
    adjusted: Adjustment,
    design: float,
) -> tuple[CandidateModel, Adjustment]:
    """Hold the axes of last links that their own points hardly show.

    Args:
        frames: the reference and F frames.
        readings: (F, M) of the motors in them, if there are any.
        candidate: the candidate as adjusted.
        adjusted: it in these frames.
        design: design effect of the points' errors.

    Returns:
        The candidate, and it in the frames; the same ones where no axis is held so.
    """
    for joint in _weak_joints(candidate, adjusted, design):
        found = _held(frames, readings, candidate, adjusted, joint)
        if found is None:
            continue
        own = np.flatnonzero(np.isin(candidate.labels, [candidate.model.parents[joint], joint + 1]))
        before, after = (
            _least_cost(frames, each.model, fit.states, own, joint)
            for each, fit in ((candidate, adjusted), found)
        )
        if after < NO_WORSE * before:
            candidate, adjusted = found
    return candidate, adjusted


def _weak_joints(candidate: CandidateModel, adjusted: Adjustment, design: float) -> list[int]:
    """Numbers of the revolute joints of last links whose axes are hardly known.

    Their motors say how far they turned. By other values, another axis looks round as well.
    """
    model = candidate.model
    last = ~np.isin(np.arange(1, len(model.parents) + 1), model.parents)
    covariance = np.linalg.pinv(adjusted.information, hermitian=True)
    turns = np.diag(covariance).reshape(-1, 4)[:, :2].mean(axis=1)
    weak = adjusted.noise * np.sqrt(design * np.maximum(turns, 0.0)) > WEAK
    unknown = np.diag(adjusted.information).reshape(-1, 4)[:, :2].min(axis=1) <= 0
    held = model.revolute & last & candidate.follow_motors & (weak | unknown)
    return np.flatnonzero(held).tolist()


def _held(
    frames: FrameSet,
    readings: Array | None,
    before: CandidateModel,
    adjusted: Adjustment,
    joint: int,
) -> tuple[CandidateModel, Adjustment] | None:
    """The candidate with a joint about what is round, all others as before; None if nothing is."""
    candidate, found = before, adjusted
    for _ in range(ROUNDS):
        both = _round_points(frames, candidate, found.states, joint)
        if len(both) < LEAST_ROUND:
            return None
        shown = replace(candidate, surface=_with_both(frames, candidate, both, joint + 1))
        axis = candidate.model.twists[joint, :3]
        found = adjusted_to(frames.frames, shown, found.states, readings, frames.noise)
        candidate = relabelled(frames, candidate, found)
        if np.linalg.norm(np.cross(axis, candidate.model.twists[joint, :3])) < SETTLED:
            break
    twists, anchors = before.model.twists.copy(), before.model.anchors.copy()
    twists[joint], anchors[joint] = candidate.model.twists[joint], candidate.model.anchors[joint]
    held = replace(before, model=replace(before.model, twists=twists, anchors=anchors))
    line = slice(4 * joint, 4 * joint + 4)
    known = adjusted.information.copy()
    known[line], known[:, line] = 0.0, 0.0
    known[line, line] = _information(frames, held.model, found, both, joint)
    held = _with_labels(frames, held, candidate.labels, joint)
    final = adjusted_to(frames.frames, held, found.states, readings, frames.noise, known=known)
    return held, final


def _with_labels(
    frames: FrameSet, candidate: CandidateModel, labels: NDArray[np.int64], joint: int
) -> CandidateModel:
    """The candidate with other labels of the points on the two links of a joint."""
    pair = [candidate.model.parents[joint], joint + 1]
    own = np.isin(candidate.labels, pair) & np.isin(labels, pair)
    chosen = np.where(own, labels, candidate.labels)
    return replace(candidate, labels=chosen, surface=surface_of(frames.reference, chosen))


def _least_cost(
    frames: FrameSet, model: Articulation, states: States, own: NDArray[np.int64], joint: int
) -> float:
    """Mean cost of a joint's points, each on that of its two links that explains it better."""
    poses = body_poses(model, states.values, states.base)
    links = (int(model.parents[joint]), joint + 1)
    costs = [frame_costs(frames, poses[:, link], own).mean(axis=0) for link in links]
    return float(np.minimum(*costs).mean())


def _round_points(
    frames: FrameSet, candidate: CandidateModel, states: States, joint: int
) -> NDArray[np.int64]:
    """Numbers of the parent's points that the child explains as well, though it moves them."""
    model, reference = candidate.model, frames.reference
    own = np.flatnonzero(candidate.labels == model.parents[joint])
    poses = body_poses(model, states.values, states.base)
    there, turned = poses[:, model.parents[joint]], poses[:, joint + 1]
    points = reference.points[own]
    ways = transform(turned[:, None], points) - transform(there[:, None], points)
    moved = np.sqrt((ways**2).sum(axis=2).mean(axis=0)) > MOVED * reference.spacing
    rise = frame_costs(frames, turned, own) - frame_costs(frames, there, own)
    return own[moved & (rise.mean(axis=0) < SAME)]


def _with_both(
    frames: FrameSet, candidate: CandidateModel, both: NDArray[np.int64], link: int
) -> LabelledSurface:
    """The candidate's surface, of which some points are on another link as well."""
    reference, surface = frames.reference, surface_of(frames.reference, candidate.labels)
    return LabelledSurface(
        np.concatenate([surface.points, reference.points[both]]),
        np.concatenate([surface.normals, reference.normals[both]]),
        np.concatenate([surface.flatness, reference.flatness[both]]),
        np.concatenate([surface.labels, np.full(len(both), link)]),
        np.ones(len(surface.points) + len(both)),
    )


def _information(
    frames: FrameSet,
    model: Articulation,
    found: Adjustment,
    both: NDArray[np.int64],
    joint: int,
) -> Array:
    """Information (4, 4) of the joint's line, by points that may all be off together.

    They are symmetric as far as `SAME` says: by so much the surface may be off the axis everywhere.
    """
    own = slice(4 * joint, 4 * joint + 4)
    covariance = np.linalg.pinv(found.information, hermitian=True)[own, own]
    arms = frames.reference.points[both] - model.anchors[joint]
    lever = float(np.sqrt((arms**2).sum(axis=1).mean()))
    off = 2 * SAME * (frames.noise / found.noise) ** 2
    covariance = covariance + off * np.diag([1 / lever**2, 1 / lever**2, 1.0, 1.0])
    return np.asarray(np.linalg.inv(covariance))
