"""Turn last links all the way about their joints, in frames tracked without readings.

A flange looks nearly the same however it turns: a frame that begins near a wrong turn stays there,
and fits about as well as a whole. What it lacks is a little on that link alone, as holes or a plug.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

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
TOGETHER = 3.0  # points that err as one (design effect of real cameras)
LEAST_STEP = np.radians(5.0)  # rad from frame to frame, that a joint may go freely
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
    step = _step_of_others(motion.states.values, candidate.model.revolute, link)
    best = np.zeros(len(chosen), dtype=np.int64)
    for owner in np.unique(problem.owners[chosen]):
        own = np.flatnonzero(problem.owners[chosen] == owner)
        angles = tried[:, own, link - 1]
        known = 0.0 if owner == problem.owners[0] else None
        # One of so many turns is better by chance.
        nats = costs[:, own] / TOGETHER + np.log(TURNS) * (turns != 0)[:, None]
        best[own] = smooth_choice(nats, angles, step, known)
    rows = np.flatnonzero(best)
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
        if score <= NO_WORSE * scores[frame]:
            values[frame], base[frame], scores[frame] = found.values[0], found.base[0], score
    after = motion_of(States(values, base), scores)
    return replace(after, used=after.used | motion.used)


def smooth_choice(
    costs: Array, angles: Array, step: float, known: float | None
) -> NDArray[np.int64]:
    """Choose an angle for each frame: likely ones, which go on from frame to frame.

    The most likely path (Viterbi, 1967) where steps are normal, the nearer way round.

    Args:
        costs: (T, F) nats of T angles in F frames that follow one another.
        angles: (T, F) rad.
        step: standard deviation of a step (rad).
        known: angle before the first frame, or None.

    Returns:
        (F,) numbers of the angles.
    """
    count = costs.shape[1]
    before = np.zeros((len(costs), count), dtype=np.int64)
    total = costs[:, 0].copy()
    if known is not None:
        total += _step_costs(np.array([known]), angles[:, 0], step)[0]
    for frame in range(1, count):
        ways = total[:, None] + _step_costs(angles[:, frame - 1], angles[:, frame], step)
        before[:, frame] = ways.argmin(axis=0)
        total = ways.min(axis=0) + costs[:, frame]
    path = np.zeros(count, dtype=np.int64)
    path[-1] = total.argmin()
    for frame in range(count - 1, 0, -1):
        path[frame - 1] = before[path[frame], frame]
    return path


def _step_costs(first: Array, second: Array, step: float) -> Array:
    """(A, B) nats of steps from angles (A,) to angles (B,)."""
    apart = (second - first[:, None] + np.pi) % (2 * np.pi) - np.pi
    return np.asarray((apart / step) ** 2 / 2)


def _step_of_others(values: Array, revolute: NDArray[np.bool_], link: int) -> float:
    """What nine of ten steps (rad) of the other revolute joints stay below."""
    others = revolute & (np.arange(values.shape[1]) != link - 1)
    steps = np.abs(np.diff(values[:, others], axis=0))
    return max(float(np.quantile(steps, 0.9)) if steps.size else 0.0, LEAST_STEP)


def _costs(frames: FrameSet, candidate: CandidateModel, link: int, states: States) -> Array:
    """(F,) sums of the costs of a link's points in F frames."""
    poses = body_poses(candidate.model, states.values, states.base)[:, link]
    return frame_costs(frames, poses, np.flatnonzero(candidate.labels == link)).sum(axis=1)
