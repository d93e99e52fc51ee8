"""Let joints turn by as much as their motors read, where the frames show nothing else.

A motor mostly moves its joint one to one. A ratio that was fitted to the joint's values is no more
exact than these: a small or round last link shows its angle to a few degrees only.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from autourdf_ros.estimation.motion.fitting.adjustment import Adjustment
from autourdf_ros.estimation.motion.fitting.frame_fit import States
from autourdf_ros.estimation.motion.fitting.motors import GEAR_TOLERANCE
from autourdf_ros.estimation.motion.registration.frame_set import FrameSet
from autourdf_ros.estimation.motion.structure.candidate_model import CandidateModel
from autourdf_ros.estimation.motion.structure.completion import UNMATCHED
from autourdf_ros.estimation.motion.structure.refinement import adjusted_to
from autourdf_ros.estimation.motion.structure.relabelling import relabelled
from autourdf_ros.estimation.motion.structure.scoring.recording_likelihood import (
    PosedState,
    RecordingLikelihood,
    design_effect,
)
from autourdf_ros.geometry.arrays import Array


def with_near_drives(candidate: CandidateModel, metre: float) -> CandidateModel:
    """Return the candidate with ratios that are nearly one to one made so (`GEAR_TOLERANCE`).

    Args:
        candidate: the candidate, its motors matched.
        metre: one metre in robot sizes, which prismatic joints slide a metre of their readings.
    """
    off = candidate.off_direct(metre)
    near = candidate.follow_motors & (off < GEAR_TOLERANCE)
    return _driven(candidate, near, metre)


def with_likely_drives(
    frames: FrameSet,
    readings: Array | None,
    candidate: CandidateModel,
    adjusted: Adjustment,
    metre: float,
) -> tuple[CandidateModel, Adjustment]:
    """Drive joints one to one whose motors explain them, but by another ratio or loosely.

    The likelihood decides: a joint that its motor states has no values of its own, and a ratio of
    one to one is no parameter.

    Args:
        frames: the reference and F frames.
        readings: (F, M) of the motors in them, if there are any.
        candidate: the candidate, its motors matched.
        adjusted: it in these frames.
        metre: one metre in robot sizes.

    Returns:
        The candidate, and it in the frames; the same ones where no joint is driven so.
    """
    if readings is None:
        return candidate, adjusted
    motors, off = candidate.tree.motors, candidate.off_direct(metre)
    loose = (motors.columns >= 0) & (motors.unexplained_shares < UNMATCHED) & (off < UNMATCHED)
    loose &= ~candidate.follow_motors | (off > 0)
    clouds, noise = frames.frames, frames.noise
    for joint in np.flatnonzero(loose).tolist():
        now = PosedState(candidate, adjusted.states)
        likelihood = RecordingLikelihood(frames, readings, metre, design_effect(frames, now))
        tied = _driven(candidate, np.arange(len(loose)) == joint, metre)
        values = adjusted.states.values.copy()
        values[:, joint] = tied.predicted(readings)[:, joint]
        start = States(values, adjusted.states.base)
        other = adjusted_to(clouds, tied, start, readings, noise)
        state = PosedState(replace(tied, model=other.model), other.states)
        if likelihood.score(state) > likelihood.score(now):
            # It explains other points than before.
            candidate = relabelled(frames, tied, other)
            adjusted = adjusted_to(clouds, candidate, other.states, readings, noise)
    return candidate, adjusted


def _driven(candidate: CandidateModel, joints: NDArray[np.bool_], metre: float) -> CandidateModel:
    """The candidate with some joints driven one to one."""
    motors = candidate.tree.motors
    direct = np.sign(motors.ratios) * candidate.direct_ratios(metre)
    fits = replace(
        motors,
        ratios=np.where(joints, direct, motors.ratios),
        unexplained_shares=np.where(joints, 0.0, motors.unexplained_shares),
    )
    return replace(candidate, tree=replace(candidate.tree, motors=fits))
