"""Decide which of two candidates explains a recording better."""

from __future__ import annotations

import numpy as np

from autourdf_ros.estimation.motion.fitting.frame_fit import States
from autourdf_ros.estimation.motion.fitting.spread_frames import spread_frames
from autourdf_ros.estimation.motion.fitting.tracking import Motion
from autourdf_ros.estimation.motion.structure.candidate_model import CandidateModel
from autourdf_ros.estimation.motion.structure.problem import Problem
from autourdf_ros.estimation.motion.structure.scoring.recording_likelihood import (
    PosedState,
    RecordingLikelihood,
    design_effect,
)

JUDGES = 12  # frames, spread over the recording, that decide (resource bound)

TrackedCandidate = tuple[CandidateModel, Motion]


def is_likelier(problem: Problem, one: TrackedCandidate, other: TrackedCandidate) -> bool:
    """Return whether one candidate is likelier than another, in frames that either follows.

    Args:
        problem: the recording and what is known of it.
        one: a candidate and its motion in all frames.
        other: the same of another.
    """
    best = other if other[1].used.sum() >= one[1].used.sum() else one
    chosen = spread_frames(best[1], best[1].states.values, JUDGES)
    frames, readings = problem.frame_set(chosen), problem.readings_in(chosen)
    states = [_state(candidate, motion, chosen) for candidate, motion in (one, other)]
    design = max(design_effect(frames, state) for state in states)
    likelihood = RecordingLikelihood(frames, readings, problem.metre, design)
    scores = [likelihood.score(state) for state in states]
    return scores[0] > scores[1]


def _state(candidate: CandidateModel, motion: Motion, chosen: np.ndarray) -> PosedState:
    return PosedState(candidate, States(motion.states.values[chosen], motion.states.base[chosen]))
