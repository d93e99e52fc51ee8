"""The linear map from a load's ten inertial parameters to the wrenches that it exerts."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from autourdf_ros.data.wrenches.wrench_recording import WrenchRecording

Array = NDArray[np.float64]

RANK = 1e-9
"""Singular values below this share of the largest are rounding."""


def cross_matrices(vectors: Array) -> Array:
    """Return the matrices (..., 3, 3) of cross products with vectors (..., 3)."""
    x, y, z = np.moveaxis(np.asarray(vectors, float), -1, 0)
    zero = np.zeros_like(x)
    rows = [[zero, -z, y], [z, zero, -x], [-y, x, zero]]
    return np.moveaxis(np.array(rows), (0, 1), (-2, -1))


def tensor_products(vectors: Array) -> Array:
    """Return the matrices (..., 3, 6) by which an inertia's six entries become I v."""
    x, y, z = np.moveaxis(np.asarray(vectors, float), -1, 0)
    zero = np.zeros_like(x)
    rows = [[x, y, zero, z, zero, zero], [zero, x, y, zero, z, zero], [zero, zero, zero, x, y, z]]
    return np.moveaxis(np.array(rows), (0, 1), (-2, -1))


def gravity_in_sensor(recording: WrenchRecording) -> Array:
    """Return gravity (n, 3) along the sensor's axes (m/s²)."""
    turns = recording.sensor_poses[:, :3, :3]
    return np.einsum("nji,j->ni", turns, recording.gravity)


def regressor(fall: Array, turning: Array, spin: Array) -> Array:
    """Return the regressors (n, 6, 10) of n records: wrench = regressor @ parameters.

    Force m (g - a) and the like for torques, about the sensor's origin. Source: Atkeson, An,
    Hollerbach, "Estimation of Inertial Parameters of Manipulator Loads and Links", IJRR 1986.

    Args:
        fall: (n, 3) gravity less the acceleration of the sensor's origin (m/s²).
        turning: (n, 3) angular accelerations (rad/s²).
        spin: (n, 3) angular velocities (rad/s).
    """
    rows = np.zeros((len(fall), 6, 10))
    spinning = cross_matrices(spin)
    rows[:, :3, 0] = fall
    rows[:, :3, 1:4] = -(cross_matrices(turning) + spinning @ spinning)
    rows[:, 3:, 1:4] = -cross_matrices(fall)
    rows[:, 3:, 4:] = -(tensor_products(turning) + spinning @ tensor_products(spin))
    return rows


def recording_regressor(recording: WrenchRecording) -> Array:
    """Return the regressors (n, 6, 10) of a recording's motion as it was measured."""
    fall = gravity_in_sensor(recording) - recording.accelerations[:, :3]
    return regressor(fall, recording.accelerations[:, 3:], recording.velocities[:, 3:])


def acceleration_derivatives() -> Array:
    """Return the derivatives (6, 6, 10) of a regressor by linear and angular acceleration."""
    zero = np.zeros((6, 3))
    unit = np.eye(6)
    return regressor(-unit[:, :3], unit[:, 3:], zero)


def condition_number(rows: Array) -> float:
    """Return the condition number of stacked rows (k, 10) with columns scaled to length 1.

    inf where a column is zero. Source: Gautier, Khalil, "Exciting Trajectories for the
    Identification of Base Inertial Parameters of Robots", IJRR 1992.
    """
    stacked = rows.reshape(-1, rows.shape[-1])
    lengths = np.linalg.norm(stacked, axis=0)
    if not (lengths > 0).all():
        return float("inf")
    return float(np.linalg.cond(stacked / lengths))


def orthonormal(columns: Array) -> Array:
    """Return an orthonormal basis (n, r) of what columns (n, k) span, each scaled first."""
    lengths = np.linalg.norm(columns, axis=0)
    scaled = columns / np.where(lengths > 0, lengths, 1.0)
    vectors, values, _ = np.linalg.svd(scaled, full_matrices=False)
    return np.asarray(vectors[:, values > RANK * values[0]])
