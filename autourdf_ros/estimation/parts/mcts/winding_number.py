"""Decide what is inside a surface that may be open: generalised winding numbers.

A. Jacobson et al., Robust inside-outside segmentation using generalized winding numbers, 2013; the
tree with dipoles of G. Barill et al., Fast winding numbers for soups and clouds, 2018.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numba import njit
from numpy.typing import NDArray

from autourdf_ros.geometry.arrays import Array

LEAF = 8  # triangles that are not split further
FAR = 2.0  # radii beyond which a node counts as a dipole; an error of a few hundredths


class WindingTree(NamedTuple):
    """Triangles in a binary tree.

    Attributes:
        corners: (T, 3, 3) of the triangles, in the order of the leaves.
        spans: (K, 2) first and last (exclusive) triangle of every node.
        children: (K, 2) numbers of nodes; -1 at a leaf.
        centres: (K, 3) weighted by area.
        dipoles: (K, 3) summed area vectors.
        radii: (K,) of the sphere about the centre that holds the node.
    """

    corners: Array
    spans: NDArray[np.int64]
    children: NDArray[np.int64]
    centres: Array
    dipoles: Array
    radii: Array

    def winding(self, points: Array) -> Array:
        """Return the winding numbers (N,) of points (N, 3): 1 inside a closed surface, else 0."""
        return _winding(self, np.ascontiguousarray(points, np.float64))


def build_winding_tree(vertices: Array, triangles: NDArray[np.int64]) -> WindingTree:
    """Build the tree over triangles (T, 3) of vertices (V, 3)."""
    return _build(np.ascontiguousarray(vertices[triangles], np.float64))


@njit(cache=True, nogil=True)
def _build(corners: Array) -> WindingTree:
    count = len(corners)
    middles = (corners[:, 0] + corners[:, 1] + corners[:, 2]) / 3
    order = np.arange(count)
    room = 2 * count + 1
    spans, children = np.zeros((room, 2), np.int64), np.full((room, 2), -1, np.int64)
    spans[0, 1] = count
    used, stack = 1, [0]
    while stack:
        node = stack.pop()
        start, end = spans[node]
        if end - start <= LEAF:
            continue
        mine = order[start:end]
        widest, extent = 0, -1.0
        for k in range(3):
            values = middles[mine, k]
            if values.max() - values.min() > extent:
                widest, extent = k, values.max() - values.min()
        order[start:end] = mine[np.argsort(middles[mine, widest])]
        half = (start + end) // 2
        for side, first, last in ((0, start, half), (1, half, end)):
            spans[used, 0], spans[used, 1] = first, last
            children[node, side] = used
            stack.append(used)
            used += 1
    corners = corners[order]
    centres, dipoles, radii = np.zeros((used, 3)), np.zeros((used, 3)), np.zeros(used)
    for node in range(used):
        _summarise(corners[spans[node, 0] : spans[node, 1]], centres, dipoles, radii, node)
    return WindingTree(corners, spans[:used], children[:used], centres, dipoles, radii)


@njit(cache=True, nogil=True)
def _summarise(corners: Array, centres: Array, dipoles: Array, radii: Array, node: int) -> None:
    total = 0.0
    for corner in corners:
        vector = np.cross(corner[1] - corner[0], corner[2] - corner[0]) / 2
        area = np.sqrt(np.sum(vector * vector)) + 1e-30
        dipoles[node] += vector
        centres[node] += area * (corner[0] + corner[1] + corner[2]) / 3
        total += area
    centres[node] /= max(total, 1e-300)
    for corner in corners:
        for k in range(3):
            offset = corner[k] - centres[node]
            radii[node] = max(radii[node], np.sqrt(np.sum(offset * offset)))


@njit(cache=True, nogil=True)
def _winding(tree: WindingTree, points: Array) -> Array:
    result = np.zeros(len(points))
    stack = np.empty(128, np.int64)
    for i in range(len(points)):
        x, y, z = points[i]
        total, depth = 0.0, 1
        stack[0] = 0
        while depth:
            depth -= 1
            node = stack[depth]
            dx = tree.centres[node, 0] - x
            dy = tree.centres[node, 1] - y
            dz = tree.centres[node, 2] - z
            distance = np.sqrt(dx * dx + dy * dy + dz * dz)
            if distance > FAR * tree.radii[node]:
                dipole = tree.dipoles[node]
                total += (dipole[0] * dx + dipole[1] * dy + dipole[2] * dz) / distance**3
            elif tree.children[node, 0] < 0:
                for t in range(tree.spans[node, 0], tree.spans[node, 1]):
                    total += _solid_angle(tree.corners[t], x, y, z)
            else:
                stack[depth], stack[depth + 1] = tree.children[node, 0], tree.children[node, 1]
                depth += 2
        result[i] = total / (4 * np.pi)
    return result


@njit(cache=True, nogil=True, inline="always")
def _solid_angle(corner: Array, x: float, y: float, z: float) -> float:
    """Solid angle of a triangle: A. van Oosterom, J. Strackee, 1983."""
    ax, ay, az = corner[0, 0] - x, corner[0, 1] - y, corner[0, 2] - z
    bx, by, bz = corner[1, 0] - x, corner[1, 1] - y, corner[1, 2] - z
    cx, cy, cz = corner[2, 0] - x, corner[2, 1] - y, corner[2, 2] - z
    a = np.sqrt(ax * ax + ay * ay + az * az)
    b = np.sqrt(bx * bx + by * by + bz * bz)
    c = np.sqrt(cx * cx + cy * cy + cz * cz)
    volume = ax * (by * cz - bz * cy) + ay * (bz * cx - bx * cz) + az * (bx * cy - by * cx)
    below = (
        a * b * c
        + (ax * bx + ay * by + az * bz) * c
        + (bx * cx + by * cy + bz * cz) * a
        + (cx * ax + cy * ay + cz * az) * b
    )
    return 2 * np.arctan2(volume, below)
