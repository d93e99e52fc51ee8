"""Errors of joint values that depend on where the mechanism is: no number of frames averages them.

A tracker's error depends on how the bodies are seen, and so on the joint values. To the fit such an
error looks like another motion. It is unknown but smooth: to either side of a joint's travel, and
about its middle, by independent amounts for every joint on which it may depend.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from autourdf_ros.estimation.dynamics.joint_motion_data import JointMotion

Array = NDArray[np.float64]


def lasting_errors(motion: JointMotion, share: float) -> Iterator[JointMotion]:
    """Yield the motion with one independent part of the lasting error after the other.

    Args:
        motion: As observed.
        share: Of the variance of joint values, as stated, that lasts.
    """
    shapes = _shapes(motion.positions)
    sizes = np.sqrt(share / max(len(shapes), 1)) * motion.stds
    for joint in np.flatnonzero(np.isfinite(motion.positions).any(0)):
        for shape in shapes:
            moved = motion.positions.copy()
            moved[:, joint] += sizes[:, joint] * shape
            yield replace(motion, positions=moved)


def _shapes(positions: Array) -> Array:
    """Independent smooth functions (N, T) of joint values (T, J), of mean 0 and mean square 1.

    Cosine and sine of every joint's value: a joint that passes less than half a turn, or slides,
    counts as if it passed half a turn.
    """
    count, found = len(positions), []
    for values in positions.T:
        known = np.flatnonzero(np.isfinite(values))
        travel = float(np.ptp(values[known])) if len(known) else 0.0
        if travel > 0:
            filled = np.interp(np.arange(count), known, values[known]) - values[known].min()
            angle = filled * max(1.0, np.pi / travel)
            found += [np.cos(angle), np.sin(angle)]
    centred = np.array(found).reshape(-1, count)
    centred = centred - centred.mean(1, keepdims=True)
    _, sizes, rows = np.linalg.svd(centred, full_matrices=False)
    return np.asarray(np.sqrt(count) * rows[sizes > 1e-6 * sizes.max(initial=0.0)])
