"""Which cause explains best how the segments are off.

Without a change the causes' parameters p have the covariance K of what is usual; if one of them
changed, its own parameters have a wide covariance W on top. With the information N and gradient h
of p (the segments' errors eliminated), the data's own covariance C gives M = J' C^-1 J =
(1 + N K)^-1 N and m = J' C^-1 y = (1 + N K)^-1 h (Woodbury), and the log odds of cause c are
m_c' (M_c + W^-1)^-1 m_c / 2 - log det(1 + W M_c) / 2: its Bayes factor (Kass and Raftery 1995,
equation 4 for Gaussians), whose second term is the price of its parameters. The probability of the
looks themselves without a change is exp(-y' C^-1 y / 2), up to a constant: with it, causes can be
compared of which each found its own points on the surface.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from autourdf_ros.monitoring.change import ChangeKind
from autourdf_ros.monitoring.diagnosis.baseline import Baseline
from autourdf_ros.monitoring.diagnosis.causes import Cause, Causes
from autourdf_ros.monitoring.diagnosis.linear_system import (
    LinearSystem,
    error_information,
    least_cost,
    without_errors,
)

Array = NDArray[np.float64]

_RIDGE = 1e-9  # of what no point tells


@dataclass(frozen=True, eq=False)
class Explanation:
    """A cause with its parameters, (K,) with covariance (K, K), and its log odds.

    log_evidence: logarithm of the looks' probability with it, up to a constant of theirs.
    alternatives: (kind, subject) of what explains the looks about as well.
    """

    cause: Cause
    parameters: Array
    covariance: Array
    log_odds: float
    log_evidence: float
    alternatives: tuple[tuple[ChangeKind, str], ...] = ()


def explanations(causes: Causes, system: LinearSystem, baseline: Baseline) -> list[Explanation]:
    """Every cause alone, the most probable first."""
    information, gradient = without_errors(system, baseline.parameters)
    # Most causes are not there at all without a change, so that K has few rows that are not zero.
    free = np.flatnonzero(causes.known)
    known = baseline.covariance[np.ix_(free, free)]
    both = np.column_stack([information, gradient])
    of_free = np.linalg.solve(
        np.eye(len(free)) + information[np.ix_(free, free)] @ known, both[free]
    )
    seen = both - information[:, free] @ (known @ of_free)
    cost = least_cost(system, baseline.parameters)
    nothing = -(cost - float(gradient[free] @ known @ of_free[:, -1])) / 2
    found = [_explanation(cause, seen[:, :-1], seen[:, -1], nothing) for cause in causes.table]
    return sorted(found, key=lambda one: -one.log_odds)


def best_of_subjects(found: Sequence[Explanation]) -> list[Explanation]:
    """The first one of every kind and subject, at its joints and between them, in their order."""
    first: dict[tuple[tuple[str, str], bool], Explanation] = {}
    for one in found:
        first.setdefault((one.cause.named, one.cause.at_joint), one)
    return list(first.values())


def statistics(system: LinearSystem, baseline: Baseline) -> Array:
    """(C, S) chi-square per degree of freedom of how every segment is off, about 1 as usual."""
    known = error_information(system)
    left = system.own_gradient - system.cross @ baseline.parameters
    spread = system.own + system.own @ np.linalg.solve(known, system.own)
    spread = spread + system.cross @ baseline.covariance @ np.swapaxes(system.cross, -1, -2)
    scale = np.trace(spread, axis1=-2, axis2=-1)[..., None, None]
    spread = spread + (_RIDGE * scale + 1e-12) * np.eye(6)
    return np.asarray((left * np.linalg.solve(spread, left[..., None])[..., 0]).sum(-1) / 6)


def _explanation(cause: Cause, seen: Array, gradient: Array, nothing: float) -> Explanation:
    own = slice(cause.columns.start, cause.columns.stop)
    wide = np.diag(cause.changed**2)
    covariance = np.asarray(np.linalg.inv(seen[own, own] + np.diag(cause.changed**-2.0)), float)
    parameters = covariance @ gradient[own]
    price = np.linalg.slogdet(np.eye(len(wide)) + wide @ seen[own, own])[1]
    log_odds = float(gradient[own] @ parameters - price) / 2
    return Explanation(cause, parameters, covariance, log_odds, nothing + log_odds)
