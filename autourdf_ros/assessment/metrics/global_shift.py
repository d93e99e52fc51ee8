"""The single translation of a whole model that brings its axes closest to the true joints."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from autourdf_ros.geometry.lines import across

MIN_JOINTS = 3
"""With fewer lines, three unknowns would explain the errors themselves."""

UNDETERMINED = 0.01
"""Share of the best determined direction's information below which there is no shift along a
direction: axes that are parallel within six degrees do not determine a shift along them."""

ITERATIONS = 100
SMOOTHING = 1e-7  # m; keeps the weights of the L1 norm finite at zero distance


def best_global_shift(
    true_points: NDArray[np.float64],
    line_points: NDArray[np.float64],
    axes: NDArray[np.float64],
) -> NDArray[np.float64] | None:
    """Return the shift of the estimated lines with the least mean distance to the true origins.

    Some recordings are shifted as a whole against their truth (a bias of the simulator that made
    them, which no reconstruction can detect); the error after this shift is the estimate's own.
    The mean is of distances, not of their squares, so that one wrong joint does not move all others
    (iteratively reweighted least squares). Where the lines do not determine a direction (nearly
    parallel), the shift along it is zero.

    Args:
        true_points: (J, 3) true joint origins (m).
        line_points: (J, 3) a point on every estimated axis (m).
        axes: (J, 3) estimated axes (unit).

    Returns:
        (3,) shift (m); None for fewer than `MIN_JOINTS` joints.
    """
    if len(axes) < MIN_JOINTS:
        return None
    projectors = np.eye(3) - np.einsum("ji,jk->jik", axes, axes)
    offsets = np.array(
        [across(p - q, a) for p, q, a in zip(true_points, line_points, axes, strict=True)]
    )
    share, directions = np.linalg.eigh(projectors.mean(axis=0))
    basis = directions[:, share > UNDETERMINED * share[-1]]
    shift = np.zeros(3)
    weights = np.ones(len(axes))
    for _ in range(ITERATIONS):
        information = np.einsum("j,jik->ik", weights, projectors)
        target = np.einsum("j,ji->i", weights, offsets)
        shift = basis @ np.linalg.solve(basis.T @ information @ basis, basis.T @ target)
        residuals = offsets - np.einsum("jik,k->ji", projectors, shift)
        weights = 1 / np.sqrt(np.sum(residuals**2, axis=1) + SMOOTHING**2)
        weights /= weights.max()
    return shift
