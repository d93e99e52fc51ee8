"""Where an axis of a known direction passes: the point that most normal lines meet."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from autourdf_ros.estimation.parts.symmetry.proposals.slippage import OrientedPoints, outer_products
from autourdf_ros.estimation.parts.symmetry.symmetry_options import SymmetryOptions

Array = NDArray[np.float64]
SECTORS = 16
"""Sectors of a half turn in which the normals that meet a centre are counted."""


def axis_centres(oriented: OrientedPoints, direction: Array, options: SymmetryOptions) -> Array:
    """Return points (K, 3) on axes of a direction, best first, in the units of `oriented`.

    The normals are projected along the direction: those of a surface of revolution are lines
    through its centre. Crossings of random pairs of lines are scored by the weight and the angular
    spread of the lines that pass near them (the line complex of Pottmann et al., 1999).
    """
    plane = _across(direction)
    points, normals = oriented.points @ plane.T, oriented.normals @ plane.T
    lengths = np.linalg.norm(normals, axis=1)
    chosen = np.flatnonzero(lengths > options.least_sine)
    if len(chosen) < 4:
        return np.zeros((0, 3))
    points, normals = points[chosen], normals[chosen] / lengths[chosen, None]
    weights = oriented.weights[chosen]
    centres = _crossings(points, normals, weights, options)
    if not len(centres):
        return np.zeros((0, 3))
    across = np.stack([-normals[:, 1], normals[:, 0]], axis=1)
    offsets = np.abs((points * across).sum(axis=1)[None] - centres @ across.T)
    near = offsets < options.centre_noise
    angles = np.arctan2(normals[:, 1], normals[:, 0]) % np.pi
    sectors = np.minimum((angles / np.pi * SECTORS).astype(int), SECTORS - 1)
    sums = near @ (weights[:, None] * (sectors[:, None] == np.arange(SECTORS)))
    scores = np.sqrt(sums).sum(axis=1)
    return _refined(_best(centres, scores, options), points, across, weights, options) @ plane


def _across(direction: Array) -> Array:
    """Two unit vectors (2, 3) across a direction and each other."""
    helper = np.eye(3)[np.abs(direction).argmin()]
    first = np.cross(direction, helper)
    first /= np.linalg.norm(first)
    return np.stack([first, np.cross(direction, first)])


def _crossings(points: Array, normals: Array, weights: Array, options: SymmetryOptions) -> Array:
    """Crossings (K, 2) of random pairs of lines that are not parallel."""
    generator = np.random.default_rng(options.seed)
    pairs = generator.choice(len(points), (2, options.centre_trials), p=weights / weights.sum())
    a, b = normals[pairs[0]], normals[pairs[1]]
    sines = a[:, 0] * b[:, 1] - a[:, 1] * b[:, 0]
    kept = np.abs(sines) > options.least_sine
    a, b, sines = a[kept], b[kept], sines[kept]
    offsets = points[pairs[1][kept]] - points[pairs[0][kept]]
    along = (offsets[:, 0] * b[:, 1] - offsets[:, 1] * b[:, 0]) / sines
    crossings = points[pairs[0][kept]] + along[:, None] * a
    return np.asarray(crossings[np.linalg.norm(crossings, axis=1) < options.centre_reach])


def _best(centres: Array, scores: Array, options: SymmetryOptions) -> Array:
    """The centres with the best scores, further from each other than the noise."""
    found: list[Array] = []
    for i in np.argsort(-scores, kind="stable"):
        if all(np.linalg.norm(centres[i] - one) > 3 * options.centre_noise for one in found):
            found.append(centres[i])
        if len(found) == options.centres:
            break
    return np.array(found)


def _refined(
    centres: Array, points: Array, across: Array, weights: Array, options: SymmetryOptions
) -> Array:
    """Centres (K, 2) by least squares on the lines near them, reweighted."""
    constants, products = (points * across).sum(axis=1), outer_products(across)
    for _ in range(options.centre_steps):
        residuals = constants[None] - centres @ across.T
        counted = weights / (1 + (residuals / options.centre_noise) ** 2)
        forms = (counted @ products).reshape(-1, 2, 2) + 1e-9 * np.eye(2)
        sides = (counted * constants) @ across
        centres = np.linalg.solve(forms, sides[..., None])[..., 0]
    return centres
