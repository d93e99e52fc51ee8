"""The sums of some comparisons, as one linear system of all causes together.

Every observation of a segment by a camera gives normal equations A x = g of its twist x = H p + b,
where p are the parameters of all causes, H is how these move it, and b is a systematic error,
constant in a window. b has covariance tau² (A / n)^-1: that of an error of tau at its points. It is
eliminated by the Schur complement (Triggs et al., "Bundle Adjustment", 2000). tau² is the measured
systematic variance plus the variance of the surface's offsets where it is seen.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from autourdf_ros.monitoring.diagnosis.baseline import Baseline
from autourdf_ros.monitoring.diagnosis.causes import Causes
from autourdf_ros.monitoring.diagnosis.noise_measure import pseudo_inverse
from autourdf_ros.monitoring.observing.observation_comparison import Comparison

Array = NDArray[np.float64]

_EXACT = 1e-10  # the cost belongs to the same quadratic: no direction may be left out
_FARTHEST = np.repeat([0.2, 0.05], 3)  # rad, m: segment error in directions without points


@dataclass(frozen=True, eq=False)
class ObservationSums:
    """Sums of one observation, weighted by the noise, over its S segments.

    Attributes:
        camera: Number of the camera.
        stamp: Seconds.
        own: (S, 6, 6) information of the segments' twists.
        own_gradient: (S, 6).
        systematic: (S,) sums of weights times the squares of systematic errors.
        costs: (S,) cost (chi-square) of zero twists above that of the best ones.
        twists: (S, 6, P) derivatives of the twists by the causes' parameters.
    """

    camera: int
    stamp: float
    own: Array
    own_gradient: Array
    systematic: Array
    costs: Array
    twists: Array

    @cached_property
    def cross(self) -> Array:
        """(S, 6, P) information between the segments' errors and the parameters."""
        return self.own @ self.twists

    @cached_property
    def information(self) -> Array:
        """(P, P) information of the parameters."""
        flat = self.twists.reshape(-1, self.twists.shape[-1])
        return flat.T @ self.cross.reshape(flat.shape)

    @cached_property
    def gradient(self) -> Array:
        """(P,) gradient of the parameters."""
        return np.einsum("sip,si->p", self.twists, self.own_gradient)

    def without(self, left_out: NDArray[np.bool_]) -> ObservationSums:
        """Return the same sums without the points of some segments (S,)."""
        kept = (~left_out).astype(float)
        return ObservationSums(
            self.camera,
            self.stamp,
            self.own * kept[:, None, None],
            self.own_gradient * kept[:, None],
            self.systematic * kept,
            self.costs * kept,
            self.twists,
        )


@dataclass(frozen=True, eq=False)
class LinearSystem:
    """Sums over observations of C cameras.

    Attributes:
        information: (P, P) of the causes' parameters.
        gradient: (P,) of the causes' parameters.
        own: (C, S, 6, 6) information of the segments' errors.
        own_gradient: (C, S, 6) of the segments' errors.
        cross: (C, S, 6, P) between both.
        systematic: (C, S) sums of weights times the squares of systematic errors.
        cost: Cost (chi-square) of zero twists of all segments in every observation, above that of
            the best ones.
    """

    information: Array
    gradient: Array
    own: Array
    own_gradient: Array
    cross: Array
    systematic: Array
    cost: float


def observation_sums(causes: Causes, comparison: Comparison, baseline: Baseline) -> ObservationSums:
    """Weigh a comparison, with the surface at its baseline.

    Points of a segment count as fewer, since their errors are correlated.
    """
    camera = causes.cameras.index(comparison.observation.camera)
    noise, cells, count = baseline.noise, comparison.cells, len(comparison.counts)
    offsets, variances = baseline.offsets.at(cells.keys)
    shifted = cells.of_segments(cells.rows * offsets[:, None], count)
    unknown = cells.of_segments(variances * cells.weights, count)
    correlated, variance = noise.correlated[camera], noise.point[camera] ** 2
    weight = 1 / (1 + comparison.counts * correlated) / variance
    own = comparison.information * weight[:, None, None]
    gradient = (comparison.gradient - shifted) * weight[:, None]
    return ObservationSums(
        camera,
        comparison.observation.stamp,
        own,
        gradient,
        (comparison.counts * noise.systematic[camera] ** 2 + unknown) * weight,
        np.einsum("si,sij,sj->s", gradient, pseudo_inverse(own, _EXACT)[0], gradient),
        causes.twists(comparison.observation),
    )


def linear_system(sums: Sequence[ObservationSums], cameras: int) -> LinearSystem:
    """Sum at least one observation."""
    first = sums[0]
    own = np.zeros((cameras, *first.own.shape))
    own_gradient = np.zeros((cameras, *first.own_gradient.shape))
    cross = np.zeros((cameras, *first.cross.shape))
    systematic = np.zeros((cameras, *first.systematic.shape))
    information, gradient = np.zeros_like(first.information), np.zeros_like(first.gradient)
    cost = 0.0
    for one in sums:
        information += one.information
        gradient += one.gradient
        own[one.camera] += one.own
        own_gradient[one.camera] += one.own_gradient
        cross[one.camera] += one.cross
        systematic[one.camera] += one.systematic
        cost += float(one.costs.sum())
    return LinearSystem(information, gradient, own, own_gradient, cross, systematic, cost)


def error_information(system: LinearSystem) -> Array:
    """Return the (C, S, 6, 6) prior information of the segments' errors."""
    # An error of tau at every point has the information A / (n tau²).
    each = system.own / np.maximum(system.systematic, 1e-18)[..., None, None]
    return each + np.diag(_FARTHEST**-2.0)


def without_errors(system: LinearSystem, parameters: Array) -> tuple[Array, Array]:
    """Eliminate the segments' errors, at `parameters` (P,).

    Returns:
        Information (P, P) and gradient (P,) of the causes alone.
    """
    cross, count = system.cross, len(parameters)
    own_gradient = system.own_gradient - cross @ parameters
    joined = np.concatenate([cross, own_gradient[..., None]], axis=-1)
    solved = np.linalg.solve(system.own + error_information(system), joined)
    flat = cross.reshape(-1, count)
    return (
        system.information - flat.T @ solved[..., :-1].reshape(-1, count),
        system.gradient - system.information @ parameters - flat.T @ solved[..., -1].reshape(-1),
    )


def least_cost(system: LinearSystem, parameters: Array) -> float:
    """Return the cost of all points with `parameters` (P,) and the best segment errors."""
    own_gradient = system.own_gradient - system.cross @ parameters
    gradient = system.gradient - system.information @ parameters
    # A quadratic f(x) = f(0) - x (g(0) + g(x)), g being half its falling gradient.
    cost = system.cost - parameters @ (system.gradient + gradient)
    known = system.own + error_information(system)
    fitted = np.linalg.solve(known, own_gradient[..., None])[..., 0]
    return float(cost - (own_gradient * fitted).sum())
