"""The most probable links under linear matrix inequalities, by Clarabel (extra 'inertia').

Sousa, Cortesao, "Physical feasibility of robot base inertial parameter identification: A linear
matrix inequality approach", IJRR 2014; pseudo-inertias as Wensing, Kim, Slotine (RA-L 2018). The
prior is normal in the parameters: that of `link_prior.py`, linear about the solids.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from autourdf_ros.errors import InputError
from autourdf_ros.estimation.inertia.links.link_options import LinkOptions
from autourdf_ros.estimation.inertia.links.link_posterior import (
    FREED_SETTLED,
    LinkPosterior,
    NormalSystem,
    freed_links,
)
from autourdf_ros.estimation.inertia.links.link_prior import LinkPrior
from autourdf_ros.model.inertial.inertial_parameters import pseudo_inertia

Array = NDArray[np.float64]

_LEAST = 1e-3  # least moment of a link, of its solid's: a tenth of its density and far thinner


def constrained_links(
    system: NormalSystem, prior: LinkPrior, options: LinkOptions, freed: Array
) -> LinkPosterior:
    """Return the links of least cost among those that are bodies.

    Args:
        system: The data's normal equations.
        prior: Of links and resistances.
        options: Bounds.
        freed: (L,) factors of the links' covariances to start from.

    Raises:
        InputError: the extra is not installed, or the solver found nothing.
    """
    origin = np.zeros(len(system.vector))
    mean, jacobian = prior.parameters(origin), prior.jacobian(origin)
    curvature = jacobian.T @ system.matrix @ jacobian
    slope = jacobian.T @ (system.vector - system.matrix @ mean)
    for _ in range(options.iterations):
        information = curvature + np.linalg.inv(prior.covariance(freed))
        free = _minimum(information, slope, mean, jacobian, prior)
        covariance = np.linalg.inv(information)
        before, freed = freed, freed_links(prior, free, covariance, options.prior.freedom)
        if np.abs(np.log(freed / before)).max(initial=0.0) < FREED_SETTLED:
            break
    return LinkPosterior(
        mean + jacobian @ free,
        jacobian @ covariance @ jacobian.T,
        jacobian @ prior.covariance(np.ones(prior.links)) @ jacobian.T,
        free,
        freed,
    )


def _minimum(
    information: Array, slope: Array, mean: Array, jacobian: Array, prior: LinkPrior
) -> Array:
    """Free numbers (p,) of the least cost among those of bodies, and of resistances above zero."""
    try:
        import cvxpy as cp
    except ImportError as error:
        raise InputError(
            "solver lmi needs cvxpy and clarabel; install the extra 'inertia', or use log-cholesky"
        ) from error
    best = np.linalg.solve(information, slope)
    spread = np.linalg.inv(np.linalg.cholesky(information)).T
    away = cp.Variable(len(mean))  # of the unconstrained minimum, in its standard deviations
    centre, reach = mean + jacobian @ best, jacobian @ spread
    constraints = []
    for link in range(prior.links):
        own = slice(10 * link, 10 * link + 10)
        scaled = np.linalg.inv(prior.maps[link])
        constraints.append(
            _pseudo(scaled @ centre[own] + (scaled @ reach[own]) @ away) >> _LEAST * np.eye(4)
        )
    bounded = 10 * prior.links + np.flatnonzero(~prior.signed)
    constraints.append(best[bounded] + spread[bounded] @ away >= 0)
    problem = cp.Problem(cp.Minimize(cp.sum_squares(away)), constraints)
    problem.solve(solver=cp.CLARABEL)
    if away.value is None:
        raise InputError(f"solver lmi: {problem.status}; use log-cholesky")
    return np.asarray(best + spread @ away.value)


def _pseudo(parameters: Any) -> Any:
    """The pseudo-inertia of parameters, as an expression."""
    import cvxpy as cp

    basis = pseudo_inertia(np.eye(10)).reshape(10, 16)
    return cp.reshape(basis.T @ parameters, (4, 4), order="C")
