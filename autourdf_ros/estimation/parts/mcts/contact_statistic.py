"""Where two parts touch, and the directions and pivots that this proposes (paper, III.D)."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from autourdf_ros.estimation.parts.assembly_options import MctsOptions
from autourdf_ros.estimation.parts.mcts.part_solid import PartSolid
from autourdf_ros.geometry.arrays import Array

SAME = 1e-3
"""Least sine of the angle between two proposed directions: less is the same direction."""


@dataclass(frozen=True)
class ContactStatistic:
    """Statistics of the contact region C of a parent and a child.

    Attributes:
        centre: (3,) μ_c: weighted centroid (m).
        covariance: (3, 3) Σ, weighted (m²).
        normal: (3,) n̂: mean nearest-point difference from child to parent, a unit vector; zero
            where the differences cancel.
        band: σ_c, which includes the gap of the pair (m).
        gap: Least distance of the pair (m).
    """

    centre: Array
    covariance: Array
    normal: Array
    band: float
    gap: float

    @property
    def radius(self) -> float:
        """Weighted rms distance of the region from its centre (m)."""
        return max(float(np.sqrt(np.trace(self.covariance))), self.band)


def contact_statistic(
    parent: PartSolid, child: PartSolid, options: MctsOptions
) -> ContactStatistic:
    """Weigh the points of both parts near the other one by exp(−d² / 2 σ_c²).

    Where two parts do not touch, d counts from their gap, so that the region is never empty.
    """
    points = np.vstack([child.points, parent.points])
    nearest = np.vstack([parent.field.nearest(child.points), child.field.nearest(parent.points)])
    differences = nearest - points
    distances = np.linalg.norm(differences, axis=1)
    differences[len(child.points) :] *= -1
    gap = float(distances.min())
    band = options.contact_band * min(parent.diagonal, child.diagonal)
    near = distances - gap < options.region * band
    weights = np.exp(-((distances[near] - gap) ** 2) / (2 * band**2))
    weights /= weights.sum()
    centre = weights @ points[near]
    offsets = points[near] - centre
    normal = weights @ differences[near]
    length = float(np.linalg.norm(normal))
    vanishing = length <= SAME * max(float(weights @ distances[near]), 1e-12)
    return ContactStatistic(
        centre=centre,
        covariance=(weights[:, None] * offsets).T @ offsets,
        normal=np.zeros(3) if vanishing else normal / length,
        band=band,
        gap=gap,
    )


def proposed_axes(
    statistic: ContactStatistic, random_axes: int, rng: np.random.Generator
) -> list[tuple[str, Array]]:
    """Return the pool of directions, each once, with its source.

    û_PCA (the direction of least variance), n̂, û_⊥ = û_PCA × n̂, the other principal axes of Σ
    and a few random unit directions.
    """
    axes = np.linalg.eigh(statistic.covariance)[1].T
    across = np.cross(axes[0], statistic.normal)
    pool = [("least variance", axes[0]), ("contact normal", statistic.normal)]
    pool += [("orthogonal completion", across), ("principal", axes[1]), ("principal", axes[2])]
    pool += [("random", direction) for direction in rng.normal(size=(random_axes, 3))]
    kept: list[tuple[str, Array]] = []
    for source, vector in pool:
        length = float(np.linalg.norm(vector))
        if length < SAME:
            continue
        axis = vector / length
        if all(np.linalg.norm(np.cross(axis, other)) > SAME for _, other in kept):
            kept.append((source, axis))
    return kept
