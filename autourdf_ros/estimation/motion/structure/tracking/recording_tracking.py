"""Track a candidate through a whole recording, sequence by sequence."""

from __future__ import annotations

from functools import partial

import numpy as np

from autourdf_ros.estimation.motion.fitting.frame_fit import States
from autourdf_ros.estimation.motion.fitting.tracking import (
    Motion,
    SequenceStates,
    motion_of,
    track_states,
)
from autourdf_ros.estimation.motion.structure.candidate_model import (
    CandidateModel,
    articulated_surface,
)
from autourdf_ros.estimation.motion.structure.problem import Problem
from autourdf_ros.geometry.point_cloud import size_of
from autourdf_ros.parallel import Tally, on_all_cores
from autourdf_ros.progress import Progress, staged


def track_recording(problem: Problem, candidate: CandidateModel, progress: Progress) -> Motion:
    """Track a candidate through all frames; the state of the reference frame is zero."""
    prepared, target = problem.prepared, articulated_surface(candidate, problem.noise)
    joints = len(candidate.model.parents)
    predicted = np.full((len(prepared.clouds), joints), np.nan)
    if problem.readings is not None:
        predicted = candidate.predicted(problem.readings)
    ends = np.cumsum([len(sequence) for sequence in prepared.sequences])
    tally = Tally(len(prepared.clouds), staged(progress, "tracking"))

    def track(number: int, typical: float | None) -> SequenceStates:
        sequence = prepared.sequences[number]
        known = States(np.zeros((1, joints)), np.eye(4)[None]) if number == 0 else None
        return track_states(
            target,
            list(sequence),
            known=known,
            predicted=predicted[ends[number] - len(sequence) : ends[number]],
            typical=typical,
            size=size_of(prepared.reference.points),
            report=tally.add,
        )

    tracked = [track(0, None)]
    # The first sequence determines what a typical score is.
    typical = float(np.median(tracked[0].scores[1:]))
    tracked += on_all_cores(partial(track, typical=typical), range(1, len(prepared.sequences)))
    states = States(
        np.concatenate([sequence.states.values for sequence in tracked]),
        np.concatenate([sequence.states.base for sequence in tracked]),
    )
    return motion_of(states, np.concatenate([sequence.scores for sequence in tracked]))
