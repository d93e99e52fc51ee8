"""State of the first answer how often such answers are right."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from scipy.special import expit, logit

from autourdf_ros.estimation.parts.assembly_trace import JointCandidate

EDGE = "edge"
"""What proposes edges."""
SURE = 1e-6
"""Probabilities nearer to 0 or 1 have no logit."""


@dataclass(frozen=True)
class Calibration:
    """A logistic curve of the logit of a probability (Platt, 1999), which rises, by kind of axis.

    `studies/flag_study.py` estimates it from joints of cases that the weights have not seen.

    Attributes:
        slope: Of the logit: below one where what is estimated is too sure.
        turning: Logit of what is estimated as one half, of an axis about which a part turns.
        edge: The same of an edge at which a part may be hinged.
        sliding: The same of an axis along which a part slides.
    """

    slope: float = 0.85
    turning: float = 0.80
    edge: float = 0.76
    sliding: float = -0.15

    def stated(self, candidate: JointCandidate) -> float:
        """Return the calibrated probability of a first candidate."""
        offset = self.edge if candidate.source == EDGE else self.turning
        offset = self.sliding if candidate.type == "prismatic" else offset
        clipped = float(np.clip(candidate.probability, SURE, 1 - SURE))
        return float(expit(self.slope * logit(clipped) + offset))


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
    first = calibration.stated(candidates[0])
    others = given[1:] * (1 - first) / max(1 - given[0], SURE)
    stated = [first, *np.minimum(others, first).tolist()]
    return tuple(
        replace(one, probability=probability)
        for one, probability in zip(candidates, stated, strict=True)
    )
