"""Gather the observations of the learning time and learn the baseline from them."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from autourdf_ros.monitoring.diagnosis.baseline import Baseline, learn_baseline
from autourdf_ros.monitoring.diagnosis.causes import Causes
from autourdf_ros.monitoring.observing.observation_comparison import (
    Comparison,
    CroppedObservation,
    compare_displaced,
)

_ROUGH = 0.25, 15.0  # share of the learning time, and s: longest first pass


class BaselineLearner:
    """Learns in two passes: a short one first, which places the robot for the second.

    Attributes:
        reference: (P,) parameters of the causes at which observations are to be compared.
        comparisons: Of the current pass.
    """

    def __init__(self, causes: Causes, learning: float) -> None:
        """Start to learn for `learning` seconds."""
        self._causes, self._learning = causes, learning
        self.reference: NDArray[np.float64] = np.zeros(causes.count)
        self.comparisons: list[Comparison] = []
        self._again: list[CroppedObservation] = []
        self._began: float | None = None
        self._rough = True

    @property
    def held(self) -> int:
        """Number of observations in memory."""
        return len(self.comparisons) + len(self._again)

    def compare(self, observation: CroppedObservation) -> Comparison:
        """Compare an observation with the model at `reference`."""
        moved = self._causes.twists(observation) @ self.reference
        return compare_displaced(self._causes.model, observation, moved)

    def add(self, comparison: Comparison) -> Baseline | None:
        """Take one comparison; return the baseline when the learning time is over."""
        if self._began is None:
            self._began = comparison.observation.stamp
        self.comparisons.append(comparison if self._rough else _without_points(comparison))
        if self._again:
            self.comparisons.append(_without_points(self.compare(self._again.pop())))
        share, most = _ROUGH
        wanted = min(share * self._learning, most) if self._rough else self._learning
        if comparison.observation.stamp - self._began < wanted or self._again:
            return None
        seen = {one.observation.camera for one in self.comparisons}
        if len(seen) < len(self._causes.cameras):
            del self.comparisons[0]
            self._began = self.comparisons[0].observation.stamp
            return None
        baseline = learn_baseline(self._causes, self.comparisons, self.reference)
        if not self._rough:
            return baseline
        self._rough, self.reference = False, baseline.parameters
        self._again, self.comparisons = [one.observation for one in self.comparisons], []
        return None


def _without_points(comparison: Comparison) -> Comparison:
    empty = np.empty((0, 3), np.float32)
    observation = replace(comparison.observation, close=empty, number=empty[:, 0], about=empty)
    return replace(comparison, observation=observation)
