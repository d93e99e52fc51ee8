"""How well a tree of joints explains the outlines of a robot in images."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numba import njit
from numpy.typing import NDArray

from autourdf_ros.estimation.appearance.silhouettes.silhouettes import Silhouettes, field_at
from autourdf_ros.estimation.common.structure.likelihood import StructureState
from autourdf_ros.geometry.arrays import Array, Labels
from autourdf_ros.parallel import on_all_cores

_PARAMETERS = {"revolute": 4, "continuous": 4, "prismatic": 2, "fixed": 0}
_CHUNKS = 4


@dataclass(frozen=True)
class LikelihoodOptions:
    """How outlines judge.

    Attributes:
        images: In which points are compared (resource bound).
        points: Of the hull, evenly spread (resource bound).
        cap: Largest distance that counts: what is no part of the robot fits no link (pixels).
        noise: Mean distance from the outline of a point that is outside (pixels).
        tolerance: Distance from which a point is outside (pixels).
    """

    images: int = 80
    points: int = 600
    cap: float = 4.0
    noise: float = 1.0
    tolerance: float = 1.0


@dataclass(frozen=True)
class LabelCosts:
    """What it costs that points belong to links.

    Attributes:
        means: (L, N) mean capped distance from the outlines (pixels).
        outside: (L, N) share of the images in which a point is outside.
    """

    means: Array
    outside: Array

    @property
    def labels(self) -> Labels:
        """(N,) number of the best link; of equal ones that which is nearest to the root."""
        return np.asarray(self.means.argmin(axis=0))


@dataclass(frozen=True)
class SilhouetteLikelihood:
    """A likelihood: points of the robot at rest must stay inside of the outlines.

    Every point belongs to the link with which it is outside least. Distances outside are taken as
    exponentially distributed; points are so far apart that each counts by itself.

    Attributes:
        silhouettes: Of the F images of a state.
        points: (N, 3) of the robot at rest (m).
        options: All constants.
    """

    silhouettes: Silhouettes
    points: Array
    options: LikelihoodOptions = LikelihoodOptions()

    def score(self, state: StructureState) -> float:
        """Return the log-likelihood, less half a logarithm of the data a parameter (nats)."""
        costs = self.label_costs(state)
        count = len(self.points) * len(state.values)
        parameters = sum(_PARAMETERS[joint.type] for joint in state.tree.joints)
        distance = costs.means.min(axis=0).sum() * len(state.values)
        return float(-distance / self.options.noise - parameters / 2 * np.log(max(count, 2)))

    def label_costs(self, state: StructureState) -> LabelCosts:
        """Return the costs of all links in a state."""
        return label_costs(
            self.silhouettes, self.points, state.tree.motions(state.values), self.options
        )


def label_costs(
    silhouettes: Silhouettes, points: Array, motions: Array, options: LikelihoodOptions
) -> LabelCosts:
    """Return the costs of points (N, 3) with links that moved by (F, L, 4, 4) since rest."""
    matrices = np.ascontiguousarray(silhouettes.projections[:, None] @ motions)
    pieces = np.array_split(np.arange(len(points)), _CHUNKS)

    def own(piece: NDArray[np.int64]) -> Array:
        found = np.zeros((2, motions.shape[1], len(piece)))
        _accumulate(
            matrices,
            silhouettes.fields,
            np.ascontiguousarray(points[piece]),
            (options.cap, options.tolerance),
            found,
        )
        return found

    means, outside = np.concatenate(on_all_cores(own, pieces), axis=2) / len(motions)
    return LabelCosts(means, outside)


@njit(cache=True, nogil=True, error_model="numpy")
def _accumulate(matrices, fields, points, limits, found):  # type: ignore[no-untyped-def]
    cap, tolerance = limits
    for f in range(len(fields)):
        for k in range(matrices.shape[1]):
            for n in range(len(points)):
                d = field_at(fields[f], matrices[f, k], points[n, 0], points[n, 1], points[n, 2])
                if d > 0:
                    found[0, k, n] += min(d, cap)
                    if d > tolerance:
                        found[1, k, n] += 1
