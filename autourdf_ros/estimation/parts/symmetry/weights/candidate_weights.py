"""How the features of the candidates of one joint are compared."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from autourdf_ros.estimation.parts.symmetry.weights.fitted_weights import SLIDES, SLIDING, TURNING

Array = NDArray[np.float64]
LENGTHS = ("offset", "across", "away_mover", "away_other")
"""Features that are lengths: their logarithm counts."""
SHARES = ("sym", "gap", "slip", "round")
"""Features that are shares: also the logarithm of what is missing from the whole counts."""
MISSED = 0.03
"""Share that is missing where a coarse mesh maps onto itself."""
DEEPEST = 2.0
"""Bound of the depth, in `SymmetryOptions.alike`."""


@dataclass(frozen=True)
class CandidateWeights:
    """A conditional logit over the candidates of one joint (McFadden, 1974).

    A candidate's probability is exp(score) over the sum of all candidates', where the score is a
    weighted sum of its features. `studies/part_joints_study.py` estimates the weights.

    Attributes:
        turning: Of the features of an axis about which a part turns.
        sliding: Of the features of an axis along which it slides.
        slides: Added to the score of those that slide.
        temperature: By which scores are divided for probabilities: above one, since the weights are
            surer of the joints that they come from than of others.
    """

    turning: Mapping[str, float] = field(default_factory=lambda: dict(TURNING))
    sliding: Mapping[str, float] = field(default_factory=lambda: dict(SLIDING))
    slides: float = SLIDES
    temperature: float = 1.0

    def scores(self, features: Mapping[str, Array], slides: NDArray[np.bool_]) -> Array:
        """Return the scores (K,) of candidates with features (K,)."""
        shaped = shaped_features(features)
        turning = np.zeros(len(slides))
        sliding = np.full(len(slides), self.slides)
        for sums, weights in ((turning, self.turning), (sliding, self.sliding)):
            for name, weight in weights.items():
                sums += weight * shaped[name]
        return np.where(slides, sliding, turning) / self.temperature


def shaped_features(features: Mapping[str, Array]) -> dict[str, Array]:
    """Return features (K,) that add up linearly, by name."""
    shaped: dict[str, Array] = {}
    for name, values in features.items():
        shaped[name] = np.log1p(values) if name in LENGTHS else values
        if name == "deeper":
            shaped[name] = np.minimum(values, DEEPEST)
        if name.removesuffix("_min").removesuffix("_max") in SHARES:
            shaped[f"log_{name}"] = -np.log(1 + MISSED - np.clip(values, 0, 1))
    return shaped


def probabilities(scores: Array) -> Array:
    """Return the probabilities (K,) of the candidates of one joint."""
    powers = np.exp(scores - scores.max())
    return np.asarray(powers / powers.sum())
