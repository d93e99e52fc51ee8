"""Add the links that a candidate lacks, by what all inlier frames leave unexplained."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import partial

import numpy as np
from numpy.typing import NDArray

from autourdf_ros.estimation.motion.fitting.frame_fit import States
from autourdf_ros.estimation.motion.fitting.tracking import Motion, recovered
from autourdf_ros.estimation.motion.registration.frame_set import FrameSet
from autourdf_ros.estimation.motion.structure.candidate_model import (
    CandidateModel,
    articulated_surface,
)
from autourdf_ros.estimation.motion.structure.candidate_tree import MotorFits, motor_fits
from autourdf_ros.estimation.motion.structure.candidates.extending import with_links
from autourdf_ros.estimation.motion.structure.candidates.motor_candidates import with_motor_links
from autourdf_ros.estimation.motion.structure.candidates.posed_candidate import PosedCandidate
from autourdf_ros.estimation.motion.structure.candidates.residual_candidates import (
    with_residual_links,
)
from autourdf_ros.estimation.motion.structure.coupled_joints import coupled_joints
from autourdf_ros.estimation.motion.structure.problem import Problem
from autourdf_ros.geometry.arrays import Array
from autourdf_ros.geometry.point_cloud import size_of

UNMATCHED = 0.3  # share of a joint's values (rms) beyond which no motor explains them
UNMATCHED_BESIDE = 0.5
"""The same for the motor of a joint that it is coupled to: that one motor moves both is likelier
than that none moves this. Of a finger of 28 points 0.32 were left, and it was lost."""

AddLinks = Callable[[FrameSet, PosedCandidate], PosedCandidate]


def with_missing_links_added(
    problem: Problem, candidate: CandidateModel, motion: Motion
) -> tuple[CandidateModel, Motion]:
    """Add the links that the residuals show (`with_residual_links`).

    Args:
        problem: the recording and what is known of it.
        candidate: the candidate.
        motion: of the candidate in all frames.

    Returns:
        The candidate and its motion; the same ones where it lacks no link.
    """
    return _with_links_added(problem, candidate, motion, with_residual_links)


def with_motor_links_added(
    problem: Problem, candidate: CandidateModel, motion: Motion
) -> tuple[CandidateModel, Motion]:
    """Add the round links that unmatched motors turn (`with_motor_links`).

    Arguments and results are those of `with_missing_links_added`.
    """
    if problem.readings is None:
        return candidate, motion
    unmatched = candidate.unmatched_motors(problem.readings.shape[1])
    if not unmatched:
        return candidate, motion
    readings = problem.readings[_inlier_frames(motion)][:, unmatched]
    return _with_links_added(
        problem, candidate, motion, partial(with_motor_links, readings=readings)
    )


def with_motors_matched(
    problem: Problem, candidate: CandidateModel, motion: Motion
) -> CandidateModel:
    """Return the candidate with the motors that explain its joints in the inlier frames.

    Args:
        problem: the recording and what is known of it.
        candidate: the candidate.
        motion: of the candidate in all frames.
    """
    used = np.flatnonzero(motion.used)
    values, readings = motion.states.values[used], problem.readings_in(used)
    fits = motor_fits(values, readings)
    if readings is not None:
        fits = _with_motors_beside(fits, values, readings, coupled_joints(candidate.model, values))
    return replace(candidate, tree=replace(candidate.tree, motors=fits))


def _with_motors_beside(
    fits: MotorFits, values: Array, readings: Array, coupled: NDArray[np.bool_]
) -> MotorFits:
    """The fits where joints that none explains follow the motor of one that they are coupled to."""
    own = fits.unexplained_shares < UNMATCHED
    for joint in np.flatnonzero(~own).tolist():
        for column in np.unique(fits.columns[coupled[joint] & own]).tolist():
            beside = motor_fits(values[:, [joint]], readings[:, [column]])
            if beside.unexplained_shares[0] < UNMATCHED_BESIDE:
                fits = fits.with_fit(joint, replace(beside, columns=np.array([column])))
    return fits


def _follow(fits: MotorFits, coupled: NDArray[np.bool_]) -> NDArray[np.int64]:
    """Numbers of the joints that follow a motor."""
    own = fits.unexplained_shares < UNMATCHED
    beside = ((fits.columns[:, None] == fits.columns) & coupled & own).any(axis=1)
    return np.flatnonzero(own | (beside & (fits.unexplained_shares < UNMATCHED_BESIDE)))


def unmatched_count(problem: Problem, candidate: CandidateModel, motion: Motion) -> int:
    """Return how many motors turn no joint, and joints follow no motor of their own.

    Two joints may follow one motor where they are coupled, as a gripper's fingers. It is 0 where
    there are no readings.

    Args:
        problem: the recording and what is known of it.
        candidate: the candidate.
        motion: of the candidate in all frames; the inlier frames count.
    """
    if problem.readings is None:
        return 0
    fits = with_motors_matched(problem, candidate, motion).tree.motors
    values = motion.states.values[motion.used]
    coupled = coupled_joints(candidate.model, values)
    follow = _follow(fits, coupled)
    alike = fits.columns[follow, None] == fits.columns[follow]
    shared = np.triu(alike & ~coupled[np.ix_(follow, follow)], 1)
    unmatched = len(problem.motors) - len(np.unique(fits.columns[follow]))
    return unmatched + len(fits.columns) - len(follow) + int(shared.any(axis=0).sum())


def _inlier_frames(motion: Motion) -> np.ndarray:
    """Numbers of the inlier frames but the reference."""
    chosen = np.flatnonzero(motion.used)
    return chosen[chosen > 0]


def _with_links_added(
    problem: Problem, candidate: CandidateModel, motion: Motion, add: AddLinks
) -> tuple[CandidateModel, Motion]:
    """The candidate with the links that `add` finds lacking, and its motion."""
    chosen = _inlier_frames(motion)
    states = States(motion.states.values[chosen], motion.states.base[chosen])
    larger = with_links(
        problem.frame_set(chosen), candidate, states, add, readings=problem.readings_in(chosen)
    )
    if larger is candidate:
        return candidate, motion
    values = np.zeros((len(motion.used), len(larger.model.parents)))
    values[chosen] = larger.states.values
    known = replace(motion, states=States(values, motion.states.base))
    return larger, recovered(
        articulated_surface(larger, problem.noise),
        problem.prepared.clouds,
        problem.owners,
        known,
        size=size_of(problem.reference.points),
    )
