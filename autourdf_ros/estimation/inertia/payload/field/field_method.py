"""Ours: density is a Gaussian field over clusters of the object's volume; all records are used.

parameters = T(u) B density. B holds each cluster's moments at unit density; T(u) is a small affine
change of the shape, which acts on the pseudo-inertia as a congruence. The result is physically
consistent by construction: densities are not negative.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import lsq_linear, nnls
from scipy.special import logsumexp

from autourdf_ros.estimation.inertia.payload.field.density_prior import (
    DensityKernels,
    DensityOptions,
    density_kernels,
)
from autourdf_ros.estimation.inertia.payload.field.link_parameters import (
    LinkParameters,
    link_derivatives,
    summed_by_link,
)
from autourdf_ros.estimation.inertia.payload.field.materials_prior import (
    MaterialPrior,
    material_prior,
)
from autourdf_ros.estimation.inertia.payload.field.shape_uncertainty import (
    ShapeUncertainty,
    congruence,
)
from autourdf_ros.estimation.inertia.payload.moment_equations import Regression
from autourdf_ros.model.inertial.inertial_parameters import moved

Array = NDArray[np.float64]

_ROUNDS = 10
"""Iterations of non-negative least squares for each unknown: a resource bound."""


@dataclass(frozen=True)
class FieldOptions:
    """Constants of the method.

    Attributes:
        density: Of the prior.
        iterations: Of weights, evidence and densities in turn: a resource bound; the second
            already changes less than a deviation's tenth.
        materials: Also weigh common materials for each colour: for light, solid objects whose
            volume is known well.
    """

    density: DensityOptions = field(default_factory=DensityOptions)
    iterations: int = 3
    materials: bool = False


@dataclass(frozen=True)
class FieldClusters:
    """The object's volume in k clusters, in the sensor's frame.

    Attributes:
        moments: (k, 10) inertial parameters at 1 kg/m³.
        colours: (k, 3) mean colours; None where unknown.
        shape: How well their shape is known.
        links: (k,) link of every cluster; None for an object without joints.
    """

    moments: Array
    colours: Array | None
    shape: ShapeUncertainty
    links: NDArray[np.int64] | None = None


@dataclass(frozen=True)
class FieldResult:
    """Densities and what follows.

    Attributes:
        densities: (k,) kg/m³, not negative.
        parameters: (10,) of the body.
        covariance: (10, 10) of them.
        links: What each link has; None for an object without joints.
    """

    densities: Array
    parameters: Array
    covariance: Array
    links: LinkParameters | None = None


@dataclass(frozen=True)
class _Prior:
    """Settings of the prior: means (s, k), covariances (s, k, k) of densities, log weights (s,).

    in_parameters (s, 10, 10): the covariances of the body's parameters that follow.
    """

    means: Array
    covariances: Array
    in_parameters: Array
    logs: Array


@dataclass(frozen=True)
class _Mixed:
    """A mixture of settings by its first two moments: mean (k,), covariance (k, k)."""

    mean: Array
    covariance: Array


def estimate_field(
    regression: Regression, clusters: FieldClusters, options: FieldOptions
) -> FieldResult:
    """Return the densities of the clusters and the body's parameters with their covariance."""
    moments = clusters.moments
    size = len(moments)
    places = moments[:, 1:4] / moments[:, :1]
    kernels = density_kernels(places, clusters.colours, options.density, clusters.links)
    guess = _first_guess(regression, moments)
    result = FieldResult(np.full(size, guess), guess * moments.sum(0), np.zeros((10, 10)))
    for _ in range(options.iterations):
        matrix, target = regression.equations(result.parameters).whitened()
        shape = clusters.shape.generators(moments, result.densities)
        own = clusters.shape.volume_std * result.densities
        prior = _field_prior(kernels, moments, own, options.density)
        if options.materials:
            prior = _joined(prior, material_prior(clusters.colours, size), moments, own)
        mixed = _weighed(prior, matrix, target, shape, moments)
        result = _solve(mixed, (matrix, target), clusters, shape)
    return result


def _first_guess(regression: Regression, moments: Array) -> float:
    """One density for all, by plain least squares."""
    matrix, target = regression.equations(np.zeros(10)).whitened()
    column = matrix @ moments.sum(0)
    fitted = (column @ target) / (column @ column)
    return max(float(fitted), 1.0)


def _field_prior(
    kernels: DensityKernels, moments: Array, own: Array, options: DensityOptions
) -> _Prior:
    """Return the settings of contrasts and lengths.

    A wrong volume of a cluster acts as a density that is wrong by `own` (k,).
    """
    squares = np.square(options.contrasts)
    known = bool(kernels.colour.any())
    rare = options.place_rare if kernels.of_materials else options.colour_rare
    common = np.full_like(kernels.colour, options.level_std**2)
    common += np.diag(options.own_std**2 + own**2)
    settings, logs = [], []
    for by_colour in squares if known else squares[:1]:
        for place in kernels.places:
            for by_place in squares:
                settings.append(common + by_colour * kernels.colour + by_place * place)
                logs.append(-(by_colour / options.colour_rare**2 + by_place / rare**2) / 2)
    stacked = np.array(settings)
    means = np.full(stacked.shape[:2], options.level)
    return _Prior(means, stacked, moments.T @ stacked @ moments, _normalised(np.array(logs)))


def _joined(field_prior: _Prior, materials: MaterialPrior, moments: Array, own: Array) -> _Prior:
    """Return the field's settings and the materials, either as likely as the other."""
    covariances = materials.covariances + np.diag(own**2)
    return _Prior(
        np.concatenate([field_prior.means, materials.means]),
        np.concatenate([field_prior.covariances, covariances]),
        np.concatenate([field_prior.in_parameters, moments.T @ covariances @ moments]),
        np.concatenate([field_prior.logs, _normalised(materials.logs)]),
    )


def _normalised(logs: Array) -> Array:
    return np.asarray(logs - logsumexp(logs))


def _weighed(prior: _Prior, matrix: Array, target: Array, shape: Array, moments: Array) -> _Mixed:
    """Return the mixture of the settings, weighed by the evidence, the data's density under each.

    In the whitened space of at most ten dimensions.
    """
    own = matrix @ (prior.in_parameters + shape @ shape.T) @ matrix.T + np.eye(len(matrix))
    rest = target - prior.means @ moments @ matrix.T
    solved = np.linalg.solve(own, rest[..., None])[..., 0]
    logs = prior.logs - ((solved * rest).sum(1) + np.linalg.slogdet(own)[1]) / 2
    weights = np.exp(_normalised(logs))
    mean = weights @ prior.means
    apart = prior.means - mean
    covariance = np.tensordot(weights, prior.covariances, axes=1)
    return _Mixed(mean, covariance + (apart.T * weights) @ apart)


def _solve(
    prior: _Mixed, data: tuple[Array, Array], clusters: FieldClusters, shape: Array
) -> FieldResult:
    """Return densities and shape that fit data and prior best, and the posterior's covariance."""
    matrix, target = data
    moments = clusters.moments
    pull = matrix @ shape
    # The shape's deviations are free numbers: what they may explain counts as noise.
    noise = np.eye(len(matrix)) + pull @ pull.T
    whiten = np.linalg.inv(np.linalg.cholesky(noise))
    factor = np.linalg.inv(np.linalg.cholesky(prior.covariance))
    rows = np.vstack([whiten @ matrix @ moments.T, factor])
    densities = _not_negative(rows, np.concatenate([whiten @ target, factor @ prior.mean]))
    rest = target - matrix @ (densities @ moments)
    change = pull.T @ np.linalg.solve(noise, rest)
    changed = congruence(clusters.shape, change)
    parameters = moved(densities @ moments, changed)
    before = moments.T @ prior.covariance @ moments + shape @ shape.T
    links = _links(clusters, densities, changed, prior, matrix)
    return FieldResult(densities, parameters, _posterior(before, matrix), links)


def _links(
    clusters: FieldClusters, densities: Array, changed: Array, prior: _Mixed, matrix: Array
) -> LinkParameters | None:
    """Return what each link has: the equations see the sum of all."""
    links, moments = clusters.links, clusters.moments
    if links is None:
        return None
    parameters = summed_by_link(links, moments, densities, changed)
    by_density, by_shape = link_derivatives(links, moments, densities, clusters.shape)
    before = by_density @ prior.covariance @ by_density.T + by_shape @ by_shape.T
    return LinkParameters(parameters, _posterior(before, np.tile(matrix, len(parameters))))


def _posterior(before: Array, matrix: Array) -> Array:
    """Return the covariance (p, p) of p parameters, given whitened equations (r, p)."""
    seen = matrix @ before
    gain = np.linalg.solve(seen @ matrix.T + np.eye(len(matrix)), seen)
    after = before - seen.T @ gain
    return (after + after.T) / 2


def _not_negative(rows: Array, target: Array) -> Array:
    """Return the non-negative least squares solution, not zero as a whole."""
    try:
        found, _ = nnls(rows, target, maxiter=_ROUNDS * rows.shape[1])
    except RuntimeError:  # it cycles where columns are nearly alike
        found = np.maximum(lsq_linear(rows, target, (0, np.inf)).x, 0)
    return found if found.any() else np.ones(len(found))
