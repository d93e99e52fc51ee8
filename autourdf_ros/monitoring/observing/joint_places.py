"""Where on its axis a joint holds its link: where the surfaces of both links are closest.

An axis is a line; the model's points on it may be anywhere along it, a link's length away.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import trimesh
from numpy.typing import NDArray
from scipy.spatial import cKDTree

from autourdf_ros.estimation.motion.fitting.articulation import Articulation

SAMPLES = 1500  # of a link's surface
NEAR = 0.02  # m, beyond the smallest gap between both links


def joint_places(
    articulation: Articulation, meshes: Sequence[trimesh.Trimesh | None]
) -> NDArray[np.float64]:
    """(J, 3) places of the joints at the reference (m).

    meshes: of the J + 1 bodies in the base frame there, None for one that is not seen: then the
    model's own point is as good as any.
    """
    trees = [None if mesh is None or not len(mesh.faces) else _tree(mesh) for mesh in meshes]
    places = articulation.anchors.copy()
    for joint, parent in enumerate(articulation.parents):
        own, other = trees[joint + 1], trees[parent]
        if own is None or other is None:
            continue
        gaps, nearest = other.query(own.data)
        near = gaps <= gaps.min() + NEAR
        place = np.mean([own.data[near].mean(axis=0), other.data[nearest[near]].mean(axis=0)], 0)
        if articulation.revolute[joint]:
            axis, moment = np.split(articulation.twists[joint], 2)
            point = np.cross(axis, moment)
            place = point + axis * (axis @ (place - point))
        places[joint] = place
    return places


def _tree(mesh: trimesh.Trimesh) -> cKDTree:
    return cKDTree(trimesh.sample.sample_surface(mesh, SAMPLES, seed=0)[0])
