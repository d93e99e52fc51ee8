"""Where two parts touch: the centre of the surface of both that is near the other."""

from __future__ import annotations

import numpy as np
import trimesh
from numpy.typing import NDArray
from scipy.spatial import cKDTree

from autourdf_ros.data.parts.part_assembly import Part

_SAMPLES = 4000
"""Points of a part's surface; a resource bound."""
_BAND = 0.02
"""Of the smaller part's diagonal: how much farther than the nearest points still counts."""


def contact_place(first: Part, second: Part) -> NDArray[np.float64]:
    """Return the (3,) mean (m) of the sampled points of both parts that are near the other."""
    clouds = [_samples(part) for part in (first, second)]
    trees = [cKDTree(cloud) for cloud in clouds]
    distances = [trees[1].query(clouds[0])[0], trees[0].query(clouds[1])[0]]
    least = min(one.min() for one in distances)
    band = least + _BAND * min(first.diagonal, second.diagonal)
    near = [cloud[one <= band] for cloud, one in zip(clouds, distances, strict=True)]
    return np.vstack(near).mean(axis=0)


def _samples(part: Part) -> NDArray[np.float64]:
    """(S, 3) points spread evenly over the surface, the same at every call."""
    mesh = trimesh.Trimesh(part.vertices, part.triangles, process=False)
    if not mesh.area > 0:
        return part.vertices
    points, _ = trimesh.sample.sample_surface(mesh, _SAMPLES, seed=0)
    return np.asarray(points, dtype=np.float64)
