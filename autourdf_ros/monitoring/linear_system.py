"""The sums of some comparisons, as one linear system of all causes together.

Every look of a camera at a segment gives normal equations A x = g of its twist x = H p + b, where
p are the parameters of all causes, H is how these move it, and b is what the segment's own shape
puts in error there, constant in a window. b has covariance tau² (A / n)^-1: of an error of tau at
its points. It is eliminated by the Schur complement (Triggs et al., "Bundle Adjustment", 2000).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

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

    own: (S, 6, 6), own_gradient: (S, 6), weights: (S,) sums of weights (1/m²). twists: (S, 6, P).
    """

    camera: int
    stamp: float
    own: Array
    own_gradient: Array
    weights: Array
    twists: Array


@dataclass(frozen=True, eq=False)
class LinearSystem:
    """Sums over looks, of C cameras.

    information: (P, P), gradient: (P,) of the causes' parameters. own: (C, S, 6, 6), own_gradient:
    (C, S, 6) of the segments' errors, cross: (C, S, 6, P) between both. weights: (C, S) 1/m².
    """

    information: Array
    gradient: Array
    own: Array
    own_gradient: Array
    cross: Array
    weights: Array


def look_sums(causes: Causes, comparison: Comparison, noise: NoiseLevel) -> LookSums:
    """Weigh a comparison. Points of a segment count as fewer, since they are off together."""
    camera = causes.cameras.index(comparison.look.camera)
    weight = 1 / (1 + comparison.counts * noise.correlated[camera]) / noise.point[camera] ** 2
    return LookSums(
        camera,
        comparison.look.stamp,
        comparison.information * weight[:, None, None],
        comparison.gradient * weight[:, None],
        comparison.counts * weight,
        causes.twists(comparison.look),
    )


def linear_system(
    looks: Sequence[LookSums], cameras: int, left_out: NDArray[np.bool_] | None = None
) -> LinearSystem:
    """Sum looks, one at least. left_out: (S,) segments that are no evidence."""
    _, segments, _, count = (0, *looks[0].twists.shape)
    information, gradient = np.zeros((count, count)), np.zeros(count)
    own, cross = np.zeros((cameras, segments, 6, 6)), np.zeros((cameras, segments, 6, count))
    own_gradient, weights = np.zeros((cameras, segments, 6)), np.zeros((cameras, segments))
    kept = np.ones(segments) if left_out is None else (~left_out).astype(float)
    for look in looks:
        its_own = look.own * kept[:, None, None]
        its_gradient = look.own_gradient * kept[:, None]
        moved = its_own @ look.twists
        flat = look.twists.reshape(-1, count)
        information += flat.T @ moved.reshape(-1, count)
        gradient += flat.T @ its_gradient.reshape(-1)
        own[look.camera] += its_own
        cross[look.camera] += moved
        own_gradient[look.camera] += its_gradient
        weights[look.camera] += look.weights * kept
    return LinearSystem(information, gradient, own, own_gradient, cross, weights)


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
