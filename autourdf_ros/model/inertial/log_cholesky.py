"""Ten free numbers in place of inertial parameters: every value is a physically consistent body.

Rucker and Wensing, "Smooth Parameterization of Rigid-Body Inertia", RA-L 2022: the pseudo-inertia
is U Uᵀ with U upper triangular, its diagonal the exponentials of free numbers.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from autourdf_ros.model.inertial.inertial_parameters import parameters_of, pseudo_inertia

Array = NDArray[np.float64]

_UPPER = np.triu_indices(4, 1)


def from_log_cholesky(theta: Array) -> Array:
    """Return the parameters (10,) of free numbers (10,): four log-diagonals, six entries above."""
    factor = np.diag(np.exp(theta[:4]))
    factor[_UPPER] = theta[4:]
    return parameters_of(factor @ factor.T)


def to_log_cholesky(parameters: Array) -> Array:
    """Return the free numbers (10,) of consistent parameters (10,).

    Raises:
        numpy.linalg.LinAlgError: no body has these parameters.
    """
    factor = np.linalg.cholesky(pseudo_inertia(parameters)[::-1, ::-1])[::-1, ::-1]
    return np.concatenate([np.log(np.diag(factor)), factor[_UPPER]])


def log_cholesky_jacobian(theta: Array) -> Array:
    """Return the derivatives (10, 10) of the parameters by the free numbers."""
    factor = np.diag(np.exp(theta[:4]))
    factor[_UPPER] = theta[4:]
    tangents = np.zeros((10, 4, 4))
    tangents[np.arange(4), np.arange(4), np.arange(4)] = np.exp(theta[:4])
    tangents[np.arange(4, 10), *_UPPER] = 1.0
    half = tangents @ factor.T
    return parameters_of(half + np.swapaxes(half, -1, -2)).T
