"""State of the first answer how often such answers are right."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from scipy.special import expit, logit

from autourdf_ros.estimation.parts.assembly_trace import JointCandidate

SURE = 1e-6
"""Probabilities nearer to 0 or 1 have no logit."""


@dataclass(frozen=True)
class Calibration:
    """A logistic curve of the logit of a probability (Platt, 1999), which rises.

    `studies/parts_confidence.py` estimates it from cases whose joints are known.

    Attributes:
        slope: Of the logit: below one where what is estimated is too sure.
        offset: Logit of what is estimated as one half.
    """

    slope: float = 1.0
    offset: float = 0.0

    def stated(self, probability: float) -> float:
        """Return the calibrated probability."""
        clipped = float(np.clip(probability, SURE, 1 - SURE))
        return float(expit(self.slope * logit(clipped) + self.offset))


def calibrated(
    candidates: Sequence[JointCandidate], calibration: Calibration
) -> tuple[JointCandidate, ...]:
    """Return candidates of which the first states a calibrated probability.

    The others share what is left as before; none is above the first.

    Args:
        candidates: Ranked, the best first.
        calibration: Of the first one's probability.
    """
    if not candidates or not np.isfinite(candidates[0].probability):
        return tuple(candidates)
    given = np.array([one.probability for one in candidates])
    first = calibration.stated(given[0])
    others = given[1:] * (1 - first) / max(1 - given[0], SURE)
    stated = [first, *np.minimum(others, first).tolist()]
    return tuple(
        replace(one, probability=probability)
        for one, probability in zip(candidates, stated, strict=True)
    )
