"""Adjust a model to the frames that are believed, and its links' points with it.

Some frames are held out; only their states are found, by the model that the others gave. (The looks
that found its bodies and its tree may have seen them: they judge how it was fitted to the others.)
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from autourdf_ros.errors import ReconstructionError
from autourdf_ros.estimation.motion.adjustment.held_out import held_out
from autourdf_ros.estimation.motion.fitting.adjustment import Adjustment
from autourdf_ros.estimation.motion.fitting.frame_fit import States
from autourdf_ros.estimation.motion.fitting.spread_frames import far_apart
from autourdf_ros.estimation.motion.fitting.tracking import Motion
from autourdf_ros.estimation.motion.registration.deformation_graph import neighbour_graph
from autourdf_ros.estimation.motion.structure.candidate_model import CandidateModel
from autourdf_ros.estimation.motion.structure.problem import Problem
from autourdf_ros.estimation.motion.structure.refinement import adjusted_to
from autourdf_ros.estimation.motion.structure.relabelling import key_surfaces, relabelled
from autourdf_ros.progress import Progress

LAST_ADJUSTMENTS = 10
ROUNDS = 6  # of adjusting and of giving points to links anew, at most
SETTLED = 0.05  # share of a link's points that changed when no more rounds are needed
KEYS = 5  # frames, beside the reference, that the others are fitted to in the end


@dataclass(frozen=True)
class Fit:
    """Frames by their numbers in the recording, and the adjustment that found their states."""

    frames: NDArray[np.int64]
    adjustment: Adjustment


@dataclass(frozen=True)
class FinalModel:
    """The hypothesis as it was adjusted to the frames of `fitted`.

    held_out: frames that told nothing of it, with their states by it; none in a short recording.
    """

    candidate: CandidateModel
    fitted: Fit
    held_out: Fit | None

    @property
    def fits(self) -> tuple[Fit, ...]:
        """Of all frames but the reference that are believed."""
        return (self.fitted,) if self.held_out is None else (self.fitted, self.held_out)

    def states(self, motion: Motion) -> States:
        """States of all frames: as adjusted, where they were, else as in `motion`."""
        values, base = motion.states.values.copy(), motion.states.base.copy()
        for fit in self.fits:
            values[fit.frames] = fit.adjustment.states.values
            base[fit.frames] = fit.adjustment.states.base
        return States(values, base)


def adjust_finally(
    problem: Problem, candidate: CandidateModel, motion: Motion, progress: Progress
) -> FinalModel:
    """Adjust over the believed frames that are not held out, nor the reference: the surface is it.

    Then, in rounds, give the points to the links anew and adjust to key frames' surfaces as well.
    Raises ReconstructionError where no frame is believed.
    """
    apart = held_out([len(sequence) for sequence in problem.prepared.sequences], motion.used)
    chosen = np.flatnonzero(motion.used & ~apart)
    chosen = chosen[chosen > 0]
    if not len(chosen):
        raise ReconstructionError("no frame fits the model that was found")
    clouds, readings = problem.clouds(chosen), problem.readings_in(chosen)
    reference, noise = problem.reference, problem.noise
    states = _states_in(motion, chosen)
    adjusted = adjusted_to(clouds, candidate, states, readings, noise)
    neighbours = neighbour_graph(reference.points, reference.spacing)
    key_frames = far_apart(adjusted.states.values, KEYS)
    for done in range(ROUNDS):
        progress("adjustment", (1 + done) / (1 + ROUNDS))
        before = candidate.labels
        candidate = relabelled(reference, clouds, candidate, adjusted, neighbours, noise=noise)
        keys = key_surfaces(candidate, clouds, adjusted, key_frames, noise=noise)
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
    held = np.flatnonzero(apart)
    return FinalModel(
        candidate,
        Fit(chosen, adjusted),
        _held_still(problem, candidate, adjusted, motion, held) if len(held) else None,
    )


def _held_still(
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


def changed(before: NDArray[np.int64], after: NDArray[np.int64]) -> float:
    """Points (N,) that changed their link, as a share of its size; of the link that did most."""
    moved = before != after
    lost = np.bincount(before[moved] + 1, minlength=after.max() + 2)
    won = np.bincount(after[moved] + 1, minlength=len(lost))
    sizes = np.bincount(after + 1, minlength=len(lost))
    return float(((lost + won) / np.maximum(sizes, 1))[1:].max())
