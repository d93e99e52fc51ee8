"""Cluster the points of a surface from the bottom up: the initial clustering of part segmentation.

Lin, Wang, Zhai, Li, Li, "Toward better boundary preserved supervoxel segmentation for 3D point
clouds", ISPRS 2018, with the dissimilarity of Nadeau, Giamou, Kelly, ICRA 2023, Eq. 9: a cluster
takes in a neighbour whose points it then represents at a cost below a threshold, which rises.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numba import njit
from numpy.typing import NDArray
from scipy.spatial import cKDTree

from autourdf_ros.geometry.point_cloud import estimate_normals, size_of
from autourdf_ros.shape.solid.coloured_surface import ColouredSurface

Array = NDArray[np.float64]
Labels = NDArray[np.int64]


@dataclass(frozen=True)
class PointClusterOptions:
    """Constants of the clustering; the weights are the authors'.

    Attributes:
        clusters: At which it stops: many more than parts. The authors have 50.
        neighbours: Of a point.
        position_weight: λ_p, of distances as a share of the object's diagonal.
        colour_weight: λ_l, of distances of colours from 0 to 1.
        normal_weight: λ_n.
        rise: Of the threshold from round to round. The authors have 2, for speed; by smaller
            steps more similar clusters merge first.
        sweeps: Over the points at borders; a resource bound.
    """

    clusters: int = 75
    neighbours: int = 10
    position_weight: float = 10.0
    colour_weight: float = 1.0
    normal_weight: float = 1.0
    rise: float = 1.2
    sweeps: int = 20


POINT_CLUSTER_OPTIONS = PointClusterOptions()
AUTHORS_OPTIONS = PointClusterOptions(clusters=50, rise=2.0)
"""As Nadeau, Giamou and Kelly have them."""


def clustered_points(
    surface: ColouredSurface, options: PointClusterOptions = POINT_CLUSTER_OPTIONS
) -> Labels:
    """Return the cluster (n,) of every point, 0 to k - 1.

    Args:
        surface: Points; normals are estimated where they are not given.
        options: Constants.
    """
    count = min(options.neighbours, len(surface.points) - 1)
    near = cKDTree(surface.points).query(surface.points, k=count + 1)[1]
    normals = surface.normals
    if normals is None:
        normals = estimate_normals(surface.points, near)[0]
    places = options.position_weight * surface.points / max(size_of(surface.points), 1e-12)
    colours = np.zeros_like(places) if surface.colours is None else surface.colours
    features = np.column_stack([places, options.colour_weight * colours, normals])
    features = np.ascontiguousarray(features, np.float64)
    near = np.ascontiguousarray(near[:, 1:], np.int64)
    weight, rise = float(options.normal_weight), float(options.rise)
    owners = _merged(features, near, weight, rise, options.clusters)
    _refine(features, near, weight, owners, options.sweeps)
    return np.unique(owners, return_inverse=True)[1].astype(np.int64)


@njit(cache=True, nogil=True)
def _dissimilarity(features: Array, i: int, j: int, normal_weight: float) -> float:
    place, colour, dot = 0.0, 0.0, 0.0
    for k in range(3):
        place += (features[i, k] - features[j, k]) ** 2
        colour += (features[i, 3 + k] - features[j, 3 + k]) ** 2
        dot += features[i, 6 + k] * features[j, 6 + k]
    return np.sqrt(place) + np.sqrt(colour) + normal_weight * (1.0 - abs(dot))


@njit(cache=True, nogil=True)
def _first_threshold(features: Array, near: Labels, weight: float) -> float:
    """Median over the points of the dissimilarity to their most similar neighbour."""
    least = np.empty(len(near))
    for i in range(len(near)):
        least[i] = np.inf
        for j in near[i]:
            least[i] = min(least[i], _dissimilarity(features, i, j, weight))
    return float(np.median(least))


@njit(cache=True, nogil=True)
def _merged(features: Array, near: Labels, weight: float, rise: float, wanted: int) -> Labels:
    """(n,) the representative point of every point. Members of a cluster are a linked list."""
    count = len(near)
    owner, last, following = np.arange(count), np.arange(count), np.full(count, -1)
    sizes, asked = np.ones(count, np.int64), np.full(count, -1)
    left = count
    threshold = max(_first_threshold(features, near, weight), 1e-9)
    while left > wanted and threshold < 1e9:
        asked[:] = -1
        for i in range(count):
            if owner[i] != i or left <= wanted:
                continue
            member = i
            while member >= 0 and left > wanted:
                for q in near[member]:
                    j = owner[q]
                    if j == i or asked[j] == i:
                        continue
                    asked[j] = i
                    if sizes[j] * _dissimilarity(features, i, j, weight) < threshold:
                        moved = j
                        while moved >= 0:
                            owner[moved] = i
                            moved = following[moved]
                        following[last[i]] = j
                        last[i] = last[j]
                        sizes[i] += sizes[j]
                        left -= 1
                        if left <= wanted:
                            break
                member = following[member]
        threshold *= rise
    return owner


@njit(cache=True, nogil=True)
def _refine(features: Array, near: Labels, weight: float, owner: Labels, sweeps: int) -> None:
    """Give every point at a border to the most similar representative among its neighbours'."""
    for _ in range(sweeps):
        changed = False
        for i in range(len(near)):
            if owner[i] == i:
                continue
            best = _dissimilarity(features, i, owner[i], weight)
            for q in near[i]:
                if owner[q] != owner[i]:
                    found = _dissimilarity(features, i, owner[q], weight)
                    if found < best:
                        best, changed = found, True
                        owner[i] = owner[q]
        if not changed:
            return
