"""Whether Laplace's approximation holds: importance weights of its samples, and Pareto's k̂.

Vehtari, Simpson, Gelman, Yao, Gabry, "Pareto Smoothed Importance Sampling", JMLR 2024; the fit of
the generalised Pareto distribution is Zhang and Stephens', Technometrics 2009.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from autourdf_ros.estimation.dynamics.posterior.posterior_density import PosteriorDensity

Array = NDArray[np.float64]

WRONG = 0.7
"""k̂ above which importance weights, and so the approximation, are not to be relied on."""


@dataclass(frozen=True)
class ImportanceCheck:
    """Samples of the approximation, weighted by the true density.

    Attributes:
        shape: k̂ of the weights' tail.
        samples: (n, P) fitting coordinates.
        weights: (n,) normalised.
    """

    shape: float
    samples: Array
    weights: Array

    @property
    def mean(self) -> Array:
        """(P,) of the weighted samples."""
        return np.asarray(self.weights @ self.samples)

    @property
    def stds(self) -> Array:
        """(P,) standard deviations of the weighted samples."""
        return np.sqrt(self.weights @ (self.samples - self.mean) ** 2)

    @property
    def warnings(self) -> tuple[str, ...]:
        """A sentence where the approximation is wrong."""
        if self.shape <= WRONG:
            return ()
        return (
            f"the posterior is not Gaussian (Pareto's k is {self.shape:.2g}, accepted up to "
            f"{WRONG}): sample it",
        )


def importance_check(density: PosteriorDensity, count: int = 400, seed: int = 0) -> ImportanceCheck:
    """Weigh samples of a fit's Gaussian approximation.

    Args:
        density: Of parameters and initial states, about a fit.
        count: Samples.
        seed: Of them.
    """
    mean, covariance = density.gaussian
    root = np.linalg.cholesky(covariance)
    unit = np.random.default_rng(seed).standard_normal((count, len(mean)))
    samples = mean + unit @ root.T
    logs = density.logs(samples) + 0.5 * (unit**2).sum(1)
    weights = np.exp(logs - logs.max())
    return ImportanceCheck(
        pareto_shape(weights), samples[:, : density.size], weights / weights.sum()
    )


def pareto_shape(weights: Array) -> float:
    """Return k̂ of the tail of weights (n,): the largest fifth, or 3 √n of them."""
    count = len(weights)
    tail = int(min(0.2 * count, 3 * np.sqrt(count)))
    order = np.sort(weights)
    excess = order[-tail:] - order[-tail - 1]
    if not excess[0] > 0:
        excess = excess[excess > 0]
    return _zhang_stephens(excess) if len(excess) > 4 else float("inf")


def _zhang_stephens(excess: Array) -> float:
    """Shape of the generalised Pareto distribution of excesses (n,), rising; weakly regularised."""
    count = len(excess)
    grid = 30 + int(np.sqrt(count))
    quarter = excess[int(count / 4 + 0.5) - 1]
    rates = (1 - np.sqrt(grid / (np.arange(1, grid + 1) - 0.5))) / (3 * quarter) + 1 / excess[-1]
    shapes = np.mean(np.log1p(-rates[:, None] * excess), axis=1)
    logs = count * (np.log(-rates / shapes) - shapes - 1)
    weights = np.exp(logs - logs.max())
    rate = float((weights / weights.sum()) @ rates)
    shape = float(np.mean(np.log1p(-rate * excess)))
    return (shape * count + 5) / (count + 10)
