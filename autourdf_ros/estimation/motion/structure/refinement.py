"""Adjust a candidate to frames whose states it has: how often, how tightly."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from autourdf_ros.estimation.motion.fitting.adjustment import Adjustment, MatchSchedule, adjust
from autourdf_ros.estimation.motion.fitting.frame_fit import States
from autourdf_ros.estimation.motion.fitting.surface_comparison import KeySurface
from autourdf_ros.estimation.motion.structure.candidate_model import (
    CandidateModel,
    articulated_surface,
)
from autourdf_ros.geometry.arrays import Array
from autourdf_ros.geometry.point_cloud import Cloud

KERNELS = (1.0, 0.25)  # start and end of the adjustment, in point spacings, at least 2 sigma
ADJUSTMENTS = 8
KEY_ADJUSTMENTS = 3
TOLERANCE = 2e-5  # rad or robot sizes


def refined(
    candidate: CandidateModel, frames: list[Cloud], readings: Array | None, noise: float
) -> CandidateModel:
    """Return the candidate with its joints adjusted to the F frames that it was found in.

    Args:
        candidate: the candidate.
        frames: the frames.
        readings: (F, M) of the motors in them, if there are any.
        noise: standard deviation of a point along its normal.
    """
    adjusted = adjusted_to(frames, candidate, candidate.states, readings, noise)
    return replace(candidate, model=adjusted.model, states=adjusted.states)


def adjusted_to(
    frames: list[Cloud],
    candidate: CandidateModel,
    states: States,
    readings: Array | None,
    noise: float,
    *,
    keys: Sequence[KeySurface] = (),
    iterations: int = KEY_ADJUSTMENTS,
    known: Array | None = None,
) -> Adjustment:
    """Adjust a candidate to F frames.

    Args:
        candidate: the candidate.
        frames: the frames.
        states: of the candidate in them, to start from.
        readings: (F, M) of the motors in them, if there are any.
        noise: standard deviation of a point along its normal.
        keys: surfaces of some frames; these come after an adjustment without.
        iterations: at most, with keys.
        known: information of the joints' lines, which then stay as they are (`adjust`).
    """
    spacing = float(np.median([frame.spacing for frame in frames]))
    end = max(KERNELS[1] * spacing, 2 * noise)
    if keys:
        widths = np.full(iterations, end)
    else:
        start = max(KERNELS[0] * spacing, end)
        widths = np.geomspace(start, end, ADJUSTMENTS // 2)
        widths = np.concatenate([widths, np.full(ADJUSTMENTS // 2, end)])
    return adjust(
        articulated_surface(candidate, noise),
        frames,
        states,
        MatchSchedule(3 * spacing, widths, tolerance=TOLERANCE),
        keys=keys,
        expected=None if readings is None else candidate.predicted(readings),
        known=known,
    )
