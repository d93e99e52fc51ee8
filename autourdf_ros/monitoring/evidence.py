"""Which cause explains best how the segments are off.

Without a change the causes' parameters p have the covariance K of what is usual; if one of them
changed, its own parameters have a wide covariance W on top. With the information N and gradient h
of p (the segments' errors eliminated), the data's own covariance C gives M = J' C^-1 J =
(1 + N K)^-1 N and m = J' C^-1 y = (1 + N K)^-1 h (Woodbury), and the log odds of cause c are
m_c' (M_c + W^-1)^-1 m_c / 2 - log det(1 + W M_c) / 2: its Bayes factor (Kass and Raftery 1995,
equation 4 for Gaussians), whose second term is the price of its parameters.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from autourdf_ros.monitoring.causes import Cause, Causes
from autourdf_ros.monitoring.linear_system import (
    LinearSystem,
    error_information,
    without_errors,
)
from autourdf_ros.monitoring.usual import Usual

Array = NDArray[np.float64]

_RIDGE = 1e-9  # of what no point tells
TOLERANCE = 0.05
"""Share of the best log odds that the linearisation may have in error."""


@dataclass(frozen=True, eq=False)
class Explanation:
    """A cause with its parameters, (K,) with covariance (K, K), and its log odds."""

    cause: Cause
    parameters: Array
    covariance: Array
    log_odds: float


def explanations(causes: Causes, system: LinearSystem, usual: Usual) -> list[Explanation]:
    """Every cause alone, the most probable first."""
    information, gradient = without_errors(system, usual.noise, usual.parameters, usual.errors)
    both = np.column_stack([information, gradient])
    seen = np.asarray(
        np.linalg.solve(np.eye(len(gradient)) + information @ usual.covariance, both), float
    )
    found = [_explanation(cause, seen[:, :-1], seen[:, -1]) for cause in causes.table]
    return sorted(found, key=lambda one: -one.log_odds)


def simplest(found: Sequence[Explanation]) -> Explanation:
    """Of those that explain nearly as much as the best one, that of the fewest parameters."""
    best = found[0].log_odds
    near = [one for one in found if one.log_odds >= best - TOLERANCE * abs(best)]
    return min(near, key=lambda one: len(one.parameters))


def statistics(system: LinearSystem, usual: Usual) -> Array:
    """(C, S) chi-square per degree of freedom of how every segment is off, about 1 as usual."""
    known = error_information(system, usual.noise)
    left = system.own_gradient - system.cross @ usual.parameters
    left -= np.einsum("csij,csj->csi", system.own, usual.errors)
    spread = system.own + system.own @ np.linalg.solve(known, system.own)
    spread = spread + system.cross @ usual.covariance @ np.swapaxes(system.cross, -1, -2)
    scale = np.trace(spread, axis1=-2, axis2=-1)[..., None, None]
    spread = spread + (_RIDGE * scale + 1e-12) * np.eye(6)
    return np.asarray((left * np.linalg.solve(spread, left[..., None])[..., 0]).sum(-1) / 6)


def _explanation(cause: Cause, seen: Array, gradient: Array) -> Explanation:
    own = slice(cause.columns.start, cause.columns.stop)
    wide = np.diag(cause.changed**2)
    covariance = np.asarray(np.linalg.inv(seen[own, own] + np.diag(cause.changed**-2.0)), float)
    parameters = covariance @ gradient[own]
    price = np.linalg.slogdet(np.eye(len(wide)) + wide @ seen[own, own])[1]
    return Explanation(cause, parameters, covariance, float(gradient[own] @ parameters - price) / 2)
