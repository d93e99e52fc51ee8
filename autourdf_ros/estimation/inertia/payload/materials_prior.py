"""Common materials as candidates for an object's colours: a mixture beside the density field."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import product

import numpy as np
from numpy.typing import NDArray
from scipy.cluster.hierarchy import fcluster, linkage

Array = NDArray[np.float64]

MATERIALS = {
    "wood": 650.0,
    "plastics": 1100.0,
    "rubber": 1300.0,
    "aluminium": 2700.0,
    "steel": 7850.0,
    "brass": 8500.0,
}
"""Densities (kg/m³): physical."""


@dataclass(frozen=True)
class MaterialOptions:
    """Constants of the mixture.

    Attributes:
        spread: Relative deviation of a material's density: physical, alloys and fillers.
        own: Relative deviation of a cluster's density from its material's: physical.
        groups: Colours with a material of their own, at most: a resource bound.
        apart: Distance in RGB (0 to 1) from which colours are two: twice the colours' length of
            the density field.
    """

    spread: float = 0.06
    own: float = 0.02
    groups: int = 3
    apart: float = 0.3


@dataclass(frozen=True)
class MaterialPrior:
    """Assignments of materials to colours.

    Attributes:
        means: (s, k) densities of k clusters.
        covariances: (s, k, k) of them.
        logs: (s,) logarithms of their probabilities; colours tend to share a material.
    """

    means: Array
    covariances: Array
    logs: Array


def material_prior(
    colours: Array | None,
    count: int,
    options: MaterialOptions = MaterialOptions(),  # noqa: B008  (frozen)
) -> MaterialPrior:
    """Return every assignment of `MATERIALS` to groups of clusters of alike colours.

    Args:
        colours: (k, 3) of the clusters; None counts as one colour.
        count: k.
        options: Constants.
    """
    groups = np.zeros(count, np.int64)
    if colours is not None and count > 1:
        tree = linkage(colours, "average")
        groups = fcluster(tree, options.apart, "distance") - 1
        if groups.max() >= options.groups:
            groups = fcluster(tree, options.groups, "maxclust") - 1
    chosen = np.array(list(product(MATERIALS.values(), repeat=int(groups.max()) + 1)))
    means = chosen[:, groups]
    alike = groups[:, None] == groups[None, :]
    pairs = means[:, :, None] * means[:, None, :]
    return MaterialPrior(
        means,
        pairs * (options.spread**2 * alike + options.own**2 * np.eye(count)),
        _shared(chosen),
    )


def _shared(chosen: Array) -> Array:
    """Log probabilities of assignments (s, g): a colour takes one before's material or any.

    The Chinese restaurant process with concentration 1 (Aldous, 1985).
    """
    logs = np.zeros(len(chosen))
    for number in range(chosen.shape[1]):
        before = (chosen[:, :number] == chosen[:, number : number + 1]).sum(1)
        logs += np.log((before + 1 / len(MATERIALS)) / (number + 1))
    return logs
