"""Match motors with joints: estimated joint values against the motors' readings."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import linear_sum_assignment

from autourdf_ros.geometry.arrays import Array
from autourdf_ros.model.layers.kinematics import MotorMatch

GEAR_TOLERANCE = 0.05  # a ratio this near to +1 or -1 is taken for it
LEAST_EXPLAINED = 0.9  # share of the joint's own variation that a motor must explain
LEAST_MOTION = 1e-4  # rad or m; below that a motor did not move


def moving_readings(readings: Sequence[Mapping[str, float]]) -> dict[str, Array]:
    """Return readings (F,) by motor name, of the motors read in every frame that moved at all."""
    names = set.intersection(*(set(reading) for reading in readings)) if readings else set()
    columns = {name: np.array([reading[name] for reading in readings]) for name in sorted(names)}
    return {
        name: column
        for name, column in columns.items()
        if np.isfinite(column).all() and np.ptp(column) > LEAST_MOTION
    }


def still_motors(readings: Sequence[Mapping[str, float]]) -> list[str]:
    """Return the names of the motors read in every frame that never moved."""
    names = set.intersection(*(set(reading) for reading in readings)) if readings else set()
    moving = moving_readings(readings)
    return sorted(
        name
        for name in names - set(moving)
        if np.isfinite([reading[name] for reading in readings]).all()
    )


def match_motors(
    values: Array, readings: Mapping[str, Array], coupled: NDArray[np.bool_] | None = None
) -> list[MotorMatch | None]:
    """Match motors to joints one to one, where a motor explains a joint's values.

    reading = ratio * value + offset by robust regression. A ratio near 1 in size is exactly 1.

    Args:
        values: (F, J) joint values.
        readings: (F,) by motor name.
        coupled: (J, J) pairs of joints that one motor may move, as the fingers of a gripper.

    Returns:
        The motor of every joint, or None.
    """
    joints = values.shape[1]
    names = list(readings)
    if not names or len(values) < 3:
        return [None] * joints
    cost = np.ones((joints, len(names)))
    fits: dict[tuple[int, int], MotorMatch] = {}
    for j in range(joints):
        spread = _deviation(values[:, j])
        for m, name in enumerate(names):
            fit = _regress(name, values[:, j], readings[name])
            fits[j, m] = fit
            cost[j, m] = min(1.0, (fit.residual / max(abs(fit.ratio) * spread, 1e-12)) ** 2)
    # What explains nothing does not compete: else a good match gives way to a less bad one.
    cost[cost >= 1 - LEAST_EXPLAINED] = 1.0
    rows, columns = linear_sum_assignment(cost)
    result: list[MotorMatch | None] = [None] * joints
    for j, m in zip(rows, columns, strict=True):
        if cost[j, m] < 1 - LEAST_EXPLAINED:
            result[j] = fits[j, m]
    column = {name: m for m, name in enumerate(names)}
    own = list(result)
    for j, other in np.argwhere(coupled) if coupled is not None else ():
        match = own[other]
        if own[j] is None and match and cost[j, column[match.name]] < 1 - LEAST_EXPLAINED:
            result[j] = fits[j, column[match.name]]
    return result


def _deviation(column: Array) -> float:
    return float(1.4826 * np.median(np.abs(column - np.median(column))))


def _regress(name: str, value: Array, reading: Array) -> MotorMatch:
    """Robust line through (value, reading): Siegel's repeated medians, then snapped gear ratio."""
    step_value = value[:, None] - value[None]
    step_reading = reading[:, None] - reading[None]
    least = 0.05 * np.ptp(value)
    far = np.abs(step_value) > max(least, 1e-12)
    slopes = np.where(far, step_reading / np.where(far, step_value, 1.0), np.nan)
    usable = far.any(axis=1)
    ratio = float(np.median(np.nanmedian(slopes[usable], axis=1))) if usable.any() else 0.0
    if abs(abs(ratio) - 1) < GEAR_TOLERANCE:
        ratio = float(np.sign(ratio))
    offset = float(np.median(reading - ratio * value))
    residual = float(np.median(np.abs(reading - ratio * value - offset)))
    return MotorMatch(name, ratio, offset, residual)
