"""The largest distance between a reconstructed surface and the true one."""

from __future__ import annotations

import numpy as np
import trimesh
from numpy.typing import NDArray
from scipy.spatial import cKDTree

from autourdf_ros.geometry.surface_distance import DistanceField

Array = NDArray[np.float64]


def hausdorff_distance(found: Array, mesh: trimesh.Trimesh, shown: Array) -> float:
    """Return the Hausdorff distance of a surface to the true one, of a bounding box of diagonal 1.

    The larger of two: of the farthest place of the found surface from the mesh, and of the farthest
    shown point from the found surface. What the sensor never saw does not count, such as the
    inside of the mesh. Normalised as by Nadeau, Giamou, Kelly, ICRA 2023.

    Args:
        found: (n, 3) places all over the reconstructed surface (m).
        mesh: The true surface (m).
        shown: (k, 3) points of the true surface that were seen (m).
    """
    outward = float(DistanceField(mesh)(found).max())
    inward = float(cKDTree(found).query(shown)[0].max())
    return max(outward, inward) / float(np.linalg.norm(mesh.extents))
