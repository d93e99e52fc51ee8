"""Take back single frames in which joints were lost: they jump away and back.

Such a frame was tracked into a wrong pose, or shows nothing of a small link, which then finds
another surface. Either widens the limits of the joint by as much.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from autourdf_ros.estimation.motion.fitting.articulation import body_poses
from autourdf_ros.estimation.motion.fitting.frame_fit import States
from autourdf_ros.estimation.motion.fitting.tracking import Motion, motion_of, track_frame
from autourdf_ros.estimation.motion.structure.candidate_model import (
    CandidateModel,
    articulated_surface,
)
from autourdf_ros.estimation.motion.structure.problem import Problem
from autourdf_ros.estimation.motion.structure.pruning.savings import (
    LEAST_CONFIRMED,
    last_links,
    savings,
)
from autourdf_ros.geometry.arrays import Array
from autourdf_ros.geometry.point_cloud import size_of

STEPS = 0.75  # quantile of a joint's steps from frame to frame: one jump makes two of them large
AWAY = 3.0  # times that, by which a jump leaves what is between the frames beside it


def without_jumps(problem: Problem, candidate: CandidateModel, motion: Motion) -> Motion:
    """Return the motion without the jumps that the frames do not confirm.

    A frame in which a joint jumps is tried again from halfway between the frames beside it, and
    taken as it fits better. A last link's jump that is left, and that measured points do not
    confirm, ends halfway, for the joint to be adjusted from there.
    """
    jumps, middles = jumps_of(motion.states.values, problem.owners, motion.used)
    values, base = motion.states.values.copy(), motion.states.base.copy()
    scores, target = motion.scores.copy(), articulated_surface(candidate, problem.noise)
    last = last_links(candidate.model.parents, candidate.labels)
    for frame in np.flatnonzero(jumps.any(axis=1)).tolist():
        states, score = track_frame(
            target,
            problem.clouds(np.array([frame]))[0],
            middles[frame],
            base[frame],
            size=size_of(problem.reference.points),
        )
        if score < scores[frame]:
            values[frame], base[frame], scores[frame] = states.values[0], states.base[0], score
            continue
        for joint in np.flatnonzero(jumps[frame]).tolist():
            halfway = values[frame].copy()
            halfway[joint] = middles[frame, joint]
            both = States(np.stack([values[frame], halfway]), base[[frame, frame]])
            if joint + 1 in last and not _confirmed(problem, candidate, both, frame, joint + 1):
                values[frame] = halfway
    if not jumps.any():
        return motion
    tried = motion_of(States(values, base), scores)
    return replace(tried, used=tried.used | motion.used)


def _confirmed(
    problem: Problem, candidate: CandidateModel, both: States, frame: int, link: int
) -> bool:
    """Whether measured points of a frame confirm the first of two states (F = 2) of a last link."""
    poses = body_poses(candidate.model, both.values, both.base)
    saving = savings(
        problem.reference,
        candidate.labels,
        problem.clouds(np.array([frame])),
        poses[:1],
        [link],
        poses[1:, [link]],
        noise=problem.noise,
    )[0]
    return saving.known > 0 and saving.confirmed >= LEAST_CONFIRMED


def jumps_of(
    values: Array, owners: NDArray[np.int64], used: NDArray[np.bool_]
) -> tuple[NDArray[np.bool_], Array]:
    """Find where a joint is far from where both inlier frames beside put it.

    Args:
        values: (F, J) of the joints.
        owners: (F,) sequence of every frame.
        used: (F,) whether a frame is an inlier.

    Returns:
        Whether a joint jumps (F, J), and the middles (F, J) of the frames beside. The first and
        last frames of a sequence never jump: nothing separates a jump from a step there.
    """
    jumps, middles = np.zeros(values.shape, dtype=bool), np.zeros_like(values)
    frames = np.flatnonzero(used)
    same = owners[frames[1:]] == owners[frames[:-1]]
    if not same.any():
        return jumps, middles
    typical = np.quantile(np.abs(np.diff(values[frames], axis=0))[same], STEPS, axis=0)
    inner = 1 + np.flatnonzero(same[1:] & same[:-1])
    before, here, after = (values[frames[inner + step]] for step in (-1, 0, 1))
    beyond = np.maximum(here - np.maximum(before, after), np.minimum(before, after) - here)
    jumps[frames[inner]] = beyond > AWAY * typical
    middles[frames[inner]] = (before + after) / 2
    return jumps, middles
