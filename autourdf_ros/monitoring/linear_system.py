"""The sums of some comparisons, as one linear system of all causes together.

Every look of a camera at a segment gives normal equations A x = g of its twist x = H p + b, where
p are the parameters of all causes, H is how these move it, and b is what the segment's own shape
puts in error there, constant in a window. b has covariance tau² (A / n)^-1: of an error of tau at
its points. It is eliminated by the Schur complement (Triggs et al., "Bundle Adjustment", 2000).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from autourdf_ros.monitoring.causes import Causes
from autourdf_ros.monitoring.comparison import Comparison
from autourdf_ros.monitoring.noise_level import NoiseLevel

Array = NDArray[np.float64]

_FARTHEST = np.repeat([0.2, 0.05], 3)  # rad, m: of a segment's error in what no point tells


@dataclass(frozen=True, eq=False)
class LookSums:
    """Of one look: weighted by the noise, over its S segments.

    own: (S, 6, 6), own_gradient: (S, 6), weights: (S,) sums of weights (1/m²). costs: (S,) of the
    segments, lost: of points on none, all more than noise alone would cost. twists: (S, 6, P). The
    others are as in `LinearSystem`.
    """

    camera: int
    stamp: float
    own: Array
    own_gradient: Array
    weights: Array
    costs: Array
    lost: float
    twists: Array

    @cached_property
    def cross(self) -> Array:
        """(S, 6, P)."""
        return self.own @ self.twists

    @cached_property
    def information(self) -> Array:
        """(P, P)."""
        flat = self.twists.reshape(-1, self.twists.shape[-1])
        return flat.T @ self.cross.reshape(flat.shape)

    @cached_property
    def gradient(self) -> Array:
        """(P,)."""
        return np.einsum("sip,si->p", self.twists, self.own_gradient)

    def without(self, left_out: NDArray[np.bool_]) -> LookSums:
        """The same where segments (S,) are no evidence."""
        kept = (~left_out).astype(float)
        return LookSums(
            self.camera,
            self.stamp,
            self.own * kept[:, None, None],
            self.own_gradient * kept[:, None],
            self.weights * kept,
            self.costs * kept,
            self.lost,
            self.twists,
        )


@dataclass(frozen=True, eq=False)
class LinearSystem:
    """Sums over looks, of C cameras.

    information: (P, P), gradient: (P,) of the causes' parameters. own: (C, S, 6, 6), own_gradient:
    (C, S, 6) of the segments' errors, cross: (C, S, 6, P) between both. weights: (C, S) 1/m². cost:
    of all points with nothing off, more than noise alone would cost.
    """

    information: Array
    gradient: Array
    own: Array
    own_gradient: Array
    cross: Array
    weights: Array
    cost: float


def look_sums(causes: Causes, comparison: Comparison, noise: NoiseLevel) -> LookSums:
    """Weigh a comparison. Points of a segment count as fewer, since they are off together.

    So do those that are on none, as if they were one more segment.
    """
    camera = causes.cameras.index(comparison.look.camera)
    correlated, variance = noise.correlated[camera], noise.point[camera] ** 2
    weight = 1 / (1 + comparison.counts * correlated) / variance
    lost = comparison.lost_cost / (1 + comparison.lost * float(correlated.mean())) / variance
    return LookSums(
        camera,
        comparison.look.stamp,
        comparison.information * weight[:, None, None],
        comparison.gradient * weight[:, None],
        comparison.counts * weight,
        (comparison.costs - comparison.points * variance) * weight,
        float(lost),
        causes.twists(comparison.look),
    )


def linear_system(looks: Sequence[LookSums], cameras: int) -> LinearSystem:
    """Sum looks, one at least."""
    first = looks[0]
    own = np.zeros((cameras, *first.own.shape))
    own_gradient = np.zeros((cameras, *first.own_gradient.shape))
    cross = np.zeros((cameras, *first.cross.shape))
    weights = np.zeros((cameras, *first.weights.shape))
    information, gradient = np.zeros_like(first.information), np.zeros_like(first.gradient)
    cost = 0.0
    for look in looks:
        information += look.information
        gradient += look.gradient
        own[look.camera] += look.own
        own_gradient[look.camera] += look.own_gradient
        cross[look.camera] += look.cross
        weights[look.camera] += look.weights
        cost += float(look.costs.sum()) + look.lost
    return LinearSystem(information, gradient, own, own_gradient, cross, weights, cost)


def error_information(system: LinearSystem, noise: NoiseLevel) -> Array:
    """(C, S, 6, 6) what is known beforehand of the segments' errors."""
    each = system.own / np.maximum(system.weights, 1e-12)[..., None, None]
    return each / noise.systematic[..., None, None] ** 2 + np.diag(_FARTHEST**-2.0)


def without_errors(
    system: LinearSystem, noise: NoiseLevel, parameters: Array, errors: Array
) -> tuple[Array, Array]:
    """Information (P, P) and gradient (P,) of the causes alone.

    They are told from `parameters` (P,) on, and the segments' errors are about `errors` (C, S, 6).
    """
    cross, count = system.cross, len(parameters)
    usual = np.einsum("csij,csj->csi", system.own, errors)
    own_gradient = system.own_gradient - cross @ parameters - usual
    gradient = (
        system.gradient
        - system.information @ parameters
        - cross.reshape(-1, count).T @ errors.reshape(-1)
    )
    joined = np.concatenate([cross, own_gradient[..., None]], axis=-1)
    solved = np.linalg.solve(system.own + error_information(system, noise), joined)
    flat = cross.reshape(-1, count)
    return (
        system.information - flat.T @ solved[..., :-1].reshape(-1, count),
        gradient - flat.T @ solved[..., -1].reshape(-1),
    )


def least_cost(system: LinearSystem, noise: NoiseLevel, parameters: Array, errors: Array) -> float:
    """What all points cost with `parameters` (P,), the segments' errors as they fit best.

    errors: (C, S, 6) about which these are.
    """
    own_gradient = system.own_gradient - system.cross @ parameters
    own_gradient -= np.einsum("csij,csj->csi", system.own, errors)
    gradient = system.gradient - system.information @ parameters
    gradient -= np.einsum("csip,csi->p", system.cross, errors)
    # A quadratic f(x) = f(0) - x (g(0) + g(x)), g being half its falling gradient.
    cost = system.cost - parameters @ (system.gradient + gradient)
    cost -= (errors * (system.own_gradient + own_gradient)).sum()
    known = system.own + error_information(system, noise)
    fitted = np.linalg.solve(known, own_gradient[..., None])[..., 0]
    return float(cost - (own_gradient * fitted).sum())
