"""Where on its axis a joint holds its link: where the surfaces of both links are closest.

An axis is a line. The model's point on it may be anywhere along it, a link's length away.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import trimesh
from numpy.typing import NDArray
from scipy.spatial import cKDTree

from autourdf_ros.estimation.motion.fitting.articulation import Articulation

SAMPLES = 1500  # of a link's surface


def joint_places(
    articulation: Articulation, meshes: Sequence[trimesh.Trimesh | None], near: float
) -> NDArray[np.float64]:
    """Return the (J, 3) places of the joints at the reference (m).

    Args:
        articulation: Axes and parents of the J joints.
        meshes: Of the J + 1 bodies in the base frame at the reference; None for an unseen body, for
            which the model's own point on the axis is used.
        near: Distance (m), beyond the smallest gap between two links, of what is at their joint.
    """
    trees = [None if mesh is None or not len(mesh.faces) else _tree(mesh) for mesh in meshes]
    places = articulation.anchors.copy()
    for joint, parent in enumerate(articulation.parents):
        own, other = trees[joint + 1], trees[parent]
        if own is None or other is None:
            continue
        gaps, nearest = other.query(own.data)
        at = gaps <= gaps.min() + near
        place = np.mean([own.data[at].mean(axis=0), other.data[nearest[at]].mean(axis=0)], 0)
        if articulation.revolute[joint]:
            axis, moment = np.split(articulation.twists[joint], 2)
            point = np.cross(axis, moment)
            place = point + axis * (axis @ (place - point))
        places[joint] = place
    return places


def _tree(mesh: trimesh.Trimesh) -> cKDTree:
    return cKDTree(trimesh.sample.sample_surface(mesh, SAMPLES, seed=0)[0])
