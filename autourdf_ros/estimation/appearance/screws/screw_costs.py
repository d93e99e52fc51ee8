"""How far outlines of images are from points that are moved by candidates of a screw."""

from __future__ import annotations

from dataclasses import dataclass, replace
from math import cos, sin, sqrt

import numpy as np
from numba import njit
from numpy.typing import NDArray

from autourdf_ros.estimation.appearance.screws.screw import PRISMATIC, Screws
from autourdf_ros.estimation.appearance.silhouettes.silhouettes import Silhouettes, field_at
from autourdf_ros.geometry.arrays import Array
from autourdf_ros.parallel import on_all_cores

_CHUNKS = 8  # of candidates, which the cores share


@dataclass(frozen=True)
class MovedPoints:
    """What one joint moves, in I images.

    Attributes:
        silhouettes: Of the images, whose projections are those of the frame that the joint's parent
            had at rest.
        values: (I,) of the joint, from rest (rad or m).
        points: (I, N, 3) of what it surely moves, where they are in each image at its rest (m).
        covering: (I, M, 3) likewise of all that it may move, by which pixels are covered.
        slack: Distance within which a point covers a pixel (pixels).
        needed: (U, 2) pixels, column and row, of the robot that nothing else covers.
        images: (U,) number of each one's image, ascending.
    """

    silhouettes: Silhouettes
    values: Array
    points: Array
    covering: Array
    slack: float
    needed: Array
    images: NDArray[np.int64]

    def costs(self, screws: Screws, cap: float, covering: bool = True) -> Array:
        """Return (C,) mean distances of points from outlines, and of needed pixels from points.

        Args:
            screws: C candidates.
            cap: Largest distance that counts (pixels).
            covering: Whether needed pixels count.
        """
        pieces = np.array_split(np.arange(len(screws)), _CHUNKS)
        found = on_all_cores(lambda own: self._costs(screws[own], cap, covering), pieces)
        return np.concatenate(found)

    def costs_of_points(self, screw: Screws, cap: float) -> Array:
        """Return (N,) mean distances of each point from the outlines, moved by the one screw.

        Args:
            screw: The first of them counts.
            cap: Largest distance that counts (pixels).
        """
        found = np.zeros(self.points.shape[1])
        seen = (self.silhouettes.projections, self.values, self.points)
        first = (screw.axes[0], screw.points[0], screw.kinds[0])
        _outside_each(first, seen, self.silhouettes.fields, cap, found)
        return found

    def thinned(self, chosen: NDArray[np.integer]) -> MovedPoints:
        """Return the same with some of the points."""
        return replace(self, points=np.ascontiguousarray(self.points[:, chosen]))

    def _costs(self, screws: Screws, cap: float, covering: bool) -> Array:
        found = np.zeros(len(screws))
        candidates = (screws.axes, screws.points, screws.kinds)
        seen = (self.silhouettes.projections, self.values, self.points)
        _outside(candidates, seen, self.silhouettes.fields, cap, found)
        if covering and len(self.needed):
            covers = (self.silhouettes.projections, self.values, self.covering)
            limits = (self.slack, cap)
            _uncovered(candidates, covers, self.needed, self.images, limits, found)
        return found


@njit(nogil=True, error_model="numpy", inline="always")
def _projected(axis, point, kind, value, projection, matrix):  # type: ignore[no-untyped-def]
    """Write the projection (3, 4) of what a screw has moved."""
    a, b, c = axis[0], axis[1], axis[2]
    if kind == PRISMATIC:
        rows = (
            (1.0, 0.0, 0.0, a * value),
            (0.0, 1.0, 0.0, b * value),
            (0.0, 0.0, 1.0, c * value),
        )
    else:
        s, o = sin(value), cos(value)
        k = 1 - o
        r00, r01, r02 = o + a * a * k, a * b * k - c * s, a * c * k + b * s
        r10, r11, r12 = a * b * k + c * s, o + b * b * k, b * c * k - a * s
        r20, r21, r22 = a * c * k - b * s, b * c * k + a * s, o + c * c * k
        x, y, z = point[0], point[1], point[2]
        rows = (
            (r00, r01, r02, x - r00 * x - r01 * y - r02 * z),
            (r10, r11, r12, y - r10 * x - r11 * y - r12 * z),
            (r20, r21, r22, z - r20 * x - r21 * y - r22 * z),
        )
    for r in range(3):
        p, q, s = projection[r, 0], projection[r, 1], projection[r, 2]
        for n in range(4):
            matrix[r, n] = p * rows[0][n] + q * rows[1][n] + s * rows[2][n]
        matrix[r, 3] += projection[r, 3]


@njit(cache=True, nogil=True, error_model="numpy")
def _outside(candidates, seen, fields, cap, found):  # type: ignore[no-untyped-def]
    axes, centres, kinds = candidates
    projections, values, points = seen
    images, count, _ = points.shape
    matrix = np.empty((3, 4))
    for c in range(len(axes)):
        total = 0.0
        for i in range(images):
            _projected(axes[c], centres[c], kinds[c], values[i], projections[i], matrix)
            for n in range(count):
                d = field_at(fields[i], matrix, points[i, n, 0], points[i, n, 1], points[i, n, 2])
                if not d < cap:  # or not in sight
                    total += cap
                elif d > 0:
                    total += d
        found[c] += total / (images * count)


@njit(cache=True, nogil=True, error_model="numpy")
def _outside_each(screw, seen, fields, cap, found):  # type: ignore[no-untyped-def]
    axis, centre, kind = screw
    projections, values, points = seen
    images, count, _ = points.shape
    matrix = np.empty((3, 4))
    for i in range(images):
        _projected(axis, centre, kind, values[i], projections[i], matrix)
        for n in range(count):
            d = field_at(fields[i], matrix, points[i, n, 0], points[i, n, 1], points[i, n, 2])
            if not d < cap:  # or not in sight
                found[n] += cap / images
            elif d > 0:
                found[n] += d / images


@njit(cache=True, nogil=True, error_model="numpy")
def _uncovered(candidates, seen, needed, of_image, limits, found):  # type: ignore[no-untyped-def]
    axes, centres, kinds = candidates
    projections, values, points = seen
    slack, cap = limits
    images, count, _ = points.shape
    matrix, places = np.empty((3, 4)), np.empty((count, 2))
    for c in range(len(axes)):
        total, j = 0.0, 0
        for i in range(images):
            if not (j < len(needed) and of_image[j] == i):
                continue
            _projected(axes[c], centres[c], kinds[c], values[i], projections[i], matrix)
            for n in range(count):
                x, y, z = points[i, n, 0], points[i, n, 1], points[i, n, 2]
                w = matrix[2, 0] * x + matrix[2, 1] * y + matrix[2, 2] * z + matrix[2, 3]
                for r in range(2):
                    places[n, r] = (
                        matrix[r, 0] * x + matrix[r, 1] * y + matrix[r, 2] * z + matrix[r, 3]
                    ) / w
            while j < len(needed) and of_image[j] == i:
                nearest = (slack + cap) ** 2
                for n in range(count):
                    u, v = places[n, 0] - needed[j, 0], places[n, 1] - needed[j, 1]
                    nearest = min(nearest, u * u + v * v)
                total += max(sqrt(nearest) - slack, 0.0)
                j += 1
        found[c] += total / len(needed)
