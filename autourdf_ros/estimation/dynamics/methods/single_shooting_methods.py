"""Adam, CMA-ES and emcee on the posterior density, by rollouts through whole motions."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from autourdf_ros.errors import InputError
from autourdf_ros.estimation.dynamics.methods.method_options import (
    BestOf,
    MethodOptions,
    MethodResult,
)
from autourdf_ros.estimation.dynamics.posterior.posterior_density import PosteriorDensity

Array = NDArray[np.float64]

_DECAY, _SQUARE_DECAY, _TINY = 0.9, 0.999, 1e-8
"""Kingma and Ba, "Adam", ICLR 2015: what they propose."""
_LEAST = -1e300  # in place of a log density of minus infinity


def adam(density: PosteriorDensity, options: MethodOptions) -> MethodResult:
    """Climb the density by gradients with momentum (Kingma and Ba, ICLR 2015)."""
    place = np.zeros(len(density.start))
    mean, square = np.zeros_like(place), np.zeros_like(place)
    best = BestOf(density.size, options.clock)
    for number in options.steps():
        numbers = density.start + density.spread * place
        logs, slopes = density.gradients(numbers[None])
        best.see(numbers[None], logs)
        slope = slopes[0] * density.spread
        mean = _DECAY * mean + (1 - _DECAY) * slope
        square = _SQUARE_DECAY * square + (1 - _SQUARE_DECAY) * slope**2
        upward = mean / (1 - _DECAY ** (number + 1))
        size = np.sqrt(square / (1 - _SQUARE_DECAY ** (number + 1)))
        place = place + options.rate * upward / (size + _TINY)
    return best.result(density.rollout.mechanism.table)


def cmaes(density: PosteriorDensity, options: MethodOptions) -> MethodResult:
    """Climb the density by a Gaussian of candidates that adapts (Hansen, "CMA-ES", 2016).

    Raises:
        InputError: the package `cma` is not installed.
    """
    try:
        import cma
    except ImportError as error:
        raise InputError(_lacking("cma", "cmaes")) from error
    strategy = cma.CMAEvolutionStrategy(
        np.zeros(len(density.start)),
        0.5,
        {"popsize": options.particles, "seed": options.seed + 1, "verbose": -9},
    )
    best = BestOf(density.size, options.clock)
    for _ in options.steps():
        places = np.array(strategy.ask())
        numbers = density.start + density.spread * places
        logs = density.logs(numbers)
        best.see(numbers, logs)
        strategy.tell(list(places), (-np.maximum(logs, _LEAST)).tolist())
        if strategy.stop():
            break
    return best.result(density.rollout.mechanism.table)


def ensemble(density: PosteriorDensity, options: MethodOptions) -> MethodResult:
    """Sample the density by emcee's walkers (Foreman-Mackey et al., PASP 2013).

    They start from the approximation where the density has one, else from the prior. The first half
    of the steps does not count.

    Raises:
        InputError: the package `emcee` is not installed.
    """
    try:
        import emcee
    except ImportError as error:
        raise InputError(_lacking("emcee", "emcee")) from error
    rng, size = np.random.default_rng(options.seed), len(density.start)
    walkers = max(options.particles, 2 * size + 2)
    unit = rng.standard_normal((walkers, size))
    if density.posterior is None:
        start = density.start + density.spread * unit
    else:
        mean, covariance = density.gaussian
        start = mean + unit @ np.linalg.cholesky(covariance).T
    best = BestOf(density.size, options.clock)

    def logs(numbers: Array) -> Array:
        found = np.maximum(density.logs(numbers), _LEAST)
        best.see(numbers, found)
        return found

    sampler = emcee.EnsembleSampler(walkers, size, logs, vectorize=True)
    sampler.random_state = np.random.RandomState(options.seed).get_state()
    state, kept = start, []
    for _ in options.steps():
        state = sampler.run_mcmc(state, 1, skip_initial_state_check=True)
        kept.append(state.coords.copy())
    return best.result(density.rollout.mechanism.table, np.concatenate(kept[len(kept) // 2 :]))


def _lacking(package: str, method: str) -> str:
    return (
        f"method {method!r} needs the package {package}, which is not installed; accepted are "
        "method 'shooting', or the extra 'video' (pip install autourdf_ros[video])"
    )
