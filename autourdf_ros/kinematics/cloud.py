"""A frame's points made ready for registration: normals, their reliability, a search tree."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.spatial import cKDTree

NORMAL_NEIGHBOURS = 12


@dataclass(frozen=True)
class Cloud:
    """Points of one frame with what registration needs to know about them.

    points: (N, 3) metres. normals: (N, 3) unit, sign arbitrary. flatness: (N,) in [0, 1], how
    far the neighbourhood is a plane. tree: over the points. spacing: median distance (m)
    from a point to its nearest neighbour.
    """

    points: NDArray[np.float64]
    normals: NDArray[np.float64]
    flatness: NDArray[np.float64]
    tree: cKDTree
    spacing: float


def estimate_normals(
    points: NDArray[np.float64], neighbours: NDArray[np.int64]
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Unit normals (N, 3) and flatness (N,) from neighbour indices (N, k).

    The normal is the direction of least variance (Hoppe et al., SIGGRAPH 1992); flatness is
    1 - 3 * surface variation (Pauly et al., VIS 2002), 1 on a plane and 0 in a ball.
    """
    local = points[neighbours]
    local = local - local.mean(axis=1, keepdims=True)
    covariance = np.einsum("nki,nkj->nij", local, local)
    values, vectors = np.linalg.eigh(covariance)
    flatness = 1 - 3 * values[:, 0] / np.maximum(values.sum(axis=1), np.finfo(float).tiny)
    return vectors[:, :, 0], np.clip(flatness, 0.0, 1.0)


def prepare_cloud(points: NDArray[np.floating]) -> Cloud:
    """Cloud of points (N, 3), N at least 4."""
    points = np.ascontiguousarray(points, dtype=np.float64)
    tree = cKDTree(points)
    distances, neighbours = tree.query(points, k=min(NORMAL_NEIGHBOURS, len(points)), workers=-1)
    normals, flatness = estimate_normals(points, neighbours)
    return Cloud(points, normals, flatness, tree, float(np.median(distances[:, 1])))
