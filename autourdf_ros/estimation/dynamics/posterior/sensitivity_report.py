"""Which combinations of parameters the data determine, and which the prior alone."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import solve_triangular

from autourdf_ros.estimation.dynamics.posterior.dynamics_posterior import DynamicsPosterior

Array = NDArray[np.float64]
Source = Literal["data", "both", "prior"]

_DATA, _PRIOR = 0.3, 0.9
"""Posterior over prior standard deviation: below the first the data prevail (ten times the
information), above the second they say next to nothing (less than a quarter)."""
_ALONE = 0.9  # cosine above which a direction has one name
_NAMED = 3  # parameters of a combination that are named


@dataclass(frozen=True)
class Direction:
    """A singular direction of the sensitivity, in units of the prior.

    Attributes:
        words: What it is: a parameter, the overall scale, or a combination.
        weights: (P,) how the fitting coordinates change along it, by one standard deviation of the
            prior.
        ratio: Standard deviation of the posterior over that of the prior along it.
        source: What determines it.
    """

    words: str
    weights: Array
    ratio: float
    source: Source


@dataclass(frozen=True)
class Identifiability:
    """What is known from where.

    Attributes:
        directions: P of them, the best known first; independent of each other in prior and
            posterior.
        sources: (P) of each parameter by itself.
        ratios: (P,) standard deviations of each parameter, posterior over prior.
    """

    directions: tuple[Direction, ...]
    sources: tuple[Source, ...]
    ratios: Array

    @property
    def unknown(self) -> tuple[str, ...]:
        """Words of the directions that only the prior determines."""
        return tuple(one.words for one in self.directions if one.source == "prior")

    @property
    def sentences(self) -> tuple[str, ...]:
        """One line for each direction, for the user."""
        texts = {"data": "from the data", "both": "from data and prior", "prior": "prior only"}
        return tuple(
            f"{one.words}: {texts[one.source]}, standard deviation {one.ratio:.2g} of the prior's"
            for one in self.directions
        )


def identifiability(posterior: DynamicsPosterior, force_known: bool) -> Identifiability:
    """Return what the data determine.

    In coordinates in which the prior is white, the posterior covariance has the singular directions
    of the sensitivity as axes, with 1 / (1 + s²) as variances.

    Args:
        posterior: With its prior.
        force_known: Whether any known force acted.
    """
    table = posterior.table
    root = np.asarray(np.linalg.cholesky(table.prior_covariance), np.float64)
    half = solve_triangular(root, posterior.covariance, lower=True)
    white = solve_triangular(root, half.T, lower=True)
    variances, axes = np.linalg.eigh((white + white.T) / 2)
    ratios = np.sqrt(np.clip(variances, 0.0, None))
    found = [
        Direction(
            _words(posterior, root, axis, force_known or _source(ratio) != "prior"),
            root @ axis,
            float(ratio),
            _source(ratio),
        )
        for ratio, axis in zip(ratios, np.asarray(axes.T, float), strict=True)
    ]
    each = posterior.stds / table.prior_std
    return Identifiability(tuple(found), tuple(_source(ratio) for ratio in each), each)


def _source(ratio: float) -> Source:
    if ratio < _DATA:
        return "data"
    return "prior" if ratio > _PRIOR else "both"


def _words(posterior: DynamicsPosterior, root: Array, axis: Array, explained: bool) -> str:
    table = posterior.table
    scale = solve_triangular(root, table.scale, lower=True)
    if table.scale.sum() > 1 and _cosine(axis, scale) > _ALONE:
        return "overall mass scale" + ("" if explained else " (no force was known)")
    own = np.asarray(np.linalg.inv(root), np.float64)
    for place, name in enumerate(table.names):
        if _cosine(axis, own[:, place]) > _ALONE:
            return name
    weights = (root @ axis) / table.prior_std
    weights = weights * np.sign(weights[np.argmax(np.abs(weights))])
    largest = [int(place) for place in np.argsort(-np.abs(weights))[:_NAMED]]
    parts = [f"{weights[place]:+.2f} {table.names[place]}" for place in largest]
    more = len(weights) - len(largest)
    return "combination " + ", ".join(parts) + (f" and {more} more" if more > 0 else "")


def _cosine(first: Array, second: Array) -> float:
    return float(abs(first @ second) / np.linalg.norm(first) / np.linalg.norm(second))
