"""Track joints again that follow no motor, by the motors that turn none.

A round or symmetric last link fits every frame at several angles. By motion alone it ends at one of
them in one frame and at another in the next. The readings of its motor say which.
"""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from itertools import product

import numpy as np

from autourdf_ros.estimation.motion.fitting.frame_fit import States
from autourdf_ros.estimation.motion.fitting.tracking import Motion, motion_of, track_frame
from autourdf_ros.estimation.motion.structure.candidate_model import (
    CandidateModel,
    articulated_surface,
)
from autourdf_ros.estimation.motion.structure.completion import with_motors_matched
from autourdf_ros.estimation.motion.structure.problem import Problem
from autourdf_ros.estimation.motion.structure.tracking.repaired_tracking import track_and_repair
from autourdf_ros.geometry.point_cloud import size_of
from autourdf_ros.parallel import on_all_cores
from autourdf_ros.progress import Progress, abreast, part, silent

TRIED = 4  # pairs of a joint and a motor, at most (resource bound)
LOOSELY = 0.3
"""Share of a joint's values that its motor may leave unexplained while its axis is still off, found
from frames in half of which the joint was lost. Adjusting by readings mends the rest."""
FEW = 0.25  # share of the frames in which that may be: the others show that the joint follows
NO_WORSE = 1.01  # times the mean score, by which frames that fit as well may differ
ASTRAY = np.radians(30.0)  # rad from where the readings put a joint: another angle that looks alike

DIRECTIONS = (1.0, -1.0)

Tracked = tuple[CandidateModel, Motion]


def with_joints_tracked_by_motors(
    problem: Problem, candidate: CandidateModel, motion: Motion, progress: Progress = silent
) -> Tracked:
    """Track revolute joints that follow no motor by the readings of motors that turn none.

    Every such pair is tried in both directions. It holds where the frames fit no worse by it, the
    joint then follows the motor, at least loosely, and by the other direction it does not, or they
    fit worse.

    Args:
        problem: the recording and what is known of it, with readings.
        candidate: the candidate, its motors matched.
        motion: of the candidate in all frames.
        progress: is called with the stage and the share done.

    Returns:
        The candidate, its motors matched, and its motion; the same ones where no pair holds.
    """
    if problem.readings is None:
        return candidate, motion
    count = problem.readings.shape[1]
    motors = candidate.unmatched_motors(count)
    joints = np.flatnonzero(~candidate.follow_motors & candidate.model.revolute).tolist()
    pairs = list(product(joints, motors))
    if len(pairs) > TRIED:
        return candidate, motion
    best = candidate, motion
    for number, (joint, motor) in enumerate(pairs):
        if best[0].follow_motors[joint] or motor not in best[0].unmatched_motors(count):
            continue
        piece = part(progress, number / len(pairs), (number + 1) / len(pairs))
        follow = partial(_tracked_by, problem, best[0], joint, motor)
        tried = on_all_cores(follow, DIRECTIONS, abreast(piece, len(DIRECTIONS)))
        holding = [
            each
            for each, ratio in zip(tried, DIRECTIONS, strict=True)
            if _holds(each, joint, motor, ratio, motion)
        ]
        holding.sort(key=_mean_score)
        if len(holding) == 1 or (
            holding and _mean_score(holding[1]) > NO_WORSE * _mean_score(holding[0])
        ):
            best = _following(holding[0], joint)
    return best


def _tracked_by(
    problem: Problem,
    candidate: CandidateModel,
    joint: int,
    motor: int,
    ratio: float,
    progress: Progress,
) -> Tracked:
    """A candidate tracked from where a motor's readings put a joint, its motors matched anew."""
    known = candidate.tree.motors
    columns, ratios = known.columns.copy(), known.ratios.copy()
    shares = known.unexplained_shares.copy()
    columns[joint], ratios[joint], shares[joint] = motor, ratio, 0.0
    fits = replace(known, columns=columns, ratios=ratios, unexplained_shares=shares)
    tried = replace(candidate, tree=replace(candidate.tree, motors=fits))
    motion = track_and_repair(problem, tried, progress)
    motion = _where_it_reads(problem, tried, motion, joint)
    return with_motors_matched(problem, candidate, motion), motion


def _where_it_reads(
    problem: Problem, candidate: CandidateModel, motion: Motion, joint: int
) -> Motion:
    """The motion with a joint near its readings in the few frames that fit as well so."""
    assert problem.readings is not None
    predicted = candidate.predicted(problem.readings)[:, joint]
    values, base = motion.states.values.copy(), motion.states.base.copy()
    scores, target = motion.scores.copy(), articulated_surface(candidate, problem.noise)
    size = size_of(problem.reference.points)
    astray = motion.used & (np.abs(values[:, joint] - predicted) > ASTRAY)
    if not 0 < astray.sum() <= FEW * motion.used.sum():
        return motion
    for frame in np.flatnonzero(astray).tolist():
        cloud, start = problem.clouds(np.array([frame]))[0], values[frame].copy()
        start[joint] = predicted[frame]
        states, score = track_frame(target, cloud, start, base[frame], size=size)
        if score <= NO_WORSE * scores[frame]:
            values[frame], base[frame], scores[frame] = states.values[0], states.base[0], score
    found = motion_of(States(values, base), scores)
    return replace(found, used=found.used | motion.used)


def _holds(tried: Tracked, joint: int, motor: int, ratio: float, before: Motion) -> bool:
    """Whether a joint follows a motor in the direction tried, in frames that fit as before."""
    candidate, motion = tried
    known = candidate.tree.motors
    follows = int(known.columns[joint]) == motor and bool(known.ratios[joint] * ratio > 0)
    follows = follows and bool(known.unexplained_shares[joint] < LOOSELY)
    return follows and bool(motion.scores.mean() <= NO_WORSE * before.scores.mean())


def _following(tried: Tracked, joint: int) -> Tracked:
    """The same, with a joint whose motor is decided: it follows the readings from now on."""
    candidate, motion = tried
    known = candidate.tree.motors
    shares, ratios = known.unexplained_shares.copy(), known.ratios.copy()
    if not candidate.follow_motors[joint] and abs(abs(ratios[joint]) - 1) < LOOSELY:
        ratios[joint] = np.sign(ratios[joint])  # a gear ratio is no more exact than the axis
    shares[joint] = 0.0
    fits = replace(known, ratios=ratios, unexplained_shares=shares)
    return replace(candidate, tree=replace(candidate.tree, motors=fits)), motion


def _mean_score(tried: Tracked) -> float:
    return float(tried[1].scores.mean())
