"""The motion along which a contact's surfaces slip on themselves."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from autourdf_ros.estimation.parts.contact.contact_region import ContactRegion
from autourdf_ros.estimation.parts.symmetry.proposals.axes import SOURCES, Axes
from autourdf_ros.estimation.parts.symmetry.symmetry_options import SymmetryOptions

Array = NDArray[np.float64]
TURNS = 0.5
"""Share of a twist's rotation (rad per radius of the contact) above which it is a rotation."""


@dataclass(frozen=True)
class OrientedPoints:
    """Points with normals and weights, about their own middle and in units of their own radius.

    Attributes:
        middle: (3,) weighted (m).
        radius: Root mean square distance from it (m).
        points: (M, 3) less the middle, over the radius.
        normals: (M, 3) unit.
        weights: (M,), which sum to one.
    """

    middle: Array
    radius: float
    points: Array
    normals: Array
    weights: Array

    @classmethod
    def of(cls, points: Array, normals: Array, weights: Array) -> OrientedPoints:
        """Take points in metres."""
        weights = weights / weights.sum()
        middle = weights @ points
        offsets = points - middle
        radius = max(float(np.sqrt(weights @ (offsets**2).sum(axis=1))), 1e-12)
        return cls(middle, radius, offsets / radius, normals, weights)

    @cached_property
    def wrenches(self) -> Array:
        """(M, 6) p x n and n: what a twist's product with is the motion along the normal."""
        return np.concatenate([np.cross(self.points, self.normals), self.normals], axis=1)

    @cached_property
    def products(self) -> Array:
        """(M, 36) of each wrench with itself."""
        return outer_products(self.wrenches)

    @cached_property
    def motion_form(self) -> Array:
        """(6, 6) form of a twist that is the mean squared motion of the points."""
        x, y, z = self.points.T
        zero, one = np.zeros_like(x), np.ones_like(x)
        turned = [[zero, z, -y], [-z, zero, x], [y, -x, zero]]
        shifts = [[one if i == j else zero for j in range(3)] for i in range(3)]
        motions = np.array([[*turned[i], *shifts[i]] for i in range(3)])
        return np.asarray(np.tensordot(motions, motions, axes=([0, 2], [0, 2])) / len(x))

    def axes(self, twists: Array, source: str) -> Axes:
        """Return the axes of twists (K, 6), rotation first, in these units."""
        turns, shifts = twists[:, :3], twists[:, 3:]
        sizes = np.linalg.norm(turns, axis=1)
        slides = sizes < TURNS * np.linalg.norm(twists, axis=1)
        points = np.cross(turns, shifts) / np.maximum(sizes, 1e-9)[:, None] ** 2
        points[slides] = 0
        directions = np.where(slides[:, None], shifts, turns)
        directions = directions / np.linalg.norm(directions, axis=1, keepdims=True)
        places = self.middle + self.radius * points
        return Axes(directions, places, slides, np.full(len(twists), SOURCES.index(source)))

    def twists(self, axes: Axes) -> Array:
        """Return unit twists (K, 6), rotation first, in these units."""
        moments = np.cross((axes.points - self.middle) / self.radius, axes.directions)
        turns = np.concatenate([axes.directions, moments], axis=1)
        shifts = np.concatenate([np.zeros_like(axes.directions), axes.directions], axis=1)
        twists = np.where(axes.slides[:, None], shifts, turns)
        return np.asarray(twists / np.linalg.norm(twists, axis=1, keepdims=True))


def of_region(region: ContactRegion) -> OrientedPoints:
    """Take the points of both parts in a contact, both parts counting the same."""
    return OrientedPoints.of(region.points, region.normals, region.weights)


def plain_slippage(oriented: OrientedPoints) -> tuple[Array, Array]:
    """Return eigenvalues (6,), rising, and twists (6, 6) in columns (Gelfand and Guibas, 2004)."""
    wrenches = oriented.wrenches
    values, vectors = np.linalg.eigh((oriented.weights[:, None] * wrenches).T @ wrenches)
    return np.maximum(values, 0.0), vectors


def reweighted_slippage(
    oriented: OrientedPoints, starts: Array, scale: float, options: SymmetryOptions
) -> tuple[Array, Array]:
    """Refine twists by least squares in which points that do not slip count little.

    Cauchy's weights, with a scale that shrinks to `slip_noise`.

    Args:
        oriented: Points of the contact.
        starts: (K, 6) twists.
        scale: Of the first weights.
        options: Of the method.

    Returns:
        Twists (K, 6), and the mean weight (K,) of the points: the share that slips.
    """
    twists = starts
    scales = np.geomspace(scale, options.slip_noise, options.slip_steps)
    for width in scales:
        residuals = motion_residuals(oriented, twists)
        weights = oriented.weights / (1 + (residuals / width) ** 2)
        forms = (weights @ oriented.products).reshape(-1, 6, 6)
        twists = np.linalg.eigh(forms)[1][:, :, 0]
    residuals = motion_residuals(oriented, twists)
    return twists, (oriented.weights / (1 + (residuals / scales[-1]) ** 2)).sum(axis=1)


def motion_residuals(oriented: OrientedPoints, twists: Array) -> Array:
    """Return the motion along the normals (K, M) over the root mean square motion of the points."""
    along = twists @ oriented.wrenches.T
    squares = ((twists @ oriented.motion_form) * twists).sum(axis=1, keepdims=True)
    return np.asarray(along / np.sqrt(np.maximum(squares, 1e-24)))


def outer_products(vectors: Array) -> Array:
    """Return the products (M, n * n) of each vector (M, n) with itself."""
    return np.asarray((vectors[:, :, None] * vectors[:, None, :]).reshape(len(vectors), -1))
