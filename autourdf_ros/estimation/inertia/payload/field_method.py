"""Ours: density is a Gaussian field over clusters of the object's volume; all records are used.

parameters = T(u) B density. B holds each cluster's moments at unit density; T(u) is a small affine
change of the shape, which acts on the pseudo-inertia as a congruence. The result is physically
consistent by construction: densities are not negative.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import nnls

from autourdf_ros.estimation.inertia.payload.density_prior import (
    DensityKernels,
    DensityOptions,
    density_kernels,
)
from autourdf_ros.estimation.inertia.payload.moment_equations import Regression
from autourdf_ros.estimation.inertia.payload.shape_uncertainty import (
    ShapeUncertainty,
    congruence,
)
from autourdf_ros.model.inertial.inertial_parameters import moved

Array = NDArray[np.float64]


@dataclass(frozen=True)
class FieldOptions:
    """Constants of the method.

    Attributes:
        density: Of the prior.
        iterations: Of weights, evidence and densities in turn: a resource bound; the second
            already changes less than a deviation's tenth.
    """

    density: DensityOptions = field(default_factory=DensityOptions)
    iterations: int = 3


@dataclass(frozen=True)
class FieldClusters:
    """The object's volume in k clusters, in the sensor's frame.

    Attributes:
        moments: (k, 10) inertial parameters at 1 kg/m³.
        colours: (k, 3) mean colours; None where unknown.
        shape: How well their shape is known.
    """

    moments: Array
    colours: Array | None
    shape: ShapeUncertainty


@dataclass(frozen=True)
class FieldResult:
    """Densities and what follows.

    Attributes:
        densities: (k,) kg/m³, not negative.
        parameters: (10,) of the body.
        covariance: (10, 10) of them.
    """

    densities: Array
    parameters: Array
    covariance: Array


@dataclass(frozen=True)
class _Prior:
    """Covariances of densities (s, k, k) and of parameters (s, 10, 10) with their weights (s,)."""

    covariance: Array
    in_parameters: Array
    weights: Array


def estimate_field(
    regression: Regression, clusters: FieldClusters, options: FieldOptions
) -> FieldResult:
    """Return the densities of the clusters and the body's parameters with their covariance."""
    moments = clusters.moments
    size = len(moments)
    kernels = density_kernels(moments[:, 1:4] / moments[:, :1], clusters.colours, options.density)
    mean = np.full(size, options.density.level)
    guess = _first_guess(regression, moments)
    result = FieldResult(np.full(size, guess), guess * moments.sum(0), np.zeros((10, 10)))
    for _ in range(options.iterations):
        matrix, target = regression.equations(result.parameters).whitened()
        shape = clusters.shape.generators(moments, result.densities)
        own = clusters.shape.volume_std * result.densities
        prior = _priors(kernels, moments, own, options.density)
        prior = _weighed(prior, matrix, target - matrix @ (mean @ moments), shape)
        result = _solve(prior, (matrix, target), clusters, shape, mean)
    return result


def _first_guess(regression: Regression, moments: Array) -> float:
    """One density for all, by plain least squares."""
    column = regression.rows @ moments.sum(0)
    spread = np.sqrt(regression.wrench_variance)
    fitted = (column * regression.wrenches / spread**2).sum() / ((column / spread) ** 2).sum()
    return max(float(fitted), 1.0)


def _priors(
    kernels: DensityKernels, moments: Array, own: Array, options: DensityOptions
) -> _Prior:
    """Return the covariances of all settings of contrast and length.

    A wrong volume of a cluster acts as a density that is wrong by `own` (k,).
    """
    squares = np.square(options.contrasts)
    known = bool(kernels.colour.any())
    rare = options.place_rare if known else options.colour_rare
    common = np.full_like(kernels.colour, options.level_std**2)
    common += np.diag(options.own_std**2 + own**2)
    settings, logs = [], []
    for by_colour in squares if known else squares[:1]:
        for place in kernels.places:
            for by_place in squares:
                settings.append(common + by_colour * kernels.colour + by_place * place)
                logs.append(-(by_colour / options.colour_rare**2 + by_place / rare**2) / 2)
    stacked = np.array(settings)
    return _Prior(stacked, moments.T @ stacked @ moments, np.array(logs))


def _weighed(prior: _Prior, matrix: Array, rest: Array, shape: Array) -> _Prior:
    """Return the settings weighed by their evidence, the density of the data (r,) under each."""
    own = matrix @ (prior.in_parameters + shape @ shape.T) @ matrix.T + np.eye(len(matrix))
    solved = np.linalg.solve(own, np.broadcast_to(rest, (len(own), len(rest)))[..., None])[..., 0]
    logs = prior.weights - (solved @ rest + np.linalg.slogdet(own)[1]) / 2
    weights = np.exp(logs - logs.max())
    return _Prior(prior.covariance, prior.in_parameters, weights / weights.sum())


def _solve(
    prior: _Prior, data: tuple[Array, Array], clusters: FieldClusters, shape: Array, mean: Array
) -> FieldResult:
    """Return densities and shape that fit data and prior best, and the posterior's covariance."""
    matrix, target = data
    moments = clusters.moments
    covariance = np.tensordot(prior.weights, prior.covariance, axes=1)
    factor = np.linalg.inv(np.linalg.cholesky(covariance))
    pull = matrix @ shape
    count, free = len(mean), shape.shape[1]
    # Columns: densities, then deviations of the shape upwards and downwards, all >= 0.
    rows = np.block(
        [
            [matrix @ moments.T, pull, -pull],
            [factor, np.zeros((count, 2 * free))],
            [np.zeros((free, count)), np.eye(free), -np.eye(free)],
        ]
    )
    found, _ = nnls(rows, np.concatenate([target, factor @ mean, np.zeros(free)]))
    densities, change = found[:count], found[count : count + free] - found[count + free :]
    parameters = moved(densities @ moments, congruence(clusters.shape, change))
    return FieldResult(densities, parameters, _posterior(prior, matrix, shape))


def _posterior(prior: _Prior, matrix: Array, shape: Array) -> Array:
    """Return the covariance (10, 10) of the parameters, given the data."""
    before = np.tensordot(prior.weights, prior.in_parameters, axes=1) + shape @ shape.T
    seen = matrix @ before
    gain = np.linalg.solve(seen @ matrix.T + np.eye(len(matrix)), seen)
    after = before - seen.T @ gain
    return (after + after.T) / 2
