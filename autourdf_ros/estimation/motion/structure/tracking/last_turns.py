"""Turn last links all the way about their joints, in frames tracked without readings.

A flange looks nearly the same however it turns: a frame that begins near a wrong turn stays there,
and fits about as well as a whole. What it lacks is a little on that link alone, as holes or a plug.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from autourdf_ros.estimation.motion.fitting.articulation import body_poses
from autourdf_ros.estimation.motion.fitting.frame_fit import States, fit_frame
from autourdf_ros.estimation.motion.fitting.tracking import Motion, motion_of, posed_points
from autourdf_ros.estimation.motion.registration.frame_set import FrameSet
from autourdf_ros.estimation.motion.registration.graph_registration import registration_score
from autourdf_ros.estimation.motion.structure.candidate_model import (
    CandidateModel,
    articulated_surface,
)
from autourdf_ros.estimation.motion.structure.candidates.link_fitting import frame_costs
from autourdf_ros.estimation.motion.structure.problem import Problem
from autourdf_ros.estimation.motion.structure.pruning.savings import last_links
from autourdf_ros.geometry.arrays import Array

TURNS = 24  # of a whole one, that are tried in a frame (resource bound)
SURE = 1.0  # standard deviations of a round link's costs, by which a turn must be better
NEAR = (2.0, 1.0)  # point spacings: widths of the kernels; by wider ones a round link drifts
ITERATIONS = 4
NO_WORSE = 1.02  # times a frame's score, which counts all links alike


def with_last_links_turned(problem: Problem, candidate: CandidateModel, motion: Motion) -> Motion:
    """Return the motion with the frames fitted anew in which a last link fits better turned.

    Args:
        problem: the recording and what is known of it.
        candidate: the candidate.
        motion: of the candidate in all frames.
    """
    for link in last_links(candidate.model.parents, candidate.labels):
        if candidate.model.revolute[link - 1]:
            motion = _turned(problem, candidate, motion, link)
    return motion


def _turned(problem: Problem, candidate: CandidateModel, motion: Motion, link: int) -> Motion:
    """The motion with a last link turned in frames in which it then fits better."""
    chosen = np.flatnonzero(motion.used)
    chosen = chosen[chosen > 0]
    states = States(motion.states.values[chosen], motion.states.base[chosen])
    frames = problem.frame_set(chosen)
    turns = np.arange(TURNS) * 2 * np.pi / TURNS
    turns = np.where(turns > np.pi, turns - 2 * np.pi, turns)
    steps = turns[:, None, None] * np.eye(states.values.shape[1])[link - 1]
    tried = states.values + steps
    costs = np.array(
        [_costs(frames, candidate, link, replace(states, values=values)) for values in tried]
    )
    # Most turns of a nearly round link cost alike, but for noise.
    spread = 1.4826 * np.median(np.abs(costs - np.median(costs, axis=0)), axis=0)
    best, rows = costs.argmin(axis=0), np.flatnonzero(costs[0] - costs.min(axis=0) > SURE * spread)
    values, base, scores = (
        motion.states.values.copy(),
        motion.states.base.copy(),
        motion.scores.copy(),
    )
    target = articulated_surface(candidate, problem.noise)
    for row in rows.tolist():
        frame, one = chosen[row], replace(frames, frames=[frames.frames[row]])
        start = States(tried[best[row], row][None], base[frame][None])
        gates = np.geomspace(*NEAR, ITERATIONS) * one.frames[0].spacing
        found = fit_frame(target, one.frames[0], start, gates=gates)
        score = registration_score(
            posed_points(target, found, 0), one.frames[0], one.frames[0].spacing
        )
        saved = costs[0, row] - _costs(one, candidate, link, found)[0]
        if saved > SURE * spread[row] and score <= NO_WORSE * scores[frame]:
            values[frame], base[frame], scores[frame] = found.values[0], found.base[0], score
    after = motion_of(States(values, base), scores)
    return replace(after, used=after.used | motion.used)


def _costs(frames: FrameSet, candidate: CandidateModel, link: int, states: States) -> Array:
    """(F,) sums of the costs of a link's points in F frames."""
    poses = body_poses(candidate.model, states.values, states.base)[:, link]
    return frame_costs(frames, poses, np.flatnonzero(candidate.labels == link)).sum(axis=1)
