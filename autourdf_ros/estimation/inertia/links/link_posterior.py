"""The most probable links and resistances, and how sure they are: Gauss-Newton in free numbers.

The prior of each link is Student's: a normal distribution whose width is itself uncertain, found by
expectation-maximisation (Lange, Little, Taylor, "Robust Statistical Modeling Using the t
Distribution", JASA 1989).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import cho_factor, cho_solve

from autourdf_ros.estimation.inertia.links.link_options import LinkOptions
from autourdf_ros.estimation.inertia.links.link_prior import LinkPrior

Array = NDArray[np.float64]

FREED_SETTLED = 0.02
"""Logarithm of the factors' change at which they have converged: far below their own spread."""


@dataclass(frozen=True)
class NormalSystem:
    """What weighted records say of the columns' parameters: ½ φᵀ A φ - bᵀ φ + ½ c is the cost.

    Attributes:
        matrix: (p, p) A.
        vector: (p,) b.
        constant: c.
    """

    matrix: Array
    vector: Array
    constant: float

    def cost(self, parameters: Array) -> float:
        """Return half the sum of the squared weighted residuals."""
        half = self.matrix @ parameters / 2 - self.vector
        return float(parameters @ half + self.constant / 2)


@dataclass(frozen=True)
class LinkPosterior:
    """The estimate of all columns' parameters.

    Attributes:
        parameters: (p,).
        covariance: (p, p) given the data.
        prior_covariance: (p, p) without them, as far as the prior was held.
        free: (p,) free numbers.
        freed: (L,) factors of the links' prior covariances.
    """

    parameters: Array
    covariance: Array
    prior_covariance: Array
    free: Array
    freed: Array


def most_probable(
    system: NormalSystem,
    prior: LinkPrior,
    options: LinkOptions,
    start: tuple[Array, Array] | None = None,
) -> LinkPosterior:
    """Return the posterior of links and resistances.

    Args:
        system: The data's normal equations, weighted by their noise.
        prior: Of links and resistances.
        options: Bounds.
        start: (p,) free numbers and (L,) factors of the links' covariances to start from.
    """
    free, freed = start or (np.zeros(len(system.vector)), np.ones(prior.links))
    for _ in range(options.iterations):
        precision = np.asarray(np.linalg.inv(prior.covariance(freed)), float)
        free = _gauss_newton(system, prior, precision, free, options)
        covariance = _free_covariance(system, prior, precision, free)
        before, freed = freed, freed_links(prior, free, covariance, options.prior.freedom)
        if np.abs(np.log(freed / before)).max(initial=0.0) < FREED_SETTLED:
            break
    jacobian = prior.jacobian(free)
    origin = prior.jacobian(np.zeros(len(free)))
    return LinkPosterior(
        prior.parameters(free),
        jacobian @ covariance @ jacobian.T,
        origin @ prior.covariance(np.ones(prior.links)) @ origin.T,
        free,
        freed,
    )


def _free_covariance(
    system: NormalSystem, prior: LinkPrior, precision: Array, free: Array
) -> Array:
    jacobian = prior.jacobian(free)
    information = jacobian.T @ system.matrix @ jacobian + precision
    return np.asarray(np.linalg.inv((information + information.T) / 2))


def freed_links(prior: LinkPrior, free: Array, covariance: Array, freedom: float) -> Array:
    """Return factors (L,) of the links' prior covariances.

    Args:
        prior: Of the links.
        free: (p,) free numbers.
        covariance: (p, p) of them.
        freedom: Degrees of freedom of Student's distribution.
    """
    shared = np.zeros(10)
    shared[:4] = 1.0
    factors = np.ones(prior.links)
    for link in np.flatnonzero(~prior.known):
        own = slice(10 * link, 10 * link + 10)
        spread = np.outer(free[own], free[own]) + covariance[own, own]
        inverse = np.linalg.inv(prior.own[link] + prior.level * np.outer(shared, shared))
        factors[link] = (freedom + np.sum(inverse * spread)) / (freedom + 10)
    return np.maximum(factors, 1.0)


def _gauss_newton(
    system: NormalSystem, prior: LinkPrior, precision: Array, free: Array, options: LinkOptions
) -> Array:
    """Minimise the cost; resistances stay at or above zero (Levenberg's damping)."""
    count = 10 * prior.links
    bounded = np.concatenate([np.zeros(count, bool), ~prior.signed])

    def cost(at: Array) -> float:
        return system.cost(prior.parameters(at)) + float(at @ precision @ at) / 2

    now, damping = cost(free), 1e-6
    for _ in range(options.steps):
        jacobian = prior.jacobian(free)
        parameters = prior.parameters(free)
        slope = jacobian.T @ (system.matrix @ parameters - system.vector) + precision @ free
        curvature = jacobian.T @ system.matrix @ jacobian + precision
        moving = ~(bounded & (free <= 0) & (slope > 0))
        reduced, damped = curvature[np.ix_(moving, moving)], np.diag(curvature)[moving]
        step = np.zeros(len(free))
        while True:
            factor = cho_factor(reduced + damping * np.diag(damped))
            step[moving] = cho_solve(factor, -slope[moving])
            # A factor of e² in mass a step, so that the exponentials stay finite.
            step[:count] *= min(1.0, 1.0 / max(np.abs(step[:count]).max(initial=0.0), 1e-12))
            tried = free + step
            tried[bounded] = np.maximum(tried[bounded], 0.0)
            then = cost(tried)
            if then <= now or damping > 1e8:
                break
            damping *= 10
        gain = now - then
        if gain < 0:
            break
        free, now, damping = tried, then, max(damping / 10, 1e-9)
        if gain < options.settled:
            break
    return free
