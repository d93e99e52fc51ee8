"""How far what was seen is from the model, for telling whether another model explains it better."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from autourdf_ros.errors import InputError
from autourdf_ros.monitoring.observing.observation_comparison import GATE, CroppedObservation
from autourdf_ros.monitoring.observing.posed_scene import PosedScene
from autourdf_ros.monitoring.observing.watched_model import WatchedModel

Array = NDArray[np.float64]

SIGMAS = 1.64  # by which the new model must explain held-out looks better: 95 %, one-sided
LEAST_PAIRS = 3  # a look and a segment each: of n equal ones, the gain is the root of n
WORSE, TOLERANCE = 1.15, 0.0005  # times the usual mean distance and m that it may leave


@dataclass(frozen=True)
class HeldOutCheck:
    """Mean distances (m) of the points seen of the parts in question, at most `GATE` each.

    Attributes:
        old, new: By the model as it was and as it is now, in observations held out from its fit.
        baseline: By the old model, before the change.
        gain: Sum over observations and segments of old - new, in the standard deviations that
            it has if there is no change.
        pairs: Number of pairs of an observation and a segment.
    """

    old: float
    new: float
    baseline: float
    gain: float
    pairs: int

    @property
    def passed(self) -> bool:
        """Whether the new model explains them better, and as well as the old one did its own."""
        return self.gain > SIGMAS and self.new <= WORSE * self.baseline + TOLERANCE

    def to_document(self) -> dict[str, float | int | bool]:
        """Return the entry of reconstruction.json."""
        distances = {"old": self.old, "new": self.new, "usual": self.baseline}
        return {**distances, "gain": self.gain, "pairs": self.pairs, "passed": self.passed}


@dataclass(frozen=True, eq=False)
class PosedModel:
    """A model with its segments moved by twists (S, 6) from where the look's readings have them."""

    model: WatchedModel
    twists: Array

    def distances(self, look: CroppedObservation) -> tuple[Array, NDArray[np.int64]]:
        """((N,) m, (N,) nearest segments) of the points near the robot."""
        points = np.concatenate([look.close, look.about]).astype(float)
        places, triangles = PosedScene(self.model, look.poses, self.twists).nearest(points)
        return np.linalg.norm(points - places, axis=1), self.model.owner[triangles]


def held_out_check(
    looks: Sequence[CroppedObservation],
    models: Sequence[tuple[PosedModel, PosedModel]],
    healthy: Sequence[CroppedObservation],
    baseline: PosedModel,
    segments: Sequence[NDArray[np.bool_]],
) -> HeldOutCheck:
    """Compare two models in looks (a pair for every look: old and new), and with healthy looks.

    segments: for every look, (S,) of the new model: those in question there. Judged are all points
    that are on one of them by either model: also what is handed to, or taken from, a neighbour.
    Raises InputError where fewer than `LEAST_PAIRS` looks and segments are seen: then `gain` cannot
    pass.
    """
    before, after, gains = [], [], []
    pairs = 0
    for look, (old, new), asked in zip(looks, models, segments, strict=True):
        was, owned = old.distances(look)
        now, owners = new.distances(look)
        own = (asked[owners] | asked[owned]) & (np.minimum(was, now) <= GATE)
        before.append(np.minimum(was, GATE)[own])
        after.append(np.minimum(now, GATE)[own])
        pairs += len(np.unique(owners[own]))
        gains.append(np.bincount(owners[own], before[-1] - after[-1], minlength=len(asked)))
    if pairs < LEAST_PAIRS:
        raise InputError(
            f"too few looks held out show what is to be repaired ({pairs} pairs of a look and a "
            f"segment; accepted is {LEAST_PAIRS} at least): repair when more was seen"
        )
    known = np.any(segments, axis=0)[: len(baseline.model.segments)]
    # What is new was not there before: it has to fit as all others did.
    known = known if known.any() else np.ones_like(known)
    level = []
    for look in healthy:
        distances, owners = baseline.distances(look)
        level.append(distances[known[owners] & (distances <= GATE)])
    gain = float(np.sum(gains) / max(float(np.linalg.norm(gains)), 1e-12))
    return HeldOutCheck(_mean(before), _mean(after), _mean(level), gain, pairs)


def _mean(parts: Sequence[Array]) -> float:
    joined = np.concatenate([*parts, np.empty(0)])
    return float(joined.mean()) if len(joined) else float("nan")
