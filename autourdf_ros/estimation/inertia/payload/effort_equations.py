"""Equations of a load that the efforts of joints show: weighted joint by joint, not as wrenches.

A wrench from efforts is as noisy as its pose is near a singular one. The efforts are linear in the
load's parameters as well, by Jᵀ times the regressor, and their noise is the same at every pose.
Friction and offsets of the joints are eliminated from the normal equations (Schur complement), so
that the covariance has what they leave open. Both sides go through the same filter, as with
wrenches. The noise of the accelerations is below that of efforts, and is not taken off.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from autourdf_ros.data.wrenches.wrench_recording import JointLoad, WrenchRecording
from autourdf_ros.estimation.inertia.correlation_time import correlation_times
from autourdf_ros.estimation.inertia.payload.moment_equations import (
    NOTHING_ELSE,
    KnownLoad,
    MomentEquations,
    Regression,
)
from autourdf_ros.estimation.inertia.payload.motion_smoothing import RecordFilter
from autourdf_ros.estimation.inertia.payload.regressor import recording_regressor

Array = NDArray[np.float64]

_RANK = 1e-9
"""Singular values of scaled columns below this share of the largest are rounding."""


@dataclass(frozen=True)
class EffortRegression(Regression):
    """The efforts of a load in linear form; the wrenches are for those who look at them.

    Attributes:
        joint_rows: (m, 10) regressors of all efforts, in their deviations.
        constants: (m, k) orthonormal basis of what unknown constants can exert, likewise.
        efforts: (m,) measured, likewise.
    """

    joint_rows: Array | None = None
    constants: Array | None = None
    efforts: Array | None = None

    def equations(self, parameters: Array) -> MomentEquations:
        """Return the equations; their weights do not depend on the load."""
        assert self.joint_rows is not None
        assert self.constants is not None
        assert self.efforts is not None
        rows = self.joint_rows - self.constants @ (self.constants.T @ self.joint_rows)
        matrix = rows.T @ rows
        target = rows.T @ self.efforts - matrix @ self.known.parameters
        return MomentEquations(matrix, target, matrix + matrix @ self.known.covariance @ matrix.T)


def effort_regression(
    recording: WrenchRecording,
    joints: JointLoad,
    smoothing: RecordFilter,
    known: KnownLoad = NOTHING_ELSE,
) -> EffortRegression:
    """Return the regression of a recording of joints.

    The noise of each joint's efforts is what the rigid load and the constants that explain them
    best leave over.

    Args:
        recording: Motion of the sensor's frame.
        joints: Efforts.
        smoothing: Of efforts, regressors and constants.
        known: What the joints bear beside the load and the robot.
    """
    rows = recording_regressor(recording)
    by_joint = np.einsum("nij,nik->njk", joints.jacobians, rows)
    columns = np.concatenate([by_joint, joints.constants], axis=2)
    scale = 1 / _noise(columns, joints.efforts)
    weighted = smoothing.smooth(columns * scale[:, None]).reshape(-1, columns.shape[2])
    information = np.einsum("nij,j,nkj->nik", joints.jacobians, scale**2, joints.jacobians)
    spread = np.diagonal(np.linalg.pinv(information), axis1=1, axis2=2)
    return EffortRegression(
        rows,
        recording.wrenches,
        np.asarray(np.median(spread, axis=0)),
        np.zeros(6),
        1.0,
        known,
        joint_rows=weighted[:, :10],
        constants=_basis(weighted[:, 10:]),
        efforts=smoothing.smooth(joints.efforts * scale).ravel(),
    )


def _noise(columns: Array, efforts: Array) -> Array:
    """Deviations (J,) of independent efforts with as much noise at low frequencies.

    They are those of efforts (n, J) from what columns (n, J, k) explain of them, times the root of
    their integrated autocorrelation time.
    """
    size = np.linalg.norm(columns, axis=(0, 1))
    columns = columns / np.where(size > 0, size, 1.0)
    noise = np.ones(efforts.shape[1])
    least = np.finfo(float).eps * (1 + np.abs(efforts).max())
    for _ in range(3):  # the weights follow what is left
        matrix = (columns / noise[:, None]).reshape(-1, columns.shape[2])
        found = np.linalg.lstsq(matrix, (efforts / noise).ravel(), rcond=_RANK)[0]
        rest = efforts - columns @ found
        noise = np.maximum(rest.std(0), least)
    return np.asarray(noise * np.sqrt(correlation_times(rest)))


def _basis(columns: Array) -> Array:
    """Orthonormal basis (m, r) of what columns (m, k) span, each scaled first."""
    size = np.linalg.norm(columns, axis=0)
    kept = columns[:, size > 0] / size[size > 0]
    if not kept.shape[1]:
        return kept
    vectors, values, _ = np.linalg.svd(kept, full_matrices=False)
    return np.asarray(vectors[:, values > _RANK * values[0]])
