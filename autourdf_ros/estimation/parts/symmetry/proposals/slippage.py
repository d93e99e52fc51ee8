"""The motion along which a contact's surfaces slip on themselves."""

from __future__ import annotations

from dataclasses import dataclass

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

    @property
    def wrenches(self) -> Array:
        """(M, 6) p x n and n: what a twist's product with is the motion along the normal."""
        return np.concatenate([np.cross(self.points, self.normals), self.normals], axis=1)

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
    wrenches, twists = oriented.wrenches, starts
    scales = np.geomspace(scale, options.slip_noise, options.slip_steps)
    for width in scales:
        residuals = motion_residuals(oriented, twists)
        weights = oriented.weights / (1 + (residuals / width) ** 2)
        forms = np.einsum("km,mi,mj->kij", weights, wrenches, wrenches, optimize=True)
        twists = np.linalg.eigh(forms)[1][:, :, 0]
    residuals = motion_residuals(oriented, twists)
    return twists, (oriented.weights / (1 + (residuals / scales[-1]) ** 2)).sum(axis=1)


def motion_residuals(oriented: OrientedPoints, twists: Array) -> Array:
    """Return the motion along the normals (K, M) over the root mean square motion of the points."""
    points = oriented.points
    along = twists @ oriented.wrenches.T
    motions = np.cross(twists[:, None, :3], points[None]) + twists[:, None, 3:]
    sizes = np.sqrt((motions**2).sum(axis=2).mean(axis=1, keepdims=True))
    return np.asarray(along / np.maximum(sizes, 1e-12))
