"""Find bodies, tree and joints by their motion alone, and by the motors' readings where it lacks.

What the points tell by themselves is looked for first: it needs no belief in anything else, and is
found sooner. Where every motor then turns a joint, and every joint follows one, the readings have
no more to tell of the tree. Else they are asked: a link that is small, or round, may show only to
somebody who knows how far it must have moved, and what no motor moves may be invented.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from autourdf_ros.errors import ReconstructionError
from autourdf_ros.estimation.motion.fitting.tracking import Motion
from autourdf_ros.estimation.motion.reconstruction import ReconstructionOptions
from autourdf_ros.estimation.motion.registration.preparation import Prepared
from autourdf_ros.estimation.motion.structure.candidate_model import CandidateModel
from autourdf_ros.estimation.motion.structure.candidate_tree import motor_fits
from autourdf_ros.estimation.motion.structure.coupled_joints import coupled_joints
from autourdf_ros.estimation.motion.structure.iterations import (
    initial_estimate,
    iterate_estimate,
    with_motor_links_added,
)
from autourdf_ros.estimation.motion.structure.problem import Problem, relative_readings
from autourdf_ros.progress import Progress, part
from autourdf_ros.stopwatch import Stopwatch

UNEXPLAINED = 0.3  # share of a joint's values (rms) beyond which no motor explains them
BETTER = 0.99  # times the mean score by which as many motors are explained better

Structure = tuple[Problem, CandidateModel, Motion]


def search_structure(
    prepared: Prepared, options: ReconstructionOptions, watch: Stopwatch, progress: Progress
) -> Structure:
    """What there is to go by, the best hypothesis by it, and its motion.

    Raises ReconstructionError where no model explains the recording.
    """
    motors, readings = relative_readings(prepared) if options.use_readings else ((), None)
    if readings is None or options.links is not None:
        return _searched(prepared, options, watch, progress)
    try:
        alone = replace(options, use_readings=False)
        problem, found, motion = _searched(prepared, alone, watch, part(progress, 0.0, 0.5))
    except ReconstructionError:
        return _searched(prepared, options, watch, part(progress, 0.5, 1.0))
    problem = replace(problem, options=options, motors=motors, readings=readings)
    found = _with_motors(found, motion, problem)
    if not _unmatched(problem, found, motion):
        return problem, found, motion
    with watch.stage("segmentation"):
        larger = with_motor_links_added(problem, found, motion)
    if _unmatched(problem, *larger) < _unmatched(problem, found, motion):
        found, motion = larger
    if not _unmatched(problem, found, motion):
        return problem, found, motion
    try:
        other = _searched(prepared, options, watch, part(progress, 0.5, 1.0))
    except ReconstructionError:
        return problem, found, motion
    own, others = _unmatched(problem, found, motion), _unmatched(*other)
    better = other[2].scores.mean() < BETTER * motion.scores.mean()
    return other if others < own or (others == own and better) else (problem, found, motion)


def _unmatched(problem: Problem, candidate: CandidateModel, motion: Motion) -> int:
    """How many motors turn no joint, and joints follow none of their own, in believed frames.

    Two joints may follow one motor where they are twins, as a gripper's fingers.
    """
    fits = _with_motors(candidate, motion, problem).tree.motors
    follow = np.flatnonzero(fits.unexplained_shares < UNEXPLAINED)
    coupled = coupled_joints(candidate.model)
    alike = fits.columns[follow, None] == fits.columns[follow]
    shared = np.triu(alike & ~coupled[np.ix_(follow, follow)], 1)
    unmatched = len(problem.motors) - len(np.unique(fits.columns[follow]))
    return unmatched + len(fits.columns) - len(follow) + int(shared.any(axis=0).sum())


def _searched(
    prepared: Prepared, options: ReconstructionOptions, watch: Stopwatch, progress: Progress
) -> Structure:
    with watch.stage("registration"):
        problem, first = initial_estimate(prepared, options, part(progress, 0.0, 0.35))
    return problem, *iterate_estimate(problem, first, watch, part(progress, 0.35, 1.0))


def _with_motors(candidate: CandidateModel, motion: Motion, problem: Problem) -> CandidateModel:
    """The hypothesis with the motors that explain its joints in the frames that are believed."""
    used = np.flatnonzero(motion.used)
    fits = motor_fits(motion.states.values[used], problem.readings_in(used))
    return replace(candidate, tree=replace(candidate.tree, motors=fits))
