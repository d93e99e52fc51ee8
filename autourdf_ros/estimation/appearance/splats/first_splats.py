"""Splats to begin with: flat discs on the points of a coloured surface."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from scipy.spatial import cKDTree
from scipy.spatial.transform import Rotation

from autourdf_ros.estimation.appearance.splats.harmonics import C0, TERMS
from autourdf_ros.estimation.appearance.splats.splat_model import Splats
from autourdf_ros.geometry.arrays import Array

WIDTH, FLATNESS = 0.6, 0.25
"""Standard deviation in the surface, as a share of the points' spacing, and across it, of that."""
LOGIT = np.log(0.7 / 0.3)
NEIGHBORS = 3


def first_splats(points: Array, normals: Array, colors: Array) -> Splats:
    """Return one splat a point, under a light of 1 from all sides.

    Args:
        points: (N, 3) in the frames of their links, m.
        normals: (N, 3) unit vectors.
        colors: (N, 3) in [0, 1].
    """
    spacing = _spacing(points)
    scales = WIDTH * np.column_stack([spacing, spacing, FLATNESS * spacing])
    light = np.zeros((TERMS, 3))
    light[0] = 1 / C0
    arrays = (
        points,
        _upright(normals),
        np.log(scales),
        np.full(len(points), LOGIT),
        colors,
        normals,
        light,
    )
    return Splats(*(np.ascontiguousarray(array, np.float32) for array in arrays))


def _spacing(points: Array) -> NDArray[np.float64]:
    """Return each point's mean distance to its nearest neighbours (N,), bounded by the median."""
    distances, _ = cKDTree(points).query(points, NEIGHBORS + 1)
    mean = distances[:, 1:].mean(axis=1)
    return np.asarray(np.clip(mean, 0.3 * np.median(mean), 3 * np.median(mean)))


def _upright(normals: Array) -> Array:
    """Return quaternions (N, 4) that turn the z axis to normals (N, 3)."""
    z = normals / np.linalg.norm(normals, axis=1, keepdims=True)
    side = np.where(np.abs(z[:, :1]) < 0.9, [[1.0, 0, 0]], [[0, 1.0, 0]])
    x = np.cross(side, z)
    x /= np.linalg.norm(x, axis=1, keepdims=True)
    turns = np.stack([x, np.cross(z, x), z], axis=2)
    return np.asarray(Rotation.from_matrix(turns).as_quat(scalar_first=True))
