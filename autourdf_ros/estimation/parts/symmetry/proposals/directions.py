"""Directions that a joint's axis may have."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from autourdf_ros.estimation.parts.contact.contact_region import ContactRegion
from autourdf_ros.estimation.parts.contact.prepared_part import PreparedPart
from autourdf_ros.estimation.parts.symmetry.symmetry_options import SymmetryOptions

Array = NDArray[np.float64]


def candidate_directions(
    first: PreparedPart, second: PreparedPart, region: ContactRegion, options: SymmetryOptions
) -> Array:
    """Return unit directions (K, 3): of normals, of edges, of the contact and of both boxes."""
    generator = np.random.default_rng(options.seed)
    count = options.modes
    found = [
        modes(region.normals, region.weights, count, options),
        modes(*_crossed(region, generator, options), count, options),
        principal_directions(region.points),
    ]
    for part, second_of in ((first, False), (second, True)):
        side = region.second == second_of
        if side.sum() > 2:
            found.append(modes(region.normals[side], region.weights[side], count, options))
        samples = part.samples
        found.append(modes(samples.normals, np.ones(len(samples.points)), 3, options))
        found.append(part.box.axes)
    return distinct(np.vstack(found), options.distinct_angle)


def principal_directions(points: Array) -> Array:
    """Return the principal directions (3, 3), in rows, the shortest first."""
    if len(points) < 3:
        return np.eye(3)
    offsets = points - points.mean(axis=0)
    return np.asarray(np.linalg.eigh(offsets.T @ offsets)[1].T)


def modes(vectors: Array, weights: Array, count: int, options: SymmetryOptions) -> Array:
    """Return the directions (K, 3), K at most `count`, around which most unit vectors lie.

    Directions and their opposites are the same. Each mode is averaged over the vectors near it;
    those are then left out.
    """
    step = max(1, len(vectors) // options.mode_samples)
    vectors, weights = vectors[::step], weights[::step].copy()
    near = np.abs(vectors @ vectors.T) > np.cos(np.radians(options.mode_angle))
    found = []
    for _ in range(count):
        sums = near @ weights
        best = int(sums.argmax()) if len(sums) else 0
        if not len(sums) or sums[best] <= 0:
            break
        chosen = near[best]
        form = (weights[chosen, None] * vectors[chosen]).T @ vectors[chosen]
        found.append(np.linalg.eigh(form)[1][:, 2])
        weights[np.abs(vectors @ found[-1]) > np.cos(np.radians(2 * options.mode_angle))] = 0
    return np.array(found).reshape(-1, 3)


def distinct(directions: Array, angle: float) -> Array:
    """Return the directions that are further than an angle (degrees) from all before them."""
    kept: list[int] = []
    near = np.abs(directions @ directions.T) > np.cos(np.radians(angle))
    for i in range(len(directions)):
        if not near[i, kept].any():
            kept.append(i)
    return directions[kept]


def _crossed(
    region: ContactRegion, generator: np.random.Generator, options: SymmetryOptions
) -> tuple[Array, Array]:
    """Products of the normals of random pairs (N, 3), and their sines as weights."""
    pairs = generator.integers(0, len(region.points), (2, options.mode_samples))
    products = np.cross(region.normals[pairs[0]], region.normals[pairs[1]])
    sines = np.linalg.norm(products, axis=1)
    return products / np.maximum(sines, 1e-9)[:, None], sines
