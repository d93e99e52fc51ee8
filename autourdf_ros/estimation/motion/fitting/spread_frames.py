"""Choose frames in which the joints were in as different places as can be."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from autourdf_ros.estimation.motion.fitting.tracking import Motion
from autourdf_ros.geometry.arrays import Array


def travels(motion: Motion, readings: Array | None) -> Array:
    """Return where joints were in all frames (F, D): as tracked, and by the motors, known or not.

    Args:
        motion: the tracked motion.
        readings: (F, M) of the motors, if there are any.
    """
    values = motion.states.values
    if readings is None:
        return values
    spans = np.maximum(np.ptp(readings, axis=0), 1e-12)
    return np.concatenate([values, readings / spans], axis=1)


def spread_frames(motion: Motion, places: Array, count: int) -> NDArray[np.int64]:
    """Return numbers of up to `count` inlier frames, not the reference, that are far apart.

    Args:
        motion: of all F frames.
        places: (F, D) where the joints were.
        count: how many.
    """
    candidates = np.flatnonzero(motion.good)
    candidates = candidates[candidates > 0]
    if len(candidates) < count:  # the best there are
        order = np.argsort(motion.scores)
        candidates = np.sort(order[motion.used[order] & (order > 0)][:count])
    return np.sort(candidates[far_apart(places[candidates], count)])


def far_apart(values: Array, count: int) -> list[int]:
    """Return numbers of up to `count` of values (F, D) far from zero and each other.

    The farthest come first. No place is taken twice; of frames that all stand at zero, the first
    is.
    """
    distances = np.abs(values).sum(axis=1)
    chosen: list[int] = []
    while len(chosen) < min(count, len(values)) and (not chosen or distances.max() > 0):
        chosen.append(int(distances.argmax()))
        distances = np.minimum(distances, np.abs(values - values[chosen[-1]]).sum(axis=1))
    return chosen
