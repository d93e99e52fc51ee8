"""Track links again that are lost in single frames, where they follow the surface of another.

As a whole such a frame fits well: the points of a small link, as a leg beside the next, hardly
count.
"""

from __future__ import annotations

from dataclasses import replace
from functools import partial

import numpy as np
from numpy.typing import NDArray

from autourdf_ros.estimation.motion.fitting.articulation import body_poses
from autourdf_ros.estimation.motion.fitting.frame_fit import States
from autourdf_ros.estimation.motion.fitting.tracking import Motion, motion_of, track_frame
from autourdf_ros.estimation.motion.registration.point_costs import own_costs
from autourdf_ros.estimation.motion.structure.candidate_model import (
    LOST_COST,
    CandidateModel,
    articulated_surface,
)
from autourdf_ros.estimation.motion.structure.problem import Problem
from autourdf_ros.geometry.arrays import Array
from autourdf_ros.geometry.point_cloud import size_of
from autourdf_ros.parallel import on_all_cores

UNUSUAL = 2.0  # times a link's typical cost, from which it is lost in a frame


def with_lost_tracks_recovered(
    problem: Problem, candidate: CandidateModel, motion: Motion
) -> Motion:
    """Return the motion with the frames tracked again in which a link is lost.

    They start from where the frames around put the joints of these links, and are taken as they
    explain all points of the reference better.
    """
    values, base = motion.states.values.copy(), motion.states.base.copy()
    scores, target = motion.scores.copy(), articulated_surface(candidate, problem.noise)
    costs_in = partial(_link_costs, problem, candidate)
    costs = np.array(on_all_cores(costs_in, range(len(values)), values, base))
    lost, limits = lost_track_links(costs, motion.used)
    still_lost = lost.copy()
    sizes = np.bincount(candidate.labels[candidate.labels >= 0], minlength=costs.shape[1])
    for frame in np.flatnonzero(lost.any(axis=1)).tolist():
        known = motion.used & (problem.owners == problem.owners[frame])
        states, score = track_frame(
            target,
            problem.clouds(np.array([frame]))[0],
            between(values, frame, lost[frame, 1:], known[:, None] & ~still_lost[:, 1:]),
            base[frame],
            size=size_of(problem.reference.points),
        )
        tried = costs_in(frame, states.values[0], states.base[0])
        if np.nansum(sizes * tried) < np.nansum(sizes * costs[frame]):
            values[frame], base[frame], scores[frame] = states.values[0], states.base[0], score
            still_lost[frame] = tried > limits
    tracked = motion_of(States(values, base), scores)
    return replace(tracked, used=tracked.used | motion.used)


def lost_track_links(costs: Array, used: NDArray[np.bool_]) -> tuple[NDArray[np.bool_], Array]:
    """Find the bodies that are lost in inlier frames.

    Args:
        costs: (F, B) mean of every body's points, NaN without any.
        used: (F,) whether a frame is an inlier.

    Returns:
        Whether a body is lost in a frame (F, B), and the costs (B,) beyond which it is.
    """
    limits = np.maximum(LOST_COST, UNUSUAL * np.median(costs[used], axis=0))
    return used[:, None] & (costs > limits), limits


def between(values: Array, frame: int, lost: NDArray[np.bool_], known: NDArray[np.bool_]) -> Array:
    """Return the joint values (J,) of a frame, with lost joints as the frames around have them.

    Args:
        values: (F, J) of the joints.
        frame: number of the frame.
        lost: (J,) whether a joint is lost in it.
        known: (F, J) whether a joint is known in a frame; one that is known nowhere stays as it is.
    """
    result = values[frame].copy()
    for joint in np.flatnonzero(lost).tolist():
        frames = np.flatnonzero(known[:, joint])
        if len(frames):
            result[joint] = np.interp(frame, frames, values[frames, joint])
    return result


def _link_costs(
    problem: Problem, candidate: CandidateModel, frame: int, values: Array, base: Array
) -> Array:
    """(B,) mean cost (`own_costs`) of every body's points in a frame, NaN for one without points.

    values: (J,). base: (4, 4).
    """
    labels = candidate.labels
    poses = body_poses(candidate.model, values[None], base[None])
    cloud = problem.clouds(np.array([frame]))
    costs = own_costs(problem.reference, labels, cloud, poses, noise=problem.noise)
    own, count = labels >= 0, poses.shape[1]
    sizes = np.bincount(labels[own], minlength=count)
    sums = np.bincount(labels[own], costs[own], count)
    return np.divide(sums, sizes, out=np.full(count, np.nan), where=sizes > 0)
