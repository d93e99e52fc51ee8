"""A payload as results state it: mass, centre of mass and inertia tensor with deviations."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from autourdf_ros.model.inertial.inertial_parameters import (
    mass_centre_inertia,
    parameters_of,
)

Array = NDArray[np.float64]


@dataclass(frozen=True)
class HeldPayload:
    """A payload in the frame of the sensor or flange that holds it.

    Attributes:
        parameters: (10,) in the order of `PARAMETERS`.
        covariance: (10, 10) of them; None where unknown.
        frame: Name of the frame.
    """

    parameters: Array
    covariance: Array | None
    frame: str

    @property
    def mass(self) -> float:
        """Mass (kg)."""
        return float(self.parameters[0])

    @property
    def centre(self) -> Array:
        """(3,) centre of mass (m)."""
        return np.asarray(self.parameters[1:4] / self.parameters[0])

    @property
    def inertia(self) -> Array:
        """(3, 3) about the centre of mass, along the frame's axes (kg m²)."""
        return mass_centre_inertia(self.parameters)[2]

    def central_covariance(self) -> Array | None:
        """Return the covariance (10, 10) of mass, centre and the inertia's entries about it.

        To first order, in the order of `PARAMETERS`; None where unknown.
        """
        if self.covariance is None:
            return None
        jacobian = central_jacobian(self.parameters)
        return np.asarray(jacobian @ self.covariance @ jacobian.T)


def central_jacobian(parameters: Array) -> Array:
    """Return the derivatives (10, 10) of mass, centre and inertia about it by the parameters."""
    mass = parameters[0]
    centre = parameters[1:4] / mass
    jacobian = np.eye(10)
    jacobian[1:4, 0] = -centre / mass
    jacobian[1:4, 1:4] = np.eye(3) / mass
    # Σ_c = Σ - h hᵀ/m, in second moments; its derivatives by m and h, turned into a tensor.
    for column in range(4):
        change = np.zeros((4, 4))
        if column == 0:
            change[:3, :3] = np.outer(centre, centre)
        else:
            unit = np.eye(3)[column - 1]
            change[:3, :3] = -np.outer(unit, centre) - np.outer(centre, unit)
        jacobian[4:, column] = parameters_of(change)[4:]
    return jacobian


def inertia_ellipsoid(mass: float, inertia: Array) -> tuple[Array, Array]:
    """Return semi-axes (3,) (m) and directions (3, 3, columns) of the homogeneous ellipsoid.

    It has this mass and this inertia (3, 3) about its centre.
    """
    values, axes = np.linalg.eigh(np.trace(inertia) / 2 * np.eye(3) - inertia)
    return np.sqrt(5 * np.maximum(values, 0) / mass), axes


def tensor_entries(inertia: Array) -> dict[str, float]:
    """Return the six entries of an inertia (3, 3) by the names of URDF."""
    return {
        f"i{'xyz'[row]}{'xyz'[column]}": float(inertia[row, column])
        for row in range(3)
        for column in range(row, 3)
    }
