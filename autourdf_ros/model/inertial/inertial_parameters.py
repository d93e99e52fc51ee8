"""The ten inertial parameters of a rigid body and its pseudo-inertia matrix.

Formulas: Wensing, Kim, Slotine, "Linear Matrix Inequalities for Physically-Consistent Inertial
Parameter Identification", RA-L 2018. The pseudo-inertia of a mass density ρ is the matrix of its
moments up to the second, ∫ ρ [p; 1][p; 1]ᵀ dV. A body is physically consistent exactly where it
is positive definite, and a change of frame is a congruence.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import eigh

Array = NDArray[np.float64]

PARAMETERS = ("m", "mcx", "mcy", "mcz", "Ixx", "Ixy", "Iyy", "Ixz", "Iyz", "Izz")
"""The inertial parameters of a body in Pinocchio's order (`Inertia.toDynamicParameters`): the
moments of inertia are about the origin of the body's frame, not about the centre of mass."""

_ROWS = (0, 0, 1, 0, 1, 2)
_COLUMNS = (0, 1, 1, 2, 2, 2)


def parameters_from(mass: float, centre: Array, inertia: Array) -> Array:
    """Return the parameters (10,) of a body.

    Args:
        mass: kg.
        centre: (3,) centre of mass (m).
        inertia: (3, 3) about the centre of mass, along the axes of the frame (kg m²).
    """
    centre = np.asarray(centre, float)
    about_origin = inertia + mass * (centre @ centre * np.eye(3) - np.outer(centre, centre))
    return np.concatenate([[mass], mass * centre, about_origin[_ROWS, _COLUMNS]])


def mass_centre_inertia(parameters: Array) -> tuple[float, Array, Array]:
    """Return mass (kg), centre of mass (3,) and inertia (3, 3) about it, of parameters (10,)."""
    mass = float(parameters[0])
    centre = parameters[1:4] / mass
    shift = mass * (centre @ centre * np.eye(3) - np.outer(centre, centre))
    return mass, centre, inertia_about_origin(parameters) - shift


def inertia_about_origin(parameters: Array) -> Array:
    """Return the inertia tensors (..., 3, 3) about the frame's origin, of (..., 10)."""
    parameters = np.asarray(parameters, float)
    inertia = np.empty((*parameters.shape[:-1], 3, 3))
    inertia[..., _ROWS, _COLUMNS] = parameters[..., 4:]
    inertia[..., _COLUMNS, _ROWS] = parameters[..., 4:]
    return inertia


def pseudo_inertia(parameters: Array) -> Array:
    """Return the pseudo-inertia matrices (..., 4, 4) of parameters (..., 10)."""
    parameters = np.asarray(parameters, float)
    inertia = inertia_about_origin(parameters)
    half_trace = np.trace(inertia, axis1=-2, axis2=-1)[..., None, None] / 2
    matrix = np.empty((*parameters.shape[:-1], 4, 4))
    matrix[..., :3, :3] = half_trace * np.eye(3) - inertia
    matrix[..., :3, 3] = matrix[..., 3, :3] = parameters[..., 1:4]
    matrix[..., 3, 3] = parameters[..., 0]
    return matrix


def parameters_of(pseudo: Array) -> Array:
    """Return the parameters (..., 10) of pseudo-inertia matrices (..., 4, 4)."""
    pseudo = np.asarray(pseudo, float)
    second = pseudo[..., :3, :3]
    inertia = np.trace(second, axis1=-2, axis2=-1)[..., None, None] * np.eye(3) - second
    return np.concatenate(
        [pseudo[..., 3, 3, None], pseudo[..., :3, 3], inertia[..., _ROWS, _COLUMNS]], axis=-1
    )


def moved(parameters: Array, transform: Array) -> Array:
    """Return parameters (..., 10) in another frame.

    Args:
        parameters: In the frame that the transform takes points from.
        transform: (4, 4) affine; a rigid motion changes the frame, any other one the body.
    """
    return parameters_of(transform @ pseudo_inertia(parameters) @ np.swapaxes(transform, -1, -2))


def moving_matrix(transform: Array) -> Array:
    """Return the matrix (10, 10) that does what `moved` does with this (4, 4) transform."""
    return moved(np.eye(10), transform).T


def parameters_of_points(points: Array, masses: Array) -> Array:
    """Return the parameters (10,) of point masses: points (n, 3) m, masses (n,) kg."""
    homogeneous = np.column_stack([points, np.ones(len(points))])
    return parameters_of((homogeneous * np.asarray(masses)[:, None]).T @ homogeneous)


def is_consistent(parameters: Array) -> bool:
    """Return whether some body of positive mass has these parameters (10,)."""
    if not np.isfinite(parameters).all():
        return False
    return bool(np.linalg.eigvalsh(pseudo_inertia(parameters)).min() > 0)


def geodesic_distance(first: Array, second: Array) -> float:
    """Return the affine-invariant distance of two bodies' pseudo-inertias; inf if inconsistent.

    √(½ Σ log² λ), λ the generalised eigenvalues (Lee, Park, RA-L 2018).
    """
    if not (is_consistent(first) and is_consistent(second)):
        return float("inf")
    values = eigh(pseudo_inertia(second), pseudo_inertia(first), eigvals_only=True)
    return float(np.sqrt((np.log(values) ** 2).sum() / 2))
