"""Parameters of one change from a few observations, relative to the baseline before it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from autourdf_ros.monitoring.change import ChangeKind
from autourdf_ros.monitoring.diagnosis.baseline import Baseline
from autourdf_ros.monitoring.diagnosis.cause_ranking import explanations
from autourdf_ros.monitoring.diagnosis.causes import Cause, Causes
from autourdf_ros.monitoring.diagnosis.linear_system import linear_system, observation_sums
from autourdf_ros.monitoring.observing.observation_comparison import (
    Comparison,
    CroppedObservation,
    compare_displaced,
)

Array = NDArray[np.float64]

ROUNDS = 12
SETTLED = 1e-5  # rad or m: smaller steps of all parameters end the fit


@dataclass(frozen=True, eq=False)
class Refit:
    """A cause with its re-estimated parameters.

    Attributes:
        cause: The cause.
        parameters: (K,) rad, m or s.
        covariance: (K, K).
        log_evidence: As in `Explanation`, with its own matches.
    """

    cause: Cause
    parameters: Array
    covariance: Array
    log_evidence: float

    def twists(self, causes: Causes, observation: CroppedObservation) -> Array:
        """Return the (S, 6) displacements of the segments (rad, m)."""
        moves = causes.twists(observation)[..., self.cause.columns]
        return np.asarray(moves @ self.parameters)


def refit(
    causes: Causes, kind: ChangeKind, subject: str, seen: Sequence[Comparison], baseline: Baseline
) -> Refit | None:
    """Fit the change by Gauss-Newton; None where the model has no such part.

    Of several places at which a link may be displaced, the one with the most probable observations
    wins: each has its own matches on the surface, so that log odds cannot be compared.

    Args:
        causes: All causes.
        kind: Of the change.
        subject: Of the change.
        seen: Observations since the change.
        baseline: Learnt before the change.
    """
    tried = [one for one in causes.table if (one.kind, one.subject) == (kind, subject)]
    observations = [one.observation for one in seen]
    found = [_fitted(causes, cause, observations, baseline) for cause in tried]
    return max(found, key=lambda one: one.log_evidence, default=None)


def _fitted(
    causes: Causes, cause: Cause, observations: Sequence[CroppedObservation], baseline: Baseline
) -> Refit:
    best = Refit(cause, np.zeros(len(cause.changed)), np.diag(cause.changed**2), -np.inf)
    for _ in range(ROUNDS):
        sums = [
            observation_sums(
                causes,
                compare_displaced(causes.model, observation, best.twists(causes, observation)),
                baseline,
            )
            for observation in observations
        ]
        ranked = explanations(causes, linear_system(sums, len(causes.cameras)), baseline)
        found = next(one for one in ranked if one.cause.columns == cause.columns)
        step = np.abs(found.parameters - best.parameters).max()
        best = Refit(cause, found.parameters, found.covariance, found.log_evidence)
        if step < SETTLED:
            break
    return best
