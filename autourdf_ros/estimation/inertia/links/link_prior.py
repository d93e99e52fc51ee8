"""What shapes say of masses before a torque is measured: each link near a solid of one density.

A link's pseudo-inertia is U N Nᵀ Uᵀ with U Uᵀ that of the solid and N the upper triangular matrix
of ten free numbers (`log_cholesky.py`), all zero for the solid itself. They count in the solid's
own radii of gyration, so that one distribution serves links of every size and form.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import block_diag

from autourdf_ros.estimation.inertia.links.link_options import PriorOptions
from autourdf_ros.model.inertial.inertial_parameters import moving_matrix, pseudo_inertia
from autourdf_ros.model.inertial.log_cholesky import from_log_cholesky, log_cholesky_jacobian

Array = NDArray[np.float64]

# Of the ten free numbers:
_DIAGONAL, _SHEAR, _SHIFT = [0, 1, 2, 3], [4, 5, 7], [6, 8, 9]


@dataclass(frozen=True)
class LinkPrior:
    """The distribution of L links and of R resistances of joints.

    Attributes:
        maps: (L, 10, 10) parameters of a link per parameter of N Nᵀ.
        own: (L, 10, 10) covariance of each link's free numbers, without the shared density.
        level: Variance of the shared density, in the four diagonal numbers of a link by shape.
        known: (L,) whether a link was measured before: it has no part in the shared density, and
            its covariance is not freed.
        scales: (R,) standard deviations of the resistances about zero.
        signed: (R,) whether a resistance may be negative: offsets.
    """

    maps: Array
    own: Array
    level: float
    known: NDArray[np.bool_]
    scales: Array
    signed: NDArray[np.bool_]

    @property
    def links(self) -> int:
        """How many."""
        return len(self.maps)

    def parameters(self, free: Array) -> Array:
        """Return the columns' parameters (10 L + R,) of free numbers of the same count."""
        count = 10 * self.links
        bodies = [from_log_cholesky(one) for one in free[:count].reshape(-1, 10)]
        links = np.einsum("lij,lj->li", self.maps, np.reshape(bodies, (-1, 10)))
        return np.concatenate([links.ravel(), self.scales * free[count:]])

    def jacobian(self, free: Array) -> Array:
        """Return the derivatives of `parameters`, a square matrix."""
        count = 10 * self.links
        matrix = np.diag(np.concatenate([np.zeros(count), self.scales]))
        for link, one in enumerate(free[:count].reshape(-1, 10)):
            own = slice(10 * link, 10 * link + 10)
            matrix[own, own] = self.maps[link] @ log_cholesky_jacobian(one)
        return matrix

    def covariance(self, freed: Array) -> Array:
        """Return the covariance of the free numbers.

        Args:
            freed: (L,) factors of the links' own covariances.
        """
        count = 10 * self.links
        shared = np.zeros(count)
        shared.reshape(-1, 10)[np.ix_(np.flatnonzero(~self.known), np.array(_DIAGONAL))] = 1.0
        matrix = np.eye(count + len(self.scales))
        matrix[:count, :count] = block_diag(*(freed[:, None, None] * self.own))
        matrix[:count, :count] += self.level * np.outer(shared, shared)
        return matrix


def link_prior(
    solids: Array,
    scales: Array,
    signed: Array,
    options: PriorOptions,
    known: Mapping[int, Array] | None = None,
) -> LinkPrior:
    """Return the prior of links and resistances.

    Args:
        solids: (L, 10) parameters of the solids, in the links' frames.
        scales: (R,) of the resistances.
        signed: (R,) whether each may be negative.
        options: Widths.
        known: Covariances (10, 10) of the parameters of links that were measured before, by number.
    """
    factors = np.linalg.cholesky(pseudo_inertia(solids)[:, ::-1, ::-1])[:, ::-1, ::-1]
    maps = np.array([moving_matrix(factor) for factor in factors])
    by_shape = np.zeros((10, 10))
    by_shape[np.ix_(_DIAGONAL, _DIAGONAL)] = (options.mass_std / 2) ** 2
    by_shape[_DIAGONAL[:3], _DIAGONAL[:3]] += options.shape_std**2
    by_shape[_SHEAR, _SHEAR] = 2 * options.shape_std**2  # no direction of the body is special
    by_shape[_SHIFT, _SHIFT] = options.shift**2
    own = np.tile(by_shape, (len(solids), 1, 1))
    for number, covariance in (known or {}).items():
        inverse = np.linalg.inv(maps[number] @ log_cholesky_jacobian(np.zeros(10)))
        # A direction that the measurement left open is as the shape has it, at most.
        own[number] = np.linalg.inv(
            np.linalg.inv(_positive(inverse @ covariance @ inverse.T)) + np.linalg.inv(by_shape)
        )
    flags = np.isin(np.arange(len(solids)), list(known or {}))
    return LinkPrior(
        maps,
        own,
        (options.level_std / 2) ** 2,
        flags,
        np.asarray(scales, float),
        np.asarray(signed, bool),
    )


def _positive(covariance: Array) -> Array:
    """The covariance with the variances that rounding took from it, at 1e-12 of the largest."""
    values, vectors = np.linalg.eigh((covariance + covariance.T) / 2)
    return np.asarray((vectors * np.maximum(values, 1e-12 * values.max())) @ vectors.T)
