"""The near causes, each fitted to the same observations with its own matches, and the best of them.

To first order several causes explain a large displacement about as well, since many points are
still matched with wrong places on the surface. So each is fitted by Gauss-Newton with its own
matches, and the fits are compared by the residual displacements of the segments, with the price of
their parameters. For a small displacement the first order suffices (`first_order_best`).

Where one cause leaves more than an alarm needs, and not one camera alone sees a change, pairs of
causes are fitted in the same way: one of the best, and what explains best what it leaves. Of the
best pair each is then exchanged for what explains best, or more simply, what the other leaves: the
first one was fitted to both changes.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from autourdf_ros.monitoring.change import ChangeKind
from autourdf_ros.monitoring.diagnosis.baseline import Baseline
from autourdf_ros.monitoring.diagnosis.cause_ranking import (
    Explanation,
    best_of_subjects,
    explained_together,
    explanations,
    most_significant,
)
from autourdf_ros.monitoring.diagnosis.causes import Causes
from autourdf_ros.monitoring.diagnosis.linear_system import (
    LinearSystem,
    linear_system,
    observation_sums,
)
from autourdf_ros.monitoring.observing.observation_comparison import (
    Comparison,
    CroppedObservation,
    compare_displaced,
)

LEAST_OBSERVATIONS, MOST_OBSERVATIONS = 10, 20  # of all cameras together, at least and at most
POINTS = 2000  # of an observation, at most
NEAR = 0.4  # share of the best log odds to first order from which a cause is tried
KEPT = 8, 5, 4, 3  # causes at most that are fitted in each round
PAIRED, BESIDE = 2, 3  # causes at most that are tried with others, and others for each; twice
PAIR_ROUNDS = 2  # fits of a pair
CHANCE = 5.0  # log odds that a more complex cause must have over a simpler one
SHARE = 0.002  # of the gain, added to chance: no match is perfect at a large displacement
ABOUT = 0.1  # share of the gain that an alternative may leave unexplained


class Refinement:
    """A refinement in many short steps, so that clouds can be taken in between.

    Attributes:
        single: The best explanation by one cause, once it is found.
    """

    def __init__(
        self, causes: Causes, window: Sequence[Comparison], baseline: Baseline, alarm: float
    ) -> None:
        """Start a refinement.

        Args:
            causes: All causes.
            window: Observations since the change, some of every camera.
            baseline: Learnt before the change.
            alarm: Log odds, at least, of what a further cause would explain.
        """
        self._causes, self._baseline, self._window = causes, baseline, window
        self._alarm = alarm
        self._observations = [
            _thinned(one.observation) for one in spread(window, causes.cameras, MOST_OBSERVATIONS)
        ]
        self._nothing: float | None = None
        self._waiting: list[Explanation] | None = None
        self._fitted: list[Explanation] = []
        self._round = 0
        self.single: Explanation | None = None
        self._ones: list[Explanation] = []
        self._pairs: list[tuple[int, Explanation]] = []
        self._exchanged = False

    @property
    def observation_count(self) -> int:
        """Number of observations that each step compares."""
        return len(self._observations)

    def step(self) -> Explanation | None:
        """Rank the near causes, or fit one once more, or a pair of them.

        Returns:
            The best explanation when all rounds are done, else None. Its log odds are those of the
                observations against no change, with the points matched anew. Where what one cause
                leaves raises an alarm, by the only camera in which something changes, or else by
                two causes that leave nothing that does.
        """
        if self.single is not None:
            return self._step_of_pairs(self.single)
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
        first = self._fitted[0]
        first = replace(first, log_odds=first.log_evidence - self._nothing)
        self.single = replace(first, remaining=most_significant(self._beside(first)))
        if self.single.is_whole(self._alarm):
            return self.single
        loose = self._loose_camera(self.single)
        if loose is not None:
            return loose
        self._ones, self._fitted = self._fitted[:PAIRED], []
        return None

    def _step_of_pairs(self, single: Explanation) -> Explanation | None:
        """Find partners for one cause, or fit a pair once more."""
        if self._ones:
            self._pairs += [(PAIR_ROUNDS, pair) for pair in self._pairs_with(self._ones.pop(0))]
        elif self._pairs:
            self._fit_pair(*self._pairs.pop(0))
        if self._ones or self._pairs:
            return None
        assert self._nothing is not None
        if not self._fitted:
            return single
        best = ranked(self._fitted, self._nothing)[0]
        if not self._exchanged:
            self._ones, self._exchanged = list(best.apart), True
            return None
        sure = all(one.significance > self._alarm for one in best.together)
        return best if sure and best.is_whole(self._alarm) else single

    def _pairs_with(self, one: Explanation) -> list[Explanation]:
        """One with the causes that explain best, or about as well and simplest, what it leaves."""
        others = best_of_subjects(self._beside(one))
        others = ranked(others, others[0].log_evidence - others[0].log_odds)
        others = [other for other in others if other.cause.named != one.cause.named]
        return [replace(one, beside=other) for other in others[:BESIDE]]

    def _fit_pair(self, rounds: int, pair: Explanation) -> None:
        system = self._system(pair)
        pair = explained_together(self._causes, system, self._baseline, *pair.together)
        if rounds > 1:
            self._pairs.insert(0, (rounds - 1, pair))
            return
        left = explanations(self._causes, system, _displaced(self._baseline, pair))
        self._fitted.append(replace(pair, remaining=most_significant(left)))

    def _loose_camera(self, single: Explanation) -> Explanation | None:
        """The pose of the only camera in which something changes, where no one cause is whole."""
        causes = self._causes
        sums = [observation_sums(causes, one, self._baseline) for one in self._window]
        for number, camera in enumerate(causes.cameras):
            others = [one for one in sums if one.camera != number]
            if len(others) < LEAST_OBSERVATIONS // 2:
                continue
            system = linear_system(others, len(causes.cameras))
            if most_significant(explanations(causes, system, self._baseline)) < self._alarm:
                system = linear_system(sums, len(causes.cameras))
                every = explanations(causes, system, self._baseline)
                pose = next(one for one in every if one.cause.named == ("camera_pose", camera))
                return replace(pose, log_odds=single.log_odds, unsteady=True)
        return None

    def _beside(self, first: Explanation) -> list[Explanation]:
        """Return the explanations of what one leaves."""
        return self._explained(first, _displaced(self._baseline, first))

    def _explained(
        self, start: Explanation | None, baseline: Baseline | None = None
    ) -> list[Explanation]:
        return explanations(self._causes, self._system(start), baseline or self._baseline)

    def _system(self, start: Explanation | None) -> LinearSystem:
        """With the points matched where an explanation puts the surface."""
        causes, sums = self._causes, []
        for observation in self._observations:
            compared = compare_explained(causes, observation, self._baseline, start)
            sums.append(observation_sums(causes, compared, self._baseline))
        return linear_system(sums, len(causes.cameras))


def first_order_best(found: Sequence[Explanation]) -> Explanation:
    """Return the best of the first-order explanations, for a small displacement."""
    best = best_of_subjects(found)
    return ranked(best, best[0].log_evidence - best[0].log_odds)[0]


def farthest(
    causes: Causes, observations: Sequence[CroppedObservation], explanation: Explanation
) -> float:
    """Return the largest displacement (m) of the surface by an explanation in the observations."""
    points, triangles = causes.model.samples
    owners = causes.model.owner[triangles]
    moves = [causes.twists(one)[..., explanation.cause.columns] for one in observations]
    twists = np.stack(moves)[:, owners] @ explanation.parameters
    shifts = np.cross(twists[..., :3], points) + twists[..., 3:]
    return float(np.linalg.norm(shifts, axis=-1).max())


def ranked(found: Sequence[Explanation], nothing: float) -> list[Explanation]:
    """Order explanations: those within chance of the best, the simplest first, then the others.

    Among equally simple ones, the prior unlikeliness of a cause is added to its loss against the
    best, as a share of chance. The first one gets as alternatives the others, no less simple, that
    explain about as much; of a pair each cause gets those that stand in its place.

    Args:
        found: Explanations of the same observations.
        nothing: Log evidence without a change.
    """
    best = max(one.log_evidence for one in found)
    gain = max(best - nothing, 0.0)
    chance = CHANCE + SHARE * gain

    def order(one: Explanation) -> tuple[bool, int, float]:
        short = (best - one.log_evidence) / chance
        if short > 1:
            return True, 0, short
        unlikely = sum(each.cause.unlikeliness(each.parameters) for each in one.together)
        return False, _complexity(one), unlikely + short

    first, *others = sorted(found, key=order)
    least, simple = best - CHANCE - ABOUT * gain, _complexity(first)
    # A more complex cause explains the same in many ways.
    alike = [one for one in others if one.log_evidence > least and _complexity(one) <= simple]
    named = [replace(one, alternatives=_instead_of(one, first, alike)) for one in first.apart]
    return [replace(named[0], beside=named[1] if len(named) > 1 else None), *others]


def _instead_of(
    member: Explanation, found: Explanation, alike: Sequence[Explanation]
) -> tuple[tuple[ChangeKind, str], ...]:
    """(kind, subject) of the causes that others, which explain about as much, have for a member."""
    own = [one.cause.named for one in found.together]
    names = [[one.cause.named for one in other.together] for other in alike]
    lacking = [one for one in names if member.cause.named not in one]
    return tuple(dict.fromkeys(each for one in lacking for each in one if each not in own))


def _complexity(found: Explanation) -> int:
    return sum(each.cause.complexity for each in found.together)


def _displaced(baseline: Baseline, found: Explanation) -> Baseline:
    for one in found.together:
        baseline = baseline.displaced(one.cause.columns, one.parameters)
    return baseline


def compare_explained(
    causes: Causes,
    observation: CroppedObservation,
    baseline: Baseline,
    explanation: Explanation | None = None,
) -> Comparison:
    """Compare with the model at the baseline, or displaced from there by an explanation."""
    if explanation is not None:
        baseline = _displaced(baseline, explanation)
    twists = causes.twists(observation) @ baseline.parameters
    return compare_displaced(causes.model, observation, twists)


def spread(window: Sequence[Comparison], cameras: Sequence[str], count: int) -> list[Comparison]:
    """Choose at most `count` comparisons, about as many of every camera, spread in time."""
    chosen = []
    for camera in cameras:
        own = [one for one in window if one.observation.camera == camera]
        most = min(len(own), max(1, count // len(cameras)))
        chosen += [own[place] for place in np.linspace(0, len(own) - 1, most).round().astype(int)]
    return chosen


def _thinned(observation: CroppedObservation) -> CroppedObservation:
    # The order of the points does not follow the image.
    return replace(
        observation,
        close=observation.close[:POINTS],
        number=observation.number[:POINTS],
        about=observation.about[:0],
    )
