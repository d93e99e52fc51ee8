"""Distances of points to triangles, up to a limit: by a binary tree of boxes.

Most questions of this package end at a limit: whether a point is near a surface, or how near where
it is. A search that knows its limit leaves out nearly all boxes, and it runs beside other threads.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numba import njit
from numpy.typing import NDArray

from autourdf_ros.geometry.arrays import Array

LEAF = 2  # triangles that are not split further (resource bound)
BINS = 12  # levels along an axis among which a split is sought (resource bound)
BALANCED = 32  # levels below which nodes are split into halves, so that no branch grows long
ROOM = 80  # nodes that wait: of BALANCED levels and of halves of as many triangles as memory holds


class TriangleTree(NamedTuple):
    """Triangles in a binary tree of boxes.

    Attributes:
        triangles: (T, 9) first corner and the edges from it, in the order of the leaves.
        spans: (K, 2) first and last (exclusive) triangle of every node.
        children: (K,) number of a node's first child, which the second follows; -1 at a leaf.
        boxes: (K, 6) lower and upper corner of every node.
    """

    triangles: Array
    spans: NDArray[np.int64]
    children: NDArray[np.int64]
    boxes: Array

    def capped(self, points: Array, limits: Array | float) -> Array:
        """Return the lesser of distance and limit (...) of points (..., 3).

        Args:
            points: (..., 3) m.
            limits: (...) m, or one for all; infinite for the distances themselves.
        """
        flat = np.ascontiguousarray(points.reshape(-1, 3), np.float64)
        bounds = np.broadcast_to(np.asarray(limits, np.float64), points.shape[:-1]).ravel()
        return np.asarray(_distances(self, flat, bounds, False).reshape(points.shape[:-1]))

    def beyond(self, points: Array, limits: Array) -> NDArray[np.bool_]:
        """Return which points (N, 3) have no triangle within limits (N,) (m)."""
        flat = np.ascontiguousarray(points, np.float64)
        return np.asarray(_distances(self, flat, limits, True) >= limits)


def build_triangle_tree(vertices: Array, triangles: NDArray[np.int64]) -> TriangleTree:
    """Build the tree over triangles (T, 3) of vertices (V, 3)."""
    return TriangleTree(*_build(np.ascontiguousarray(vertices[triangles], np.float64)))


@njit(cache=True, nogil=True)
def _build(
    corners: Array,
) -> tuple[Array, NDArray[np.int64], NDArray[np.int64], Array]:
    count = len(corners)
    # Loops, for operations on arrays take numba several times as long to compile.
    lower, upper, middles = np.empty((count, 3)), np.empty((count, 3)), np.empty((count, 3))
    for t in range(count):
        for k in range(3):
            lower[t, k] = min(corners[t, 0, k], corners[t, 1, k], corners[t, 2, k])
            upper[t, k] = max(corners[t, 0, k], corners[t, 1, k], corners[t, 2, k])
            middles[t, k] = (lower[t, k] + upper[t, k]) / 2
    order = np.arange(count)
    room = 2 * count + 1
    spans, children = np.zeros((room, 2), np.int64), np.full(room, -1, np.int64)
    levels = np.zeros(room, np.int64)
    spans[0, 1] = count
    used, node = 1, 0
    while node < used:
        start, end = spans[node]
        if end - start > LEAF:
            mine = order[start:end].copy()
            axis, level = -1, 0.0
            if levels[node] < BALANCED:
                axis, level = _split(lower, upper, middles, mine)
            if axis < 0:
                axis = _longest(middles, mine)
                along = np.empty(len(mine))
                for i in range(len(mine)):
                    along[i] = middles[mine[i], axis]
                places = np.argsort(along)
                for i in range(len(mine)):
                    order[start + i] = mine[places[i]]
                half = (start + end) // 2
            else:
                half = start
                for t in mine:
                    if middles[t, axis] < level:
                        order[half] = t
                        half += 1
                last = half
                for t in mine:
                    if not middles[t, axis] < level:
                        order[last] = t
                        last += 1
            levels[used] = levels[used + 1] = levels[node] + 1
            children[node] = used
            spans[used, 0], spans[used, 1] = start, half
            spans[used + 1, 0], spans[used + 1, 1] = half, end
            used += 2
        node += 1
    boxes, flat = np.empty((used, 6)), np.empty((count, 9))
    for node in range(used):
        for k in range(3):
            boxes[node, k], boxes[node, 3 + k] = np.inf, -np.inf
            for t in order[spans[node, 0] : spans[node, 1]]:
                boxes[node, k] = min(boxes[node, k], lower[t, k])
                boxes[node, 3 + k] = max(boxes[node, 3 + k], upper[t, k])
    for i in range(count):
        corner = corners[order[i]]
        for k in range(3):
            flat[i, k] = corner[0, k]
            flat[i, 3 + k] = corner[1, k] - corner[0, k]
            flat[i, 6 + k] = corner[2, k] - corner[0, k]
    return flat, spans[:used].copy(), children[:used].copy(), boxes


@njit(cache=True, nogil=True)
def _range(points: Array, mine: NDArray[np.int64], axis: int) -> tuple[float, float]:
    """Least and greatest coordinate of some of the points (N, 3)."""
    start, end = np.inf, -np.inf
    for t in mine:
        start, end = min(start, points[t, axis]), max(end, points[t, axis])
    return start, end


@njit(cache=True, nogil=True)
def _longest(points: Array, mine: NDArray[np.int64]) -> int:
    """The axis along which some of the points (N, 3) reach farthest."""
    axis, most = 0, -1.0
    for k in range(3):
        start, end = _range(points, mine, k)
        if end - start > most:
            axis, most = k, end - start
    return axis


@njit(cache=True, nogil=True)
def _split(
    lower: Array, upper: Array, middles: Array, mine: NDArray[np.int64]
) -> tuple[int, float]:
    """Axis and level of least cost, by boxes' surfaces (J. Goldsmith and J. Salmon, 1987).

    The axis is -1 where no level divides the boxes `mine`.
    """
    least, axis, level = np.inf, -1, 0.0
    for k in range(3):
        start, end = _range(middles, mine, k)
        if end - start <= 0.0:
            continue
        width = (end - start) / BINS
        counts, low = np.zeros(BINS), np.full((BINS, 3), np.inf)
        high = np.full((BINS, 3), -np.inf)
        for t in mine:
            one = min(BINS - 1, int((middles[t, k] - start) / width))
            counts[one] += 1
            for m in range(3):
                low[one, m] = min(low[one, m], lower[t, m])
                high[one, m] = max(high[one, m], upper[t, m])
        behind, ahead = np.zeros(BINS), np.zeros(BINS)
        _costs(counts, low, high, behind, 1)
        _costs(counts, low, high, ahead, -1)
        for cut in range(1, BINS):
            cost, place = behind[cut - 1] + ahead[BINS - 1 - cut], start + cut * width
            if cost < least and start < place <= end:
                least, axis, level = cost, k, place
    return axis, level


@njit(cache=True, nogil=True)
def _costs(counts: Array, low: Array, high: Array, costs: Array, direction: int) -> None:
    """Boxes in the first bins times the surface around them, for every number of bins.

    A direction of -1 counts the bins from the last one on.
    """
    total, box = 0.0, np.array([np.inf, np.inf, np.inf, -np.inf, -np.inf, -np.inf])
    for number in range(len(counts)):
        b = number if direction > 0 else len(counts) - 1 - number
        total += counts[b]
        for m in range(3):
            box[m], box[3 + m] = min(box[m], low[b, m]), max(box[3 + m], high[b, m])
        if total > 0.0:
            x, y, z = box[3] - box[0], box[4] - box[1], box[5] - box[2]
            costs[number] = total * (x * y + y * z + z * x)


@njit(cache=True, nogil=True)
def _distances(tree: TriangleTree, points: Array, limits: Array, any_one: bool) -> Array:
    """The lesser of distance and limit; any distance below the limit if `any_one` is enough."""
    result = np.empty(len(points))
    stack, gaps = np.empty(ROOM, np.int64), np.empty(ROOM)
    last = 0
    for i in range(len(points)):
        x, y, z = points[i, 0], points[i, 1], points[i, 2]
        limit = limits[i]
        least = limit * limit
        # neighbours in the list are often neighbours in space: a first bound
        seen = _squared(tree.triangles, last, x, y, z)
        if seen < least:
            least = seen
        depth = 1
        stack[0], gaps[0] = 0, _outside(tree.boxes, 0, x, y, z)
        while depth:
            depth -= 1
            if any_one and least < limit * limit:
                break
            if gaps[depth] >= least:
                continue
            node = stack[depth]
            child = tree.children[node]
            if child < 0:
                for t in range(tree.spans[node, 0], tree.spans[node, 1]):
                    seen = _squared(tree.triangles, t, x, y, z)
                    if seen < least:
                        least, last = seen, t
                continue
            one, two = (
                _outside(tree.boxes, child, x, y, z),
                _outside(tree.boxes, child + 1, x, y, z),
            )
            if one < two:  # the nearer one is searched first
                stack[depth], gaps[depth] = child + 1, two
                stack[depth + 1], gaps[depth + 1] = child, one
            else:
                stack[depth], gaps[depth] = child, one
                stack[depth + 1], gaps[depth + 1] = child + 1, two
            depth += 2
        result[i] = min(limit, np.sqrt(least))
    return result


@njit(cache=True, nogil=True, inline="always")
def _outside(boxes: Array, node: int, x: float, y: float, z: float) -> float:
    """Squared distance of a point to a box, zero inside."""
    dx = max(boxes[node, 0] - x, 0.0, x - boxes[node, 3])
    dy = max(boxes[node, 1] - y, 0.0, y - boxes[node, 4])
    dz = max(boxes[node, 2] - z, 0.0, z - boxes[node, 5])
    return dx * dx + dy * dy + dz * dz


@njit(cache=True, nogil=True)
def _squared(triangles: Array, t: int, x: float, y: float, z: float) -> float:
    """Squared distance of a point to a triangle: C. Ericson, Real-time collision detection, 5.1."""
    bx, by, bz = triangles[t, 3], triangles[t, 4], triangles[t, 5]
    cx, cy, cz = triangles[t, 6], triangles[t, 7], triangles[t, 8]
    px, py, pz = x - triangles[t, 0], y - triangles[t, 1], z - triangles[t, 2]
    d1, d2 = bx * px + by * py + bz * pz, cx * px + cy * py + cz * pz
    if d1 <= 0.0 and d2 <= 0.0:
        return px * px + py * py + pz * pz
    bb, bc, cc = (
        bx * bx + by * by + bz * bz,
        bx * cx + by * cy + bz * cz,
        cx * cx + cy * cy + cz * cz,
    )
    d3, d4 = d1 - bb, d2 - bc
    d5, d6 = d1 - bc, d2 - cc
    v, w = 0.0, 0.0
    if d3 >= 0.0 and d4 <= d3:
        v = 1.0
    elif d6 >= 0.0 and d5 <= d6:
        w = 1.0
    else:
        va, vb, vc = d3 * d6 - d5 * d4, d5 * d2 - d1 * d6, d1 * d4 - d3 * d2
        if vc <= 0.0 and d1 >= 0.0 and d3 <= 0.0:
            v = d1 / (d1 - d3) if d1 > d3 else 0.0
        elif vb <= 0.0 and d2 >= 0.0 and d6 <= 0.0:
            w = d2 / (d2 - d6) if d2 > d6 else 0.0
        elif va <= 0.0 and d4 - d3 >= 0.0 and d5 - d6 >= 0.0:
            whole = (d4 - d3) + (d5 - d6)
            w = (d4 - d3) / whole if whole > 0.0 else 0.0
            v = 1.0 - w
        else:
            whole = va + vb + vc
            v, w = vb / whole, vc / whole
    px -= v * bx + w * cx
    py -= v * by + w * cy
    pz -= v * bz + w * cz
    return px * px + py * py + pz * pz
