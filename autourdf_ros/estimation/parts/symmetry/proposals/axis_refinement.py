"""Refine axes that are nearly right, by the surfaces that slip along them."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from autourdf_ros.estimation.parts.contact.contact_region import ContactRegion
from autourdf_ros.estimation.parts.symmetry.proposals.axes import Axes
from autourdf_ros.estimation.parts.symmetry.proposals.slippage import (
    OrientedPoints,
    motion_residuals,
    of_region,
    outer_products,
    reweighted_slippage,
)
from autourdf_ros.estimation.parts.symmetry.symmetry_options import SymmetryOptions

Array = NDArray[np.float64]


def refined_axes(region: ContactRegion, axes: Axes, apart: float, options: SymmetryOptions) -> Axes:
    """Return axes (K) along which the contact slips better, near the given ones.

    An axis stays as it is where the refined one is further away than `same_angle` or `apart`, where
    it slips no better, and where it is the edge of a box: there no surface slips.

    Args:
        region: Contact of the parts.
        axes: K.
        apart: Distance (m) that an axis moves at most.
        options: Of the method.
    """
    oriented = of_region(region)
    starts = oriented.twists(axes)
    twists, _ = reweighted_slippage(oriented, starts, options.slip_local, options)
    twists[axes.slides] = _directions(oriented, axes.directions[axes.slides], options)
    found = oriented.axes(twists, "slippage")
    slips = [_slip(oriented, some, options) for some in (starts, twists)]
    cosines = np.abs((found.directions * axes.directions).sum(axis=1))
    offsets = np.cross(axes.points - found.points, found.directions)
    better = (
        (found.slides == axes.slides)
        & (cosines > np.cos(np.radians(options.same_angle)))
        & (axes.slides | (np.linalg.norm(offsets, axis=1) < apart))
        & (slips[1] > slips[0])
        & (~axes.edges)
    )
    signs = np.sign((found.directions * axes.directions).sum(axis=1, keepdims=True))
    points = np.where(axes.slides[:, None], axes.points, _nearest(found, axes.points))
    return Axes(
        np.where(better[:, None], signs * found.directions, axes.directions),
        np.where(better[:, None], points, axes.points),
        axes.slides,
        axes.sources,
    )


def _slip(oriented: OrientedPoints, twists: Array, options: SymmetryOptions) -> Array:
    """Share (K,) of the points that slip, to the noise."""
    residuals = motion_residuals(oriented, twists)
    return np.asarray((1 / (1 + (residuals / options.slip_noise) ** 2)) @ oriented.weights)


def _directions(oriented: OrientedPoints, starts: Array, options: SymmetryOptions) -> Array:
    """Twists (K, 6) of slides, refined by reweighted least squares on the normals."""
    directions, products = starts, outer_products(oriented.normals)
    for scale in np.geomspace(options.slip_local, options.slip_noise, options.slip_steps):
        along = directions @ oriented.normals.T
        weights = oriented.weights / (1 + (along / scale) ** 2)
        forms = (weights @ products).reshape(-1, 3, 3)
        # the least eigenvector nearest to the start: planes leave two directions open
        values, vectors = np.linalg.eigh(forms)
        softened = 1 / (values + options.slip_noise**2)
        directions = np.einsum("kij,kj,klj,kl->ki", vectors, softened, vectors, directions)
        directions /= np.maximum(np.linalg.norm(directions, axis=1, keepdims=True), 1e-12)
    return np.concatenate([np.zeros_like(directions), directions], axis=1)


def _nearest(axes: Axes, points: Array) -> Array:
    """The points (K, 3) of axes nearest to others."""
    along = ((points - axes.points) * axes.directions).sum(axis=1, keepdims=True)
    return np.asarray(axes.points + along * axes.directions)
