"""Adjust a model to the inlier frames, and its links' points with it.

Some frames are held out; only their states are found, by the model that the others gave. (The
search that found its bodies and its tree may have used them: they judge how it was fitted to the
others.)
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from autourdf_ros.errors import ReconstructionError
from autourdf_ros.estimation.motion.adjustment.direct_drives import (
    with_likely_drives,
    with_near_drives,
)
from autourdf_ros.estimation.motion.adjustment.held_out import held_out
from autourdf_ros.estimation.motion.adjustment.round_joints import with_round_joints
from autourdf_ros.estimation.motion.fitting.adjustment import Adjustment
from autourdf_ros.estimation.motion.fitting.frame_fit import States
from autourdf_ros.estimation.motion.fitting.spread_frames import far_apart
from autourdf_ros.estimation.motion.fitting.tracking import Motion
from autourdf_ros.estimation.motion.structure.candidate_model import CandidateModel
from autourdf_ros.estimation.motion.structure.problem import Problem
from autourdf_ros.estimation.motion.structure.refinement import adjusted_to
from autourdf_ros.estimation.motion.structure.relabelling import key_surfaces, relabelled
from autourdf_ros.estimation.motion.structure.scoring.recording_likelihood import (
    PosedState,
    design_effect,
)
from autourdf_ros.geometry.arrays import Labels
from autourdf_ros.progress import Progress

LAST_ADJUSTMENTS = 10
ROUNDS = 6  # of adjusting and of labelling points anew, at most
SETTLED = 0.05  # share of a link's points that changed when no more rounds are needed
KEYS = 5  # frames, beside the reference, that the others are fitted to in the end


@dataclass(frozen=True)
class Fit:
    """An adjustment to some frames.

    Attributes:
        frames: their numbers in the recording.
        adjustment: in which their states were found.
    """

    frames: NDArray[np.int64]
    adjustment: Adjustment


@dataclass(frozen=True)
class FinalModel:
    """A candidate as it was adjusted.

    Attributes:
        candidate: the adjusted candidate.
        fitted: the frames that it was adjusted to.
        held_out: frames that it was not adjusted to, with their states by it; None in a short
            recording.
    """

    candidate: CandidateModel
    fitted: Fit
    held_out: Fit | None

    @property
    def fits(self) -> tuple[Fit, ...]:
        """Of all inlier frames but the reference."""
        return (self.fitted,) if self.held_out is None else (self.fitted, self.held_out)

    def states(self, motion: Motion) -> States:
        """Return the states of all frames: as adjusted, where they were, else as in `motion`."""
        values, base = motion.states.values.copy(), motion.states.base.copy()
        for fit in self.fits:
            values[fit.frames] = fit.adjustment.states.values
            base[fit.frames] = fit.adjustment.states.base
        return States(values, base)


def adjust_model(
    problem: Problem, candidate: CandidateModel, motion: Motion, progress: Progress
) -> FinalModel:
    """Adjust a candidate over the inlier frames that are not held out.

    The reference does not count: the surface is it. Then, in rounds, label the points anew and
    adjust to key frames' surfaces as well. Then hold the axes of last links that are hardly known
    by what is round about them.

    Args:
        problem: the recording and what is known of it.
        candidate: the candidate.
        motion: its motion in all frames.
        progress: is called with the stage and the share done.

    Raises:
        ReconstructionError: where no frame is an inlier.
    """
    apart = held_out([len(sequence) for sequence in problem.prepared.sequences], motion.used)
    chosen = np.flatnonzero(motion.used & ~apart)
    chosen = chosen[chosen > 0]
    if not len(chosen):
        raise ReconstructionError("no frame fits the model that was found")
    frames, readings, noise = problem.frame_set(chosen), problem.readings_in(chosen), problem.noise
    clouds, metre = frames.frames, problem.metre
    candidate = with_near_drives(candidate, metre)
    adjusted = adjusted_to(clouds, candidate, _states_in(motion, chosen), readings, noise)
    candidate, adjusted = with_likely_drives(frames, readings, candidate, adjusted, metre)
    key_frames = far_apart(adjusted.states.values, KEYS)
    for done in range(ROUNDS):
        progress("adjustment", (1 + done) / (1 + ROUNDS))
        before = candidate.labels
        candidate = relabelled(frames, candidate, adjusted)
        keys = key_surfaces(frames, candidate, adjusted, key_frames)
        adjusted = adjusted_to(clouds, candidate, adjusted.states, readings, noise, keys=keys)
        if changed(before, candidate.labels) < SETTLED:
            break
    candidate = replace(candidate, model=adjusted.model)
    adjusted = adjusted_to(
        clouds,
        candidate,
        adjusted.states,
        readings,
        noise,
        keys=keys,
        iterations=LAST_ADJUSTMENTS,
    )
    candidate = replace(candidate, model=adjusted.model)
    # Points beside each other that err alike, as a real camera's do, are fewer than they look.
    design = design_effect(frames, PosedState(candidate, adjusted.states))
    candidate, adjusted = with_round_joints(frames, readings, candidate, adjusted, design)
    adjusted = adjusted.widened(design)
    held = np.flatnonzero(apart)
    return FinalModel(
        candidate,
        Fit(chosen, adjusted),
        _fit_states(problem, candidate, adjusted, motion, held) if len(held) else None,
    )


def _fit_states(
    problem: Problem,
    candidate: CandidateModel,
    adjusted: Adjustment,
    motion: Motion,
    frames: NDArray[np.int64],
) -> Fit:
    """States of frames by the model as it was adjusted to others."""
    found = adjusted_to(
        problem.clouds(frames),
        candidate,
        _states_in(motion, frames),
        problem.readings_in(frames),
        problem.noise,
        known=adjusted.information,
    )
    return Fit(frames, found)


def _states_in(motion: Motion, frames: NDArray[np.int64]) -> States:
    return States(motion.states.values[frames], motion.states.base[frames])


def changed(before: Labels, after: Labels) -> float:
    """Return the share of a link's points (N,) that changed it, of the link where most did."""
    moved = before != after
    lost = np.bincount(before[moved] + 1, minlength=after.max() + 2)
    won = np.bincount(after[moved] + 1, minlength=len(lost))
    sizes = np.bincount(after + 1, minlength=len(lost))
    return float(((lost + won) / np.maximum(sizes, 1))[1:].max())
