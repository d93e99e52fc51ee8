"""The near causes, each fitted to the same looks on its own way; then the best of them.

To first order several causes explain a large displacement about as well, since many points are
still matched with other surfaces than their own. So each is fitted by Gauss-Newton with its own
matches, and they are compared by how far each leaves the segments off, with the price of its
parameters. A small displacement is told to first order already (`told_at_once`).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from autourdf_ros.monitoring.diagnosis.baseline import Baseline
from autourdf_ros.monitoring.diagnosis.cause_ranking import (
    Explanation,
    best_of_subjects,
    explanations,
)
from autourdf_ros.monitoring.diagnosis.causes import Causes
from autourdf_ros.monitoring.diagnosis.linear_system import linear_system, observation_sums
from autourdf_ros.monitoring.observing.observation_comparison import (
    Comparison,
    CroppedObservation,
    compare_displaced,
)

LEAST_OBSERVATIONS, MOST_OBSERVATIONS = 10, 20  # of all cameras together, at least and at most
POINTS = 2000  # of a look, at most
NEAR = 0.4  # share of the best log odds to first order from which on a cause is tried
KEPT = 8, 5, 4, 3  # causes at most that are fitted in each round
SMALL = 0.005  # m: where nothing is farther off, every point is matched with its own surface
CHANCE = 5.0  # log odds that a more complex cause has to have over a simpler one
SHARE = 0.002  # and of all that is explained: no match is perfect where much is off
ABOUT = 0.1  # share of all that is explained, that causes leave unexplained which are told as well


class Refinement:
    """Takes many short steps, so that the clouds in between can be taken, too."""

    def __init__(self, causes: Causes, window: Sequence[Comparison], baseline: Baseline) -> None:
        """window: looks all of which are since the change, of every camera some."""
        self._causes, self._baseline, self._window = causes, baseline, window
        self._looks = [
            _thinned(one.look) for one in spread(window, causes.cameras, MOST_OBSERVATIONS)
        ]
        self._nothing: float | None = None
        self._waiting: list[Explanation] | None = None
        self._fitted: list[Explanation] = []
        self._round = 0

    @property
    def looks(self) -> int:
        """How many each step compares."""
        return len(self._looks)

    def step(self) -> Explanation | None:
        """Find the near causes, or fit one once more; the one to be told, when all is done.

        Its log odds are those of the looks, against no change, with the points matched anew.
        """
        if self._waiting is None:
            sums = [observation_sums(self._causes, one, self._baseline) for one in self._window]
            system = linear_system(sums, len(self._causes.cameras))
            best = best_of_subjects(explanations(self._causes, system, self._baseline))
            near = [one for one in best if one.log_odds >= NEAR * best[0].log_odds - CHANCE]
            self._waiting = near[: KEPT[0]]
            return None
        if self._nothing is None:
            found = self._explained(None)[0]
            self._nothing = found.log_evidence - found.log_odds
        start = self._waiting.pop(0)
        again = self._explained(start)
        named = start.cause.named, start.cause.at_joint
        same = [one for one in again if (one.cause.named, one.cause.at_joint) == named]
        self._fitted.append(max(same, key=lambda one: one.log_evidence))
        if self._waiting:
            return None
        self._round += 1
        self._fitted = ranked(self._fitted, self._nothing)
        if self._round < len(KEPT):
            self._waiting, self._fitted = self._fitted[: KEPT[self._round]], []
            return None
        told = self._fitted[0]
        return replace(told, log_odds=told.log_evidence - self._nothing)

    def _explained(self, start: Explanation | None) -> list[Explanation]:
        causes, sums = self._causes, []
        for look in self._looks:
            compared = compare_explained(causes, look, self._baseline, start)
            sums.append(observation_sums(causes, compared, self._baseline))
        return explanations(causes, linear_system(sums, len(causes.cameras)), self._baseline)


def told_at_once(found: Sequence[Explanation]) -> Explanation:
    """Which of all explanations to first order is told, where it puts nothing far elsewhere."""
    best = best_of_subjects(found)
    return ranked(best, best[0].log_evidence - best[0].log_odds)[0]


def farthest(
    causes: Causes, looks: Sequence[CroppedObservation], explanation: Explanation
) -> float:
    """m, by which an explanation puts any part of the surface elsewhere in one of the looks."""
    points, triangles = causes.model.samples
    owners = causes.model.owner[triangles]
    moves = [causes.twists(look)[..., explanation.cause.columns] for look in looks]
    twists = np.stack(moves)[:, owners] @ explanation.parameters
    shifts = np.cross(twists[..., :3], points) + twists[..., 3:]
    return float(np.linalg.norm(shifts, axis=-1).max())


def ranked(found: Sequence[Explanation], nothing: float) -> list[Explanation]:
    """Those not worse than the best one but by chance, the simplest first; then the others.

    Of those as simple, what a cause is unlikely beforehand is added to what it explains
    less than the best, as a share of what is chance. The first one gets the names of others, no
    less simple, that explain about as much. nothing: log evidence without a change.
    """
    best = max(one.log_evidence for one in found)
    gain = max(best - nothing, 0.0)
    chance = CHANCE + SHARE * gain

    def order(one: Explanation) -> tuple[bool, int, float]:
        short = (best - one.log_evidence) / chance
        if short > 1:
            return True, 0, short
        return False, one.cause.complexity, one.cause.unlikeliness(one.parameters) + short

    first, *others = sorted(found, key=order)
    least, simple = best - CHANCE - ABOUT * gain, first.cause.complexity
    # What is more complex explains the same in many ways.
    alike = [one.cause for one in others if one.log_evidence > least]
    near = dict.fromkeys(cause.named for cause in alike if cause.complexity <= simple)
    near.pop(first.cause.named, None)
    return [replace(first, alternatives=tuple(near)), *others]


def compare_explained(
    causes: Causes,
    look: CroppedObservation,
    baseline: Baseline,
    explanation: Explanation | None = None,
) -> Comparison:
    """Compare with the model where it usually is, or where an explanation puts it from there."""
    parameters = baseline.parameters.copy()
    if explanation is not None:
        parameters[explanation.cause.columns] += explanation.parameters
    return compare_displaced(causes.model, look, causes.twists(look) @ parameters)


def spread(window: Sequence[Comparison], cameras: Sequence[str], count: int) -> list[Comparison]:
    """At most so many, the same number of every camera as far as there are, spread in time."""
    chosen = []
    for camera in cameras:
        own = [one for one in window if one.look.camera == camera]
        most = min(len(own), max(1, count // len(cameras)))
        chosen += [own[place] for place in np.linspace(0, len(own) - 1, most).round().astype(int)]
    return chosen


def _thinned(look: CroppedObservation) -> CroppedObservation:
    # The order of the points does not follow the image.
    return replace(
        look, close=look.close[:POINTS], number=look.number[:POINTS], about=look.about[:0]
    )
