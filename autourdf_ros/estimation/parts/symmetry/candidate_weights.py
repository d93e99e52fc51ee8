"""Weights of the features by which the candidates of one joint are compared."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]


def _turning() -> dict[str, float]:
    return {"sym_min": 4.0, "gap_min": 2.0, "deeper": -4.0, "round_min": 1.0, "slip_min": 2.0}


def _sliding() -> dict[str, float]:
    return {"sym_max": 4.0, "gap_min": 2.0, "deeper": -4.0, "blocked": 2.0, "slip_min": 2.0}


@dataclass(frozen=True)
class CandidateWeights:
    """A conditional logit over the candidates of one joint (McFadden, 1974).

    A candidate's probability is exp(score) over the sum of all candidates', where the score is a
    weighted sum of its features. The weights are the most likely ones over the joints of the robots
    and objects of `studies/part_joints_study.py`.

    Attributes:
        turning: Of the features of an axis about which a part turns.
        sliding: Of the features of an axis along which it slides.
        slides: Added to the score of those that slide.
        temperature: By which scores are divided for probabilities: above one, the weights are
            surer than the joints that were left out of their estimation.
    """

    turning: Mapping[str, float] = field(default_factory=_turning)
    sliding: Mapping[str, float] = field(default_factory=_sliding)
    slides: float = -2.0
    temperature: float = 1.0

    def scores(self, features: Mapping[str, Array], slides: NDArray[np.bool_]) -> Array:
        """Return the scores (K,) of candidates with features (K,)."""
        shaped = {name: scaled_feature(name, values) for name, values in features.items()}
        turning = np.zeros(len(slides))
        sliding = np.full(len(slides), self.slides)
        for sums, weights in ((turning, self.turning), (sliding, self.sliding)):
            for name, weight in weights.items():
                sums += weight * shaped[name]
        return np.where(slides, sliding, turning)

    def probabilities(self, scores: Array) -> Array:
        """Return the probabilities (K,) of the candidates of one joint."""
        powers = np.exp((scores - scores.max()) / self.temperature)
        return np.asarray(powers / powers.sum())


def scaled_feature(name: str, values: Array) -> Array:
    """Return a feature (K,) such that it adds up linearly: lengths by logarithm, depths bounded."""
    if name in ("offset", "across"):
        return np.log1p(values)
    return np.minimum(values, 2.0) if name == "deeper" else values
