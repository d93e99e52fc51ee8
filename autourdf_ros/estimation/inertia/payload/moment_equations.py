"""All records of a load as ten equations for its ten parameters, with the equations' noise.

The accelerations in the regressor are noisy. Least squares would pull the parameters towards
zero; the expected square of the noise is subtracted from the normal matrix (Fuller, "Measurement
Error Models", 1987, section 2.2). Regressors and wrenches are smoothed by the same filter, which
takes noise off and leaves the equations true, also where it flattens a motion. It does not change
the noise's density at the low frequencies of the motion, so the weights take it as measured; only
what is subtracted is less.

A sensor whose channels are wrong by a share of the load is wrong in all records alike: this is an
error of the equations, and does not shrink with the number of records.

What hangs on the sensor beside the load, a gripper, is in the same equations: they are those of the
sum, with the gripper's parameters put in, and the noise of these.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from autourdf_ros.data.wrenches.wrench_recording import WrenchRecording
from autourdf_ros.estimation.inertia.payload.motion_smoothing import RecordFilter
from autourdf_ros.estimation.inertia.payload.regressor import (
    acceleration_derivatives,
    recording_regressor,
)

Array = NDArray[np.float64]

_RANK = 1e-12
"""Eigenvalues of a normal matrix below this share of the largest are rounding (a multiple of the
precision of numbers)."""


@dataclass(frozen=True)
class MomentEquations:
    """target = matrix @ parameters + noise, with the noise's covariance.

    Attributes:
        matrix: (10, 10) normal matrix, the bias of noise taken off.
        target: (10,) right-hand side.
        covariance: (10, 10) of the noise in the equations.
    """

    matrix: Array
    target: Array
    covariance: Array

    def whitened(self) -> tuple[Array, Array]:
        """Return matrix (r, 10) and target (r,) of equations with independent unit noise."""
        scale = np.sqrt(np.maximum(np.diag(self.covariance), np.finfo(float).tiny))
        values, vectors = np.linalg.eigh(self.covariance / np.outer(scale, scale))
        kept = values > _RANK * values.max()
        factor = (vectors[:, kept] / np.sqrt(values[kept])).T / scale
        return factor @ self.matrix, factor @ self.target


@dataclass(frozen=True)
class KnownLoad:
    """What hangs on the sensor beside the load that is sought: a gripper.

    Attributes:
        parameters: (10,) in the sensor's frame.
        covariance: (10, 10) of them.
        weighed: Whether the same sensor weighed it: then its gain is as wrong in these parameters,
            and takes off what it added.
    """

    parameters: Array = field(default_factory=lambda: np.zeros(10))
    covariance: Array = field(default_factory=lambda: np.zeros((10, 10)))
    weighed: bool = False


NOTHING_ELSE = KnownLoad()


@dataclass(frozen=True)
class Regression:
    """The records of a load in linear form.

    Attributes:
        rows: (n, 6, 10) regressors, smoothed.
        wrenches: (n, 6) measured, of all that hangs on the sensor, smoothed likewise.
        wrench_variance: (6,) of the wrenches' noise.
        acceleration_variance: (6,) of the accelerations' noise as measured.
        noise_left: Share of it after smoothing.
        known: What hangs on the sensor beside the load.
        gain: Standard deviation of each channel's gain, as a share.
        excess: How many times these variances count: what else a rigid load leaves over.
    """

    rows: Array
    wrenches: Array
    wrench_variance: Array
    acceleration_variance: Array
    noise_left: float
    known: KnownLoad = NOTHING_ELSE
    gain: float = 0.0
    excess: float = 1.0

    @property
    def load_wrenches(self) -> Array:
        """(n, 6) of the load alone."""
        return np.asarray(self.wrenches - self.rows @ self.known.parameters)

    def noise(self, parameters: Array) -> Array:
        """Return the covariance (6, 6) of a record's noise, as measured, with such a load."""
        moved = acceleration_derivatives() @ (parameters + self.known.parameters)
        acceleration = (moved.T * self.acceleration_variance) @ moved
        return np.asarray(np.diag(self.wrench_variance) + acceleration)

    def equations(self, parameters: Array) -> MomentEquations:
        """Return the equations, weighted by the noise that a load of such parameters has."""
        tilt = acceleration_derivatives()
        weight = np.linalg.inv(self.noise(parameters))
        weighted = weight @ self.rows
        raw = np.einsum("nij,nik->jk", self.rows, weighted)
        target = np.einsum("nij,ni->j", weighted, self.wrenches)
        squares = np.einsum("kij,kil->kjl", tilt, weight @ tilt)
        bias = len(self.rows) * np.tensordot(
            self.noise_left * self.acceleration_variance, squares, axes=1
        )
        matrix = raw - bias
        target = target - matrix @ self.known.parameters
        scaled = self.load_wrenches if self.known.weighed else self.wrenches
        by_gain = self.gain * np.einsum("ni,nij->ji", scaled, weighted)
        shared = by_gain @ by_gain.T + matrix @ self.known.covariance @ matrix.T
        return MomentEquations(matrix, target, self.excess * raw + shared)

    def predicted(self, parameters: Array) -> Array:
        """Return the wrenches (n, 6) that a load of such parameters, and what is known, exert."""
        return np.asarray(self.rows @ (parameters + self.known.parameters))


def regression_of(
    recording: WrenchRecording,
    smoothing: RecordFilter,
    known: KnownLoad = NOTHING_ELSE,
    gain: float = 0.0,
    floor: float = 1e-3,
) -> Regression:
    """Return the regression of a recording.

    Args:
        recording: With the standard deviations of its noise.
        smoothing: Of regressors and wrenches.
        known: What hangs on the sensor beside the load.
        gain: Standard deviation of each channel's gain, as a share.
        floor: Least noise of a record as a share of the wrenches' root mean square: linearity.
    """
    squares = (recording.wrenches.reshape(-1, 2, 3) ** 2).sum(2).mean(0)
    least = floor * np.sqrt(squares)
    wrench = np.maximum(recording.wrench_std or (0.0, 0.0), least)
    acceleration = np.asarray(recording.acceleration_std or (0.0, 0.0))
    return Regression(
        smoothing.smooth(recording_regressor(recording)),
        smoothing.smooth(recording.wrenches),
        np.repeat(wrench**2, 3),
        np.repeat(acceleration**2, 3),
        smoothing.noise_left,
        known,
        gain,
    )
