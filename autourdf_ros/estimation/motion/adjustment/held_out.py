"""Choose frames to be kept out of the adjustment, so that they can judge what it finds."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

EVERY = 8  # frames: one of so many is held out, which costs a fit an eighth of what it knows
LEAST_SEQUENCE = 5  # frames of a sequence that can spare one
LEAST_FRAMES = 10  # of a recording: with fewer, every one is needed to find the model
PLACE = 0.6  # in a sequence's piece: after the early frames, before the farthest


def held_out(lengths: Sequence[int], used: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """Return whether each frame (F,) is held out: one in `EVERY`, in all sequences alike.

    None is held out of a recording that is short, nor where as many as are left would be.

    Args:
        lengths: numbers of frames of the sequences.
        used: (F,) whether a frame is an inlier; one that is not cannot judge the model.
    """
    chosen = np.zeros(len(used), dtype=bool)
    if len(used) < LEAST_FRAMES:
        return chosen
    start = 0
    for length in lengths:
        count = max(length // EVERY, 1) if length >= LEAST_SEQUENCE else 0
        places = (np.arange(count) + PLACE) * length / max(count, 1)
        chosen[start + places.astype(int)] = True
        start += length
    chosen &= used
    return chosen if 2 * chosen.sum() < used.sum() else np.zeros_like(chosen)
