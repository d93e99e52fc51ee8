"""The near causes, each fitted to the same looks on its own way; then the best of them.

To first order several causes explain a large displacement about as well, since many points are
still matched with other surfaces than their own. So each is fitted by Gauss-Newton with its own
matches, and they are compared by what each leaves unexplained, with the price of its parameters.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from autourdf_ros.monitoring.causes import Causes
from autourdf_ros.monitoring.comparison import Comparison, Look, compare_displaced
from autourdf_ros.monitoring.evidence import Explanation, best_of_subjects, explanations
from autourdf_ros.monitoring.linear_system import linear_system, look_sums
from autourdf_ros.monitoring.usual import Usual

LOOKS = 10  # of all cameras together, at most
POINTS = 1000  # of a look, at most
NEAR = 0.4  # share of the best log odds to first order from which on a cause is tried
KEPT = 6, 3, 3  # causes at most that are fitted in each round
CHANCE = 5.0  # log odds that a cause of more parameters has to have over a simpler one


class Refinement:
    """Takes many short steps, so that the clouds in between can be taken, too."""

    def __init__(self, causes: Causes, window: Sequence[Comparison], usual: Usual) -> None:
        """window: looks all of which are since the change, of every camera some."""
        self._causes, self._usual = causes, usual
        self._looks = [_thinned(one.look) for one in spread(window, causes.cameras, LOOKS)]
        self._nothing: float | None = None
        self._waiting: list[Explanation] = []
        self._fitted: list[Explanation] = []
        self._round = 0

    def step(self) -> Explanation | None:
        """Find the near causes, or fit one once more; the one to be told, when all is done.

        Its log odds are those of the looks, against no change, with the points matched anew.
        """
        if self._nothing is None:
            found = self._explained(None)
            self._nothing = found[0].log_evidence - found[0].log_odds
            best = best_of_subjects(found)
            near = [one for one in best if one.log_odds >= NEAR * best[0].log_odds - CHANCE]
            self._waiting = near[: KEPT[0]]
            return None
        start = self._waiting.pop(0)
        again = self._explained(start)
        same = [one for one in again if one.cause.named == start.cause.named]
        self._fitted.append(max(same, key=lambda one: one.log_evidence))
        if self._waiting:
            return None
        self._round += 1
        self._fitted.sort(key=lambda one: -one.log_evidence)
        if self._round < len(KEPT):
            self._waiting, self._fitted = self._fitted[: KEPT[self._round]], []
            return None
        told = simplest(self._fitted)
        return replace(told, log_odds=told.log_evidence - self._nothing)

    def _explained(self, start: Explanation | None) -> list[Explanation]:
        causes, sums = self._causes, []
        for look in self._looks:
            compared = compare_explained(causes, look, start)
            sums.append(look_sums(causes, compared, self._usual.noise))
        return explanations(causes, linear_system(sums, len(causes.cameras)), self._usual)


def simplest(found: Sequence[Explanation]) -> Explanation:
    """Of those that are not worse than the best one but by chance, that of fewest parameters."""
    best = max(one.log_evidence for one in found)
    near = [one for one in found if one.log_evidence >= best - CHANCE]
    return min(near, key=lambda one: (len(one.parameters), -one.log_evidence))


def compare_explained(causes: Causes, look: Look, explanation: Explanation | None) -> Comparison:
    """Compare again, with the model put where an explanation says."""
    twists = np.zeros((len(causes.model.segments), 6))
    if explanation is not None:
        twists = causes.twists(look)[..., explanation.cause.columns] @ explanation.parameters
    return compare_displaced(causes.model, look, twists)


def spread(window: Sequence[Comparison], cameras: Sequence[str], count: int) -> list[Comparison]:
    """At most so many, the same number of every camera as far as there are, spread in time."""
    chosen = []
    for camera in cameras:
        own = [one for one in window if one.look.camera == camera]
        most = min(len(own), max(1, count // len(cameras)))
        chosen += [own[place] for place in np.linspace(0, len(own) - 1, most).round().astype(int)]
    return chosen


def _thinned(look: Look) -> Look:
    # The order of the points does not follow the image.
    return replace(look, close=look.close[:POINTS], about=look.about[:0])
