"""What of a link's mesh no camera ever saw: guessed, and to be shown as such."""

from __future__ import annotations

import numpy as np
import trimesh
from numpy.typing import NDArray
from scipy.spatial import cKDTree

from autourdf_ros.shape.visual.closed_mesh import point_spacing

_REACH = 4.0  # in point spacings
_PARTS = 4  # by which a triangle's sides are divided
_DULL = np.array([90.0, 90.0, 90.0])
_SHARE = 0.65  # of the dull grey in the colour of what was never seen


def sight_reach(points: NDArray[np.float64]) -> float:
    """Return the distance (m) from the points (N, 3) beyond which a surface was not seen.

    Zero for fewer than four distinct points: they show no surface at all.
    """
    return 0.0 if len(np.unique(points, axis=0)) < 4 else _REACH * point_spacing(points)


def unseen_shares(
    mesh: trimesh.Trimesh, points: NDArray[np.float64], reach: float
) -> NDArray[np.float64]:
    """Return (T,) the share of each triangle's area beyond `reach` (m) from every point."""
    places = np.einsum("pk,tkd->tpd", _centres(_PARTS), mesh.triangles)
    far = np.isinf(cKDTree(points).query(places, distance_upper_bound=reach)[0])
    shares: NDArray[np.float64] = far.mean(1)
    return shares


def dulled(colors: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return colours (..., 3) in [0, 255] greyer, as they are shown where nothing was seen."""
    return (1 - _SHARE) * colors + _SHARE * _DULL


def _centres(parts: int) -> NDArray[np.float64]:
    """(parts², 3) barycentric centres of the equal triangles that a triangle is divided into."""
    rows = [
        (3 * i + 1 + down, 3 * j + 1 + down)
        for i in range(parts)
        for j in range(parts - i)
        for down in (0, 1)
        if i + j + down < parts
    ]
    two = np.array(rows) / (3 * parts)
    return np.column_stack([two, 1 - two.sum(1)])
