"""Adjust a model to all frames that are believed, and its links' points with it."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from autourdf_ros.errors import ReconstructionError
from autourdf_ros.kinematics.adjustment import Adjustment, States
from autourdf_ros.kinematics.deformation_graph import neighbour_graph
from autourdf_ros.kinematics.evidence import Evidence
from autourdf_ros.kinematics.hypothesis import Hypothesis, key_surfaces, relabelled
from autourdf_ros.kinematics.polishing import adjusted_to
from autourdf_ros.kinematics.spread import far_apart
from autourdf_ros.kinematics.tracking import Motion
from autourdf_ros.progress import Progress

LAST_ADJUSTMENTS = 10
ROUNDS = 6  # of adjusting and of giving points to links anew, at most
SETTLED = 0.05  # share of a link's points that changed when no more rounds are needed
KEYS = 5  # frames, beside the reference, that the others are fitted to in the end


def adjust_finally(
    evidence: Evidence, hypothesis: Hypothesis, motion: Motion, progress: Progress
) -> tuple[Hypothesis, Adjustment]:
    """Adjust over all believed frames but the reference, which the surface is.

    Then, in rounds, give the points to the links anew and adjust to key frames' surfaces as well.
    Raises ReconstructionError where no frame is believed.
    """
    chosen = np.flatnonzero(motion.used)
    chosen = chosen[chosen > 0]
    if not len(chosen):
        raise ReconstructionError("no frame fits the model that was found")
    clouds, readings = evidence.clouds(chosen), evidence.readings_in(chosen)
    reference, noise = evidence.reference, evidence.noise
    states = States(motion.states.values[chosen], motion.states.base[chosen])
    adjusted = adjusted_to(clouds, hypothesis, states, readings, noise)
    neighbours = neighbour_graph(reference.points, reference.spacing)
    key_frames = far_apart(adjusted.states.values, KEYS)
    for done in range(ROUNDS):
        progress("adjustment", (1 + done) / (1 + ROUNDS))
        before = hypothesis.labels
        hypothesis = relabelled(reference, clouds, hypothesis, adjusted, neighbours, noise=noise)
        keys = key_surfaces(hypothesis, clouds, adjusted, key_frames, noise=noise)
        adjusted = adjusted_to(clouds, hypothesis, adjusted.states, readings, noise, keys=keys)
        if changed(before, hypothesis.labels) < SETTLED:
            break
    hypothesis = replace(hypothesis, model=adjusted.model)
    adjusted = adjusted_to(
        clouds,
        hypothesis,
        adjusted.states,
        readings,
        noise,
        keys=keys,
        iterations=LAST_ADJUSTMENTS,
    )
    return hypothesis, adjusted


def changed(before: NDArray[np.int64], after: NDArray[np.int64]) -> float:
    """Points (N,) that changed their link, as a share of its size; of the link that did most."""
    moved = before != after
    lost = np.bincount(before[moved] + 1, minlength=after.max() + 2)
    won = np.bincount(after[moved] + 1, minlength=len(lost))
    sizes = np.bincount(after + 1, minlength=len(lost))
    return float(((lost + won) / np.maximum(sizes, 1))[1:].max())
