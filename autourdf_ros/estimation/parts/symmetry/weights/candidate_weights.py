"""How the features of the candidates of one joint are compared."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from autourdf_ros.estimation.parts.symmetry.weights.fitted_weights import (
    EDGE,
    EDGES,
    SLIDES,
    SLIDING,
    TURNING,
)

Array = NDArray[np.float64]
LENGTHS = ("offset", "across", "away_mover", "away_other")
"""Features that are lengths: their logarithm counts."""
SHARES = ("sym", "gap", "slip", "round")
"""Features that are shares: also the logarithm of what is missing from the whole counts."""
BOXY = "boxy_contact"
"""Feature by which others count more where the contact is of a box, as of furniture."""
MISSED = 0.03
"""Share that is missing where a coarse mesh maps onto itself."""
DEEPEST = 2.0
"""Bound of the depth, in `SymmetryOptions.alike`."""


@dataclass(frozen=True)
class CandidateWeights:
    """A conditional logit over the candidates of one joint (McFadden, 1974).

    A candidate's probability is exp(score) over the sum of all candidates', where the score is a
    weighted sum of its features. `studies/joint_weights_study.py` estimates the weights.

    Attributes:
        turning: Of the features of an axis about which a part turns.
        sliding: Of the features of an axis along which it slides.
        edges: Of the features of an edge at which a part may be hinged.
        slides: Added to the score of an axis along which a part slides.
        edge: Added to the score of an edge.
        temperature: By which scores are divided for probabilities: above one, since the weights are
            surer of the joints that they come from than of others.
    """

    turning: Mapping[str, float] = field(default_factory=lambda: dict(TURNING))
    sliding: Mapping[str, float] = field(default_factory=lambda: dict(SLIDING))
    edges: Mapping[str, float] = field(default_factory=lambda: dict(EDGES))
    slides: float = SLIDES
    edge: float = EDGE
    temperature: float = 1.25

    def scores(
        self,
        features: Mapping[str, Array],
        slides: NDArray[np.bool_],
        edges: NDArray[np.bool_],
    ) -> Array:
        """Return the scores (K,) of candidates.

        Args:
            features: (K,) by name.
            slides: (K,) whether a part slides.
            edges: (K,) whether it is hinged at an edge.
        """
        shaped = shaped_features(features)
        turning = _sum(shaped, self.turning, len(slides))
        hinged = self.edge + _sum(shaped, self.edges, len(slides))
        sliding = self.slides + _sum(shaped, self.sliding, len(slides))
        return np.where(slides, sliding, np.where(edges, hinged, turning)) / self.temperature


def _sum(shaped: Mapping[str, Array], weights: Mapping[str, float], count: int) -> Array:
    """Weighted sum (K,) of features (K,)."""
    return sum((weight * shaped[name] for name, weight in weights.items()), start=np.zeros(count))


def shaped_features(features: Mapping[str, Array]) -> dict[str, Array]:
    """Return features (K,) that add up linearly, by name."""
    shaped: dict[str, Array] = {BOXY: np.asarray(features.get(BOXY, 0.0))}
    for name, values in features.items():
        shaped[name] = np.log1p(values) if name in LENGTHS else values
        if name == "deeper":
            shaped[name] = np.minimum(values, DEEPEST)
        if name.removesuffix("_min").removesuffix("_max") in SHARES:
            shaped[f"log_{name}"] = -np.log(1 + MISSED - np.clip(values, 0, 1))
    return shaped | {f"boxy_{name}": shaped[BOXY] * values for name, values in shaped.items()}


def probabilities(scores: Array) -> Array:
    """Return the probabilities (K,) of the candidates of one joint."""
    powers = np.exp(scores - scores.max())
    return np.asarray(powers / powers.sum())
