"""Which cause explains best how the segments are displaced.

Without a change the causes' parameters p have the baseline's covariance K; if one cause changed,
its own parameters have a wide covariance W on top. With the information N and gradient h of p (the
segments' errors eliminated), the data's own covariance C gives M = J' C^-1 J = (1 + N K)^-1 N and m
= J' C^-1 y = (1 + N K)^-1 h (Woodbury), and the log odds of cause c are m_c' (M_c + W^-1)^-1 m_c /
2 - log det(1 + W M_c) / 2: its Bayes factor (Kass and Raftery 1995, equation 4 for Gaussians),
whose second term is the price of its parameters. The probability of the observations themselves
without a change is exp(-y' C^-1 y / 2), up to a constant: with it, causes can be compared that each
have their own matches on the surface.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from autourdf_ros.monitoring.change import ChangeKind
from autourdf_ros.monitoring.diagnosis.baseline import Baseline
from autourdf_ros.monitoring.diagnosis.causes import Cause, Causes
from autourdf_ros.monitoring.diagnosis.linear_system import (
    LinearSystem,
    error_information,
    least_cost,
    linear_system,
    observation_sums,
    without_errors,
)
from autourdf_ros.monitoring.observing.observation_comparison import Comparison

Array = NDArray[np.float64]

_LEFT = 0.01  # share of the gain up to which a further cause is an error of a large change
_RIDGE = 1e-9  # relative, for directions that no point determines


@dataclass(frozen=True, eq=False)
class Explanation:
    """A cause with its parameters.

    Attributes:
        cause: The cause.
        parameters: (K,) rad, m or s.
        covariance: (K, K).
        log_odds: Against no change.
        log_evidence: Logarithm of the observations' probability with it, up to a constant of
            theirs.
        price: Of its parameters, twice the logarithm.
        dispersion: As in `Baseline`.
        remaining: Significance of the best further cause beside this one, where it is known.
        alternatives: (kind, subject) of the causes that explain the observations about as well.
        beside: By a second cause that was fitted together with this one. Then the log odds of each
            are against the other alone, and `log_evidence` and `remaining` are of both.
        unsteady: Of a camera's pose: no other camera sees a change, but in this one it is not the
            same at all times, as where the camera is loose.
    """

    cause: Cause
    parameters: Array
    covariance: Array
    log_odds: float
    log_evidence: float
    price: float = 0.0
    dispersion: float = 1.0
    remaining: float = 0.0
    alternatives: tuple[tuple[ChangeKind, str], ...] = ()
    beside: Explanation | None = None
    unsteady: bool = False

    @property
    def together(self) -> tuple[Explanation, ...]:
        """This one, and the one beside it."""
        return (self,) if self.beside is None else (self, self.beside)

    @property
    def apart(self) -> tuple[Explanation, ...]:
        """The same, none beside another."""
        return tuple(replace(one, beside=None) for one in self.together)

    @property
    def significance(self) -> float:
        """Log odds against no change where what it explains varies as it did while learning."""
        return ((2 * self.log_odds + self.price) / self.dispersion - self.price) / 2

    def is_whole(self, alarm: float) -> bool:
        """Return whether nothing is left to a further cause that would raise an alarm.

        A large change leaves errors of its own, and what is left of an unsteady one is its own.
        """
        return self.unsteady or self.remaining <= max(alarm, _LEFT * self.log_odds)

    @property
    def explained(self) -> float:
        """Chi-square that it explains."""
        return 2 * self.log_odds + self.price

    @property
    def expected(self) -> float:
        """The same without a change."""
        return len(self.parameters) - float(
            (np.diag(self.covariance) / self.cause.changed**2).sum()
        )


def explanations(causes: Causes, system: LinearSystem, baseline: Baseline) -> list[Explanation]:
    """Return the explanation by every single cause, the most probable first."""
    seen, gradient, nothing = _seen(causes, system, baseline)
    found = []
    for cause, dispersion in zip(causes.table, baseline.dispersion, strict=True):
        fit = _fit(np.arange(causes.count)[cause.columns], cause.changed, seen, gradient)
        logarithm = nothing + fit.log_odds
        found.append(Explanation(cause, *fit.values, logarithm, fit.price, float(dispersion)))
    return sorted(found, key=lambda one: -one.log_odds)


def explained_together(
    causes: Causes,
    system: LinearSystem,
    baseline: Baseline,
    first: Explanation,
    second: Explanation,
) -> Explanation:
    """Return the explanation by the causes of two explanations at once, the second one beside."""
    seen, gradient, nothing = _seen(causes, system, baseline)
    columns = [np.arange(causes.count)[one.cause.columns] for one in (first, second)]
    both = np.concatenate([first.cause.changed, second.cause.changed])
    fit = _fit(np.concatenate(columns), both, seen, gradient)
    of_first = np.arange(len(fit.parameters)) < len(columns[0])
    found = []
    for one, own, other, others in (
        (first, of_first, second, columns[1]),
        (second, ~of_first, first, columns[0]),
    ):
        alone = _fit(others, other.cause.changed, seen, gradient)
        found.append(
            Explanation(
                one.cause,
                fit.parameters[own],
                fit.covariance[np.ix_(own, own)],
                fit.log_odds - alone.log_odds,
                nothing + fit.log_odds,
                fit.price - alone.price,
                one.dispersion,
            )
        )
    return replace(found[0], beside=found[1])


def most_significant(found: Sequence[Explanation]) -> float:
    """Return the largest `Explanation.significance`."""
    return max(one.significance for one in found)


def significance_elsewhere(
    causes: Causes, body: int, window: Sequence[Comparison], baseline: Baseline
) -> float:
    """Return the largest significance without the points of a body and of all beyond it."""
    beyond = causes.model.articulation.ancestors[causes.model.segment_body, body - 1]
    sums = [observation_sums(causes, one, baseline).without(beyond) for one in window]
    return most_significant(
        explanations(causes, linear_system(sums, len(causes.cameras)), baseline)
    )


def best_of_subjects(found: Sequence[Explanation]) -> list[Explanation]:
    """Return the first explanation of every kind, subject and place (at a joint or between)."""
    first: dict[tuple[tuple[str, str], bool], Explanation] = {}
    for one in found:
        first.setdefault((one.cause.named, one.cause.at_joint), one)
    return list(first.values())


def statistics(system: LinearSystem, baseline: Baseline) -> Array:
    """Return the (C, S) chi-square per degree of freedom of every segment; 1 at the baseline."""
    known = error_information(system)
    left = system.own_gradient - system.cross @ baseline.parameters
    spread = system.own + system.own @ np.linalg.solve(known, system.own)
    spread = spread + system.cross @ baseline.covariance @ np.swapaxes(system.cross, -1, -2)
    scale = np.trace(spread, axis1=-2, axis2=-1)[..., None, None]
    spread = spread + (_RIDGE * scale + 1e-12) * np.eye(6)
    return np.asarray((left * np.linalg.solve(spread, left[..., None])[..., 0]).sum(-1) / 6)


def _seen(causes: Causes, system: LinearSystem, baseline: Baseline) -> tuple[Array, Array, float]:
    """M (P, P), m (P,), and the log probability of the observations without a change."""
    information, gradient = without_errors(system, baseline.parameters)
    # Most causes have no variance without a change: few rows of K are not zero.
    free = np.flatnonzero(causes.known)
    known = baseline.covariance[np.ix_(free, free)]
    both = np.column_stack([information, gradient])
    of_free = np.linalg.solve(
        np.eye(len(free)) + information[np.ix_(free, free)] @ known, both[free]
    )
    seen = both - information[:, free] @ (known @ of_free)
    cost = least_cost(system, baseline.parameters)
    nothing = -(cost - float(gradient[free] @ known @ of_free[:, -1])) / 2
    return seen[:, :-1], seen[:, -1], nothing


@dataclass(frozen=True, eq=False)
class _Fit:
    """Parameters (K,) with their covariance, log odds against no change, and price."""

    parameters: Array
    covariance: Array
    log_odds: float
    price: float

    @property
    def values(self) -> tuple[Array, Array, float]:
        return self.parameters, self.covariance, self.log_odds


def _fit(columns: NDArray[np.int64], changed: Array, seen: Array, gradient: Array) -> _Fit:
    """The parameters in some columns, with standard deviations (K,) if they changed."""
    own = seen[np.ix_(columns, columns)]
    covariance = np.asarray(np.linalg.inv(own + np.diag(changed**-2.0)), float)
    parameters = covariance @ gradient[columns]
    price = float(np.linalg.slogdet(np.eye(len(changed)) + changed[:, None] ** 2 * own)[1])
    log_odds = float(gradient[columns] @ parameters - price) / 2
    return _Fit(parameters, covariance, log_odds, price)
