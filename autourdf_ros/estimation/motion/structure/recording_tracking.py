"""Carry a hypothesis through a whole recording, sequence by sequence."""

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
from autourdf_ros.estimation.motion.registration.graph_tracking import size_of
from autourdf_ros.estimation.motion.structure.candidate_model import Hypothesis
from autourdf_ros.estimation.motion.structure.problem import Evidence
from autourdf_ros.parallel import Tally, on_all_cores
from autourdf_ros.progress import Progress, staged


def carry(evidence: Evidence, hypothesis: Hypothesis, progress: Progress) -> Motion:
    """The hypothesis tracked through all frames; the reference frame's state is zero."""
    prepared = evidence.prepared
    joints = len(hypothesis.model.parents)
    predicted = np.full((len(prepared.clouds), joints), np.nan)
    if evidence.readings is not None:
        predicted = hypothesis.predicted(evidence.readings)
    ends = np.cumsum([len(sequence) for sequence in prepared.sequences])
    tally = Tally(len(prepared.clouds), staged(progress, "tracking"))

    def track(number: int, usual: float | None) -> SequenceStates:
        sequence = prepared.sequences[number]
        known = States(np.zeros((1, joints)), np.eye(4)[None]) if number == 0 else None
        return track_states(
            hypothesis.model,
            hypothesis.surface,
            list(sequence),
            known=known,
            predicted=predicted[ends[number] - len(sequence) : ends[number]],
            usual=usual,
            size=size_of(prepared.reference.points),
            prior=hypothesis.prior,
            noise=evidence.noise.total,
            report=tally.add,
        )

    tracked = [track(0, None)]
    # The first sequence tells what a usual score is.
    usual = float(np.median(tracked[0].scores[1:]))
    tracked += on_all_cores(partial(track, usual=usual), range(1, len(prepared.sequences)))
    states = States(
        np.concatenate([sequence.states.values for sequence in tracked]),
        np.concatenate([sequence.states.base for sequence in tracked]),
    )
    return motion_of(states, np.concatenate([sequence.scores for sequence in tracked]))
