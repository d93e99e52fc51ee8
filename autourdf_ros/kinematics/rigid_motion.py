"""Rigid motions and twists, vectorised over any leading dimensions.

Poses are (..., 4, 4) homogeneous matrices. A twist is (..., 6): (omega, v), angular part first
(rad, m); as a displacement field it moves a point x by omega x x + v.
Formulas: Murray, Li, Sastry, A Mathematical Introduction to Robotic Manipulation (1994), ch. 2.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from scipy.spatial.transform import Rotation

Array = NDArray[np.float64]

_SMALL_ANGLE = 1e-6
_PLACES, _WEIGHTS = np.polynomial.legendre.leggauss(10)


def skew(vectors: Array) -> Array:
    """Cross-product matrices (..., 3, 3) of vectors (..., 3): skew(a) b = a x b."""
    result = np.zeros((*vectors.shape[:-1], 3, 3))
    x, y, z = vectors[..., 0], vectors[..., 1], vectors[..., 2]
    result[..., 0, 1], result[..., 0, 2], result[..., 1, 2] = -z, y, -x
    result[..., 1, 0], result[..., 2, 0], result[..., 2, 1] = z, -y, x
    return result


def exp_so3(rotation_vectors: Array) -> Array:
    """Rotation matrices (..., 3, 3) of rotation vectors (..., 3) in rad."""
    flat = rotation_vectors.reshape(-1, 3)
    return Rotation.from_rotvec(flat).as_matrix().reshape(*rotation_vectors.shape[:-1], 3, 3)


def log_so3(rotations: Array) -> Array:
    """Rotation vectors (..., 3) in rad, at most pi long, of rotation matrices (..., 3, 3)."""
    flat = rotations.reshape(-1, 3, 3)
    return Rotation.from_matrix(flat).as_rotvec().reshape(*rotations.shape[:-2], 3)


def _left_jacobian(rotation_vectors: Array) -> Array:
    angle = np.linalg.norm(rotation_vectors, axis=-1)[..., None, None]
    cross = skew(rotation_vectors)
    small = angle < _SMALL_ANGLE
    safe = np.where(small, 1.0, angle)
    first = np.where(small, 0.5, (1 - np.cos(safe)) / safe**2)
    second = np.where(small, 1 / 6, (safe - np.sin(safe)) / safe**3)
    return np.eye(3) + first * cross + second * (cross @ cross)


def exp_se3(twists: Array) -> Array:
    """Poses (..., 4, 4) reached by moving along constant twists (..., 6) for unit time."""
    result = np.zeros((*twists.shape[:-1], 4, 4))
    result[..., :3, :3] = exp_so3(twists[..., :3])
    translation = _left_jacobian(twists[..., :3]) @ twists[..., 3:, None]
    result[..., :3, 3] = translation[..., 0]
    result[..., 3, 3] = 1.0
    return result


def log_se3(poses: Array) -> Array:
    """Twists (..., 6) whose `exp_se3` are the poses (..., 4, 4)."""
    rotation_vectors = log_so3(poses[..., :3, :3])
    translation = np.linalg.solve(_left_jacobian(rotation_vectors), poses[..., :3, 3, None])
    return np.concatenate([rotation_vectors, translation[..., 0]], axis=-1)


def inverse(poses: Array) -> Array:
    """Inverses (..., 4, 4) of rigid motions."""
    result = np.zeros_like(poses)
    rotation_t = np.swapaxes(poses[..., :3, :3], -1, -2)
    result[..., :3, :3] = rotation_t
    result[..., :3, 3] = -(rotation_t @ poses[..., :3, 3, None])[..., 0]
    result[..., 3, 3] = 1.0
    return result


def adjoint(poses: Array) -> Array:
    """Matrices (..., 6, 6) that change the frame of twists: exp(Ad_T xi) = T exp(xi) T^-1."""
    result = np.zeros((*poses.shape[:-2], 6, 6))
    rotation = poses[..., :3, :3]
    result[..., :3, :3] = rotation
    result[..., 3:, 3:] = rotation
    result[..., 3:, :3] = skew(poses[..., :3, 3]) @ rotation
    return result


def left_jacobian(twists: Array) -> Array:
    """Matrices (..., 6, 6) with exp(xi + d) = exp(J d) exp(xi) for small d, of twists (..., 6).

    J = integral of Ad(exp(s xi)) over s from 0 to 1 (Murray, Li, Sastry, 1994), by Gauss-Legendre
    quadrature, which is exact to rounding for rotations of up to a full turn.
    """
    steps = twists[..., None, :] * ((_PLACES + 1) / 2)[:, None]
    return np.einsum("s,...sij->...ij", _WEIGHTS / 2, adjoint(exp_se3(steps)))


def transform(poses: Array, points: Array) -> Array:
    """Points (..., 3) moved by poses (..., 4, 4); leading dimensions broadcast."""
    return np.einsum("...ij,...j->...i", poses[..., :3, :3], points) + poses[..., :3, 3]


def from_translation(translations: Array) -> Array:
    """Poses (..., 4, 4) of pure translations (..., 3)."""
    result = np.broadcast_to(np.eye(4), (*translations.shape[:-1], 4, 4)).copy()
    result[..., :3, 3] = translations
    return result


def revolute_twist(axis: Array, point: Array) -> Array:
    """Unit twists (..., 6) of rotations about lines: direction (..., 3), point on it (..., 3)."""
    return np.concatenate([axis, np.cross(point, axis)], axis=-1)
