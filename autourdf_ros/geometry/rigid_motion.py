"""Rigid motions and twists, vectorised over any leading dimensions.

Poses are (..., 4, 4) homogeneous matrices. A twist is (..., 6): (omega, v), angular part first
(rad, m); as a displacement field it moves a point x by omega x x + v.
Formulas: Murray, Li, Sastry, A Mathematical Introduction to Robotic Manipulation (1994), ch. 2.
"""

from __future__ import annotations

import numpy as np
from numba import njit

from autourdf_ros.geometry.arrays import Array

_SMALL_ANGLE = 0.03  # rad, below which series are more exact
_PLACES, _WEIGHTS = np.polynomial.legendre.leggauss(10)


def skew(vectors: Array) -> Array:
    """Return cross-product matrices (..., 3, 3) of vectors (..., 3): skew(a) b = a x b."""
    result = np.zeros((*vectors.shape[:-1], 3, 3))
    x, y, z = vectors[..., 0], vectors[..., 1], vectors[..., 2]
    result[..., 0, 1], result[..., 0, 2], result[..., 1, 2] = -z, y, -x
    result[..., 1, 0], result[..., 2, 0], result[..., 2, 1] = z, -y, x
    return result


def cross(first: Array, second: Array) -> Array:
    """Return cross products (..., 3), faster than numpy's own."""
    return (skew(first) @ second[..., None])[..., 0]


def log_so3(rotations: Array) -> Array:
    """Return rotation vectors (..., 3) in rad, at most pi long, of matrices (..., 3, 3)."""
    flat = np.ascontiguousarray(rotations.reshape(-1, 3, 3))
    return np.asarray(_log_so3(flat)).reshape(*rotations.shape[:-2], 3)


def exp_se3(twists: Array) -> Array:
    """Return poses (..., 4, 4) reached by moving along constant twists (..., 6) for unit time."""
    flat = np.ascontiguousarray(twists.reshape(-1, 6))
    return np.asarray(_exp_se3(flat)).reshape(*twists.shape[:-1], 4, 4)


def moved_about(centres: Array, twists: Array, poses: Array) -> Array:
    """Return poses (N, 4, 4) moved along twists (N, 6) about centres (N, 3) for unit time."""
    return np.asarray(_moved_about(centres, twists, np.ascontiguousarray(poses)))


def log_se3(poses: Array) -> Array:
    """Return twists (..., 6) whose `exp_se3` are the poses (..., 4, 4)."""
    flat = np.ascontiguousarray(poses.reshape(-1, 4, 4))
    return np.asarray(_log_se3(flat)).reshape(*poses.shape[:-2], 6)


@njit(cache=True, nogil=True)
def _exp_se3(twists: Array) -> Array:
    poses = np.zeros((len(twists), 4, 4))
    for i in range(len(twists)):
        axis, shift = twists[i, :3], twists[i, 3:]
        square = axis[0] ** 2 + axis[1] ** 2 + axis[2] ** 2
        angle = np.sqrt(square)
        # sin(a) / a, (1 - cos(a)) / a^2 and (a - sin(a)) / a^3
        if angle < _SMALL_ANGLE:
            first = 1 - square / 6 * (1 - square / 20)
            second = 0.5 - square / 24 * (1 - square / 30)
            third = 1 / 6 - square / 120 * (1 - square / 42)
        else:
            first = np.sin(angle) / angle
            second = 2 * (np.sin(angle / 2) / angle) ** 2
            third = (1 - first) / square
        x, y, z = axis[0], axis[1], axis[2]
        cross = ((0.0, -z, y), (z, 0.0, -x), (-y, x, 0.0))
        for row in range(3):
            for column in range(3):
                squared = axis[row] * axis[column] - (square if row == column else 0.0)
                unit = 1.0 if row == column else 0.0
                poses[i, row, column] = unit + first * cross[row][column] + second * squared
                change = unit + second * cross[row][column] + third * squared
                poses[i, row, 3] += change * shift[column]
        poses[i, 3, 3] = 1.0
    return poses


@njit(cache=True, nogil=True)
def _moved_about(centres: Array, twists: Array, poses: Array) -> Array:
    steps = _exp_se3(twists)
    moved = np.zeros_like(poses)
    for i in range(len(poses)):
        for row in range(3):
            for column in range(4):
                for k in range(4):
                    moved[i, row, column] += steps[i, row, k] * poses[i, k, column]
            moved[i, row, 3] += centres[i, row]
            for k in range(3):
                moved[i, row, 3] -= steps[i, row, k] * centres[i, k]
        moved[i, 3, 3] = 1.0
    return moved


@njit(cache=True, nogil=True)
def _log_so3(rotations: Array) -> Array:
    """By the quaternion whose largest part is found first (Shepperd, 1978)."""
    vectors = np.empty((len(rotations), 3))
    for i in range(len(rotations)):
        r = rotations[i]
        trace = r[0, 0] + r[1, 1] + r[2, 2]
        largest = max(r[0, 0], r[1, 1], r[2, 2])
        if trace >= largest:
            w = 1 + trace
            x, y, z = r[2, 1] - r[1, 2], r[0, 2] - r[2, 0], r[1, 0] - r[0, 1]
        elif largest == r[0, 0]:
            w, x = r[2, 1] - r[1, 2], 1 + 2 * r[0, 0] - trace
            y, z = r[1, 0] + r[0, 1], r[2, 0] + r[0, 2]
        elif largest == r[1, 1]:
            w, y = r[0, 2] - r[2, 0], 1 + 2 * r[1, 1] - trace
            x, z = r[1, 0] + r[0, 1], r[2, 1] + r[1, 2]
        else:
            w, z = r[1, 0] - r[0, 1], 1 + 2 * r[2, 2] - trace
            x, y = r[2, 0] + r[0, 2], r[2, 1] + r[1, 2]
        if w < 0:
            w, x, y, z = -w, -x, -y, -z
        sine = np.sqrt(x * x + y * y + z * z)
        scale = 2 * np.arctan2(sine, w) / sine if sine > 1e-9 * w else 2 / w
        vectors[i, 0], vectors[i, 1], vectors[i, 2] = scale * x, scale * y, scale * z
    return vectors


@njit(cache=True, nogil=True)
def _log_se3(poses: Array) -> Array:
    vectors, twists = _log_so3(poses[:, :3, :3]), np.empty((len(poses), 6))
    for i in range(len(poses)):
        axis, p = vectors[i], poses[i, :3, 3]
        square = axis[0] ** 2 + axis[1] ** 2 + axis[2] ** 2
        half = np.sqrt(square) / 2
        # The inverse of the left Jacobian is 1 - [axis]x / 2 + factor [axis]x^2.
        if 2 * half < _SMALL_ANGLE:
            factor = 1 / 12 + square / 720 * (1 + square / 42)
        else:
            factor = (1 - half / np.tan(half)) / square
        along = axis[0] * p[0] + axis[1] * p[1] + axis[2] * p[2]
        for k in range(3):
            m, n = (k + 1) % 3, (k + 2) % 3
            turned = axis[m] * p[n] - axis[n] * p[m]
            twists[i, k] = axis[k]
            twists[i, 3 + k] = p[k] - turned / 2 + factor * (axis[k] * along - square * p[k])
    return twists


def inverse(poses: Array) -> Array:
    """Return inverses (..., 4, 4) of rigid motions."""
    result = np.zeros_like(poses)
    rotation_t = np.swapaxes(poses[..., :3, :3], -1, -2)
    result[..., :3, :3] = rotation_t
    result[..., :3, 3] = -(rotation_t @ poses[..., :3, 3, None])[..., 0]
    result[..., 3, 3] = 1.0
    return result


def adjoint(poses: Array) -> Array:
    """Return matrices (..., 6, 6) that change twists' frame: exp(Ad_T xi) = T exp(xi) T^-1."""
    result = np.zeros((*poses.shape[:-2], 6, 6))
    rotation = poses[..., :3, :3]
    result[..., :3, :3] = rotation
    result[..., 3:, 3:] = rotation
    result[..., 3:, :3] = skew(poses[..., :3, 3]) @ rotation
    return result


def left_jacobian(twists: Array) -> Array:
    """Return matrices (..., 6, 6) with exp(xi + d) = exp(J d) exp(xi), d small, xi (..., 6).

    J = integral of Ad(exp(s xi)) over s from 0 to 1 (Murray, Li, Sastry, 1994), by Gauss-Legendre
    quadrature, which is exact to rounding for rotations of up to a full turn.
    """
    steps = twists[..., None, :] * ((_PLACES + 1) / 2)[:, None]
    return np.einsum("s,...sij->...ij", _WEIGHTS / 2, adjoint(exp_se3(steps)))


def transform(poses: Array, points: Array) -> Array:
    """Return points (..., 3) moved by poses (..., 4, 4); leading dimensions broadcast."""
    return np.einsum("...ij,...j->...i", poses[..., :3, :3], points) + poses[..., :3, 3]


def from_translation(translations: Array) -> Array:
    """Return poses (..., 4, 4) of pure translations (..., 3)."""
    result = np.broadcast_to(np.eye(4), (*translations.shape[:-1], 4, 4)).copy()
    result[..., :3, 3] = translations
    return result


def revolute_twist(axis: Array, point: Array) -> Array:
    """Return unit twists (..., 6) of rotations about lines: directions and points (..., 3)."""
    return np.concatenate([axis, cross(point, axis)], axis=-1)
