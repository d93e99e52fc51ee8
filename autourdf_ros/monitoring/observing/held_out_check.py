"""Check on held-out observations whether another model explains them better."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from autourdf_ros.errors import InputError
from autourdf_ros.monitoring.observing.observation_comparison import CroppedObservation
from autourdf_ros.monitoring.observing.posed_scene import PosedScene
from autourdf_ros.monitoring.observing.watched_model import WatchedModel

Array = NDArray[np.float64]

SIGMAS = 1.64  # standard deviations that the new model must gain: 95 %, one-sided
LEAST_PAIRS = 3  # of an observation and a segment: n equal ones have a gain of sqrt(n)
WORSE, TOLERANCE = 1.15, 0.0005  # times the baseline's mean distance, plus m, that it may leave


@dataclass(frozen=True)
class HeldOutCheck:
    """Mean distances (m) of the points of the parts in question, each at most the model's gate.

    Attributes:
        old: By the old model, in observations held out from the fit.
        new: By the new model, in the same observations.
        baseline: By the old model, before the change.
        gain: Sum over observations and segments of old - new, in the standard deviations that it
            has if there is no change.
        pairs: Number of pairs of an observation and a segment.
    """

    old: float
    new: float
    baseline: float
    gain: float
    pairs: int

    @property
    def passed(self) -> bool:
        """Whether the new model explains them better, and about as well as the old one before."""
        return self.gain > SIGMAS and self.new <= WORSE * self.baseline + TOLERANCE

    def to_document(self) -> dict[str, float | int | bool]:
        """Return the entry of reconstruction.json."""
        distances = {"old": self.old, "new": self.new, "usual": self.baseline}
        return {**distances, "gain": self.gain, "pairs": self.pairs, "passed": self.passed}


@dataclass(frozen=True, eq=False)
class PosedModel:
    """A model whose segments are displaced by twists (S, 6) from the pose of the readings."""

    model: WatchedModel
    twists: Array

    def distances(self, observation: CroppedObservation) -> tuple[Array, NDArray[np.int64]]:
        """Return (N,) distances (m) and (N,) nearest segments of the points near the robot."""
        points = np.concatenate([observation.close, observation.about]).astype(float)
        places, triangles = PosedScene(self.model, observation.poses, self.twists).nearest(points)
        return np.linalg.norm(points - places, axis=1), self.model.owner[triangles]


def held_out_check(
    observations: Sequence[CroppedObservation],
    models: Sequence[tuple[PosedModel, PosedModel]],
    healthy: Sequence[CroppedObservation],
    baseline: PosedModel,
    segments: Sequence[NDArray[np.bool_]],
) -> HeldOutCheck:
    """Compare two models in held-out observations, and with the baseline before the change.

    Judged are all points on a segment in question by either model, so that points handed to or
    taken from a neighbour count.

    Args:
        observations: Held out from the fit.
        models: For every observation, the old and the new model.
        healthy: Observations from before the change.
        baseline: The model that explains these.
        segments: For every observation, (S,) whether a segment of the new model is in question.

    Raises:
        InputError: Fewer than `LEAST_PAIRS` pairs of an observation and a segment are seen; `gain`
            could not pass.
    """
    before, after, gains = [], [], []
    pairs = 0
    for observation, (old, new), asked in zip(observations, models, segments, strict=True):
        was, owned = old.distances(observation)
        now, owners = new.distances(observation)
        gate = old.model.lengths.gate
        own = (asked[owners] | asked[owned]) & (np.minimum(was, now) <= gate)
        before.append(np.minimum(was, gate)[own])
        after.append(np.minimum(now, gate)[own])
        pairs += len(np.unique(owners[own]))
        gains.append(np.bincount(owners[own], before[-1] - after[-1], minlength=len(asked)))
    if pairs < LEAST_PAIRS:
        raise InputError(
            f"too few held-out observations show the part to repair ({pairs} pairs of an "
            f"observation and a segment; accepted: at least {LEAST_PAIRS}): repair again later"
        )
    known = np.any(segments, axis=0)[: len(baseline.model.segments)]
    # A new part has no baseline of its own: it has to fit as the other parts did.
    known = known if known.any() else np.ones_like(known)
    level = []
    for observation in healthy:
        distances, owners = baseline.distances(observation)
        level.append(distances[known[owners] & (distances <= baseline.model.lengths.gate)])
    gain = float(np.sum(gains) / max(float(np.linalg.norm(gains)), 1e-12))
    return HeldOutCheck(_mean(before), _mean(after), _mean(level), gain, pairs)


def _mean(parts: Sequence[Array]) -> float:
    joined = np.concatenate([*parts, np.empty(0)])
    return float(joined.mean()) if len(joined) else float("nan")
