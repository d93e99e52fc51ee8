"""Ten free numbers of a body's pseudo-inertia whose first is its scale: the log-Cholesky factors.

The pseudo-inertia is m U Uᵀ with U = [[D, c], [0, 1]]: mass m, centre of mass c, and D upper
triangular with D Dᵀ the second moments about c over the mass (Rucker and Wensing, "Smooth
Parameterization of Rigid-Body Inertia", RA-L 2022, eq. 9, where α = ½ log m). The diagonal of D
are radii of gyration. Every value of the numbers is a physically consistent body.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from autourdf_ros.model.inertial.inertial_parameters import parameters_of, pseudo_inertia

Array = NDArray[np.float64]

_UPPER = np.triu_indices(3, 1)
_FLATTEST = 1e-6
"""Least second moment of a body along any direction, of its largest: a plate has a thickness."""


def body_parameters(coordinates: Array) -> Array:
    """Return the inertial parameters (10,) of log m, c (3), log D_ii (3), D_12, D_13, D_23."""
    factor = np.eye(4)
    factor[:3, :3] = np.diag(np.exp(coordinates[4:7]))
    factor[_UPPER] = coordinates[7:]
    factor[:3, 3] = coordinates[1:4]
    return parameters_of(np.exp(coordinates[0]) * factor @ factor.T)


def body_coordinates(parameters: Array) -> Array:
    """Return the free numbers (10,) of inertial parameters (10,); flat bodies get a thickness."""
    mass, centre = parameters[0], parameters[1:4] / parameters[0]
    second = pseudo_inertia(parameters)[:3, :3] / mass - np.outer(centre, centre)
    moments, axes = np.linalg.eigh(second)
    second = (axes * np.maximum(moments, _FLATTEST * moments[-1])) @ axes.T
    factor = np.linalg.cholesky(second[::-1, ::-1])[::-1, ::-1]
    return np.concatenate([[np.log(mass)], centre, np.log(np.diag(factor)), factor[_UPPER]])
