"""Parts of a body as the paper finds them: clusters of its surface, merged while they stay convex.

Nadeau, Giamou, Kelly, "The Sum of Its Parts", ICRA 2023, Algorithm 1.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.spatial import cKDTree

from autourdf_ros.shape.segmentation.convex_merging import MergeTree, merge_tree, piece_of
from autourdf_ros.shape.segmentation.over_segmentation import over_segmented
from autourdf_ros.shape.segmentation.point_clustering import (
    POINT_CLUSTER_OPTIONS,
    PointClusterOptions,
    clustered_points,
)
from autourdf_ros.shape.solid.coloured_surface import ColouredSurface
from autourdf_ros.shape.solid.solid_body import SolidBody

Array = NDArray[np.float64]
Labels = NDArray[np.int64]

_BESIDE = 1.25  # cells: between the distance of two cubes that share a face and one that an edge
_WHOLE = 0.98  # of the largest element's volume, which a whole cube has
_NEAR = 6  # neighbours of a cube that share a face
_ACROSS = 0.2  # cosine of directions that are across: between 0, of faces, and 0.7, of edges
_SIGNS = np.array([[x, y, z] for x in (-1, 1) for y in (-1, 1) for z in (-1, 1)], float)


@dataclass(frozen=True)
class HtcOptions:
    """How parts are found.

    Attributes:
        clusters: Of the surface.
        initial: Whether pieces are clusters of the surface; else every element is one, which takes
            minutes where a body has more than a few thousand elements.
        price: Of a part, where no number of parts is asked: the share of the object's volume by
            which a part more has to make the parts less concave. Below it lie the errors of the
            surface itself.
    """

    clusters: PointClusterOptions = POINT_CLUSTER_OPTIONS
    initial: bool = True
    price: float = 0.01


HTC_OPTIONS = HtcOptions()


@dataclass(frozen=True)
class PartTree:
    """The hierarchy of a body's parts.

    Attributes:
        pieces: (n,) the piece of every element, the leaves of the tree.
        tree: Of the pieces.
        price: Of a part, for the method's own parts.
    """

    pieces: Labels
    tree: MergeTree
    price: float

    def parts(self, count: int | None = None) -> Labels:
        """Return the part (n,) of every element; None for the method's own number of parts."""
        cut = self.tree.pruned(self.price) if count is None else self.tree.cut(count)
        return cut[self.pieces]


def htc_parts(
    body: SolidBody,
    parts: int | None = None,
    surface: ColouredSurface | None = None,
    options: HtcOptions = HTC_OPTIONS,
) -> Labels:
    """Return the part (n,) of every element of a body; see `htc_tree`.

    Args:
        body: Of volume elements.
        parts: How many are wanted; None for the method's own number.
        surface: Its points, which are clustered first; without, the elements themselves are.
        options: How parts are found.
    """
    return htc_tree(body, surface, options).parts(parts)


def htc_tree(
    body: SolidBody, surface: ColouredSurface | None = None, options: HtcOptions = HTC_OPTIONS
) -> PartTree:
    """Return the hierarchy of a body's parts, from clusters of its surface's points.

    Elements belong to the cluster of the nearest point. For the convex hulls each one is the box
    along the lattice that has its moments: exact for whole cubes.

    Args:
        body: Of volume elements.
        surface: Its points; without, the elements are clustered themselves (`over_segmented`).
        options: How parts are found.
    """
    if not options.initial:
        pieces = np.arange(len(body.centres))
    elif surface is None:
        pieces = over_segmented(body)
    else:
        clusters = clustered_points(surface, options.clusters)
        near = cKDTree(surface.points).query(body.centres)[1]
        pieces = np.unique(clusters[near], return_inverse=True)[1].astype(np.int64)
    return PartTree(pieces, piece_tree(body, pieces), options.price)


def piece_tree(body: SolidBody, pieces: Labels) -> MergeTree:
    """Return the tree that merges the pieces (n,) of a body's elements."""
    size = float(np.linalg.norm(np.ptp(body.centres, axis=0)))
    corners = box_corners(body) / size
    volumes = body.volumes / size**3
    order = np.argsort(pieces, kind="stable")
    groups = np.split(order, np.flatnonzero(np.diff(pieces[order])) + 1)
    found = [
        piece_of(corners[own].reshape(-1, 3), float(volumes[own].sum()), len(own)) for own in groups
    ]
    pairs = pieces[touching_elements(body)]
    return merge_tree(found, pairs[pairs[:, 0] != pairs[:, 1]])


def box_corners(body: SolidBody) -> Array:
    """Return corners (n, 8, 3) of the boxes along the lattice that have the elements' moments."""
    axes = lattice_axes(body)
    spreads = np.einsum("ia,nij,ja->na", axes, body.second_moments, axes)
    halves = np.sqrt(3 * spreads / body.volumes[:, None])
    offsets = np.einsum("cs,ns,is->nci", _SIGNS, halves, axes)
    return np.asarray(body.centres[:, None] + offsets)


def touching_elements(body: SolidBody) -> Labels:
    """Return the pairs (p, 2) of elements that share a face.

    Elements are cubes of one lattice, perhaps stretched: the largest is a whole one.
    """
    whole = int(body.volumes.argmax())
    axes = lattice_axes(body)
    spreads = np.einsum("ia,ij,ja->a", axes, body.second_moments[whole], axes)
    sides = np.sqrt(12 * spreads / body.volumes[whole])
    tree = cKDTree(body.centres @ axes / sides)
    return np.asarray(tree.query_pairs(_BESIDE, output_type="ndarray"))


def lattice_axes(body: SolidBody) -> Array:
    """Return the axes (3, 3), as columns, of the lattice whose cubes the elements are.

    Whole cubes stand one beside the other along them; the frame's own where there are too few.
    """
    whole = body.centres[body.volumes > _WHOLE * body.volumes.max()]
    if len(whole) <= _NEAR:
        return np.eye(3)
    near = cKDTree(whole).query(whole, k=_NEAR + 1)[1][:, 1:]
    steps = (whole[near] - whole[:, None]).reshape(-1, 3)
    first = _common_direction(steps)
    along = np.abs(steps @ first) / np.linalg.norm(steps, axis=1)
    beside = steps[along < _ACROSS]
    if not len(beside):
        return np.eye(3)
    second = _common_direction(beside)
    second -= second @ first * first
    second /= np.linalg.norm(second)
    return np.column_stack([first, second, np.cross(first, second)])


def _common_direction(steps: Array) -> Array:
    """(3,) of the shortest steps: the mean of those beside the very shortest."""
    lengths = np.linalg.norm(steps, axis=1)
    units = steps / lengths[:, None]
    cosines = units @ units[lengths.argmin()]
    alike = np.abs(cosines) > 1 - _ACROSS**2
    mean = (units[alike] * np.sign(cosines[alike])[:, None]).sum(0)
    return np.asarray(mean / np.linalg.norm(mean))
