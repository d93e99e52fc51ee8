"""Configurations that are most informative about a change: a greedy Bayesian D-optimal design.

Observations give an information gain of log det(1 + W M) / 2 about a cause's K parameters, with the
prior covariance W and M as in `cause_ranking`, the information left after all other parameters are
eliminated (Chaloner and Verdinelli, "Bayesian Experimental Design: A Review", 1995, equation 4).
Targets are chosen one after another, each the one that adds most to the observations so far.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, fields, replace
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from autourdf_ros.commanding.targets.small_steps import largest_step
from autourdf_ros.commanding.trajectory import Positions
from autourdf_ros.errors import InputError
from autourdf_ros.model.limits.motion_limits import Limits
from autourdf_ros.monitoring.change import Change
from autourdf_ros.monitoring.diagnosis.baseline import Baseline, learn_baseline
from autourdf_ros.monitoring.diagnosis.causes import Cause, Causes
from autourdf_ros.monitoring.diagnosis.linear_system import (
    LinearSystem,
    linear_system,
    observation_sums,
    without_errors,
)
from autourdf_ros.monitoring.observing.expected_observation import (
    Viewpoint,
    expected_comparison,
    viewpoints,
)
from autourdf_ros.monitoring.observing.observation_comparison import Comparison
from autourdf_ros.monitoring.observing.watched_model import WatchedModel

Array = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Question:
    """The parameters in question, and what is known of them.

    Attributes:
        causes: All causes.
        baseline: Learnt before the change.
        asked: The candidate causes of the change.
        columns: Columns of their parameters and of all others that are not known exactly.
        cameras: Viewpoints of all cameras.
        seen: System of the observations since the change, in these columns.
    """

    causes: Causes
    baseline: Baseline
    asked: tuple[Cause, ...]
    columns: NDArray[np.int64]
    cameras: tuple[Viewpoint, ...]
    seen: LinearSystem

    def expected(self, readings: Positions) -> LinearSystem:
        """Return the expected system of one observation of every camera, at readings (rad or m)."""
        comparisons = [
            expected_comparison(self.causes.model, one, readings) for one in self.cameras
        ]
        return _system(self.causes, self.baseline, comparisons, self.columns)

    def gain(self, more: Sequence[LinearSystem] = ()) -> float:
        """Return the mean information (nats) about the asked parameters in `seen` and `more`."""
        system = self.seen
        for one in more:
            system = _sum(system, one)
        information, _ = without_errors(system, np.zeros(len(self.columns)))
        gained = np.linalg.solve(np.eye(len(self._known)) + information @ self._known, information)
        gains = []
        for cause in self.asked:
            own = np.isin(self.columns, np.arange(cause.columns.start, cause.columns.stop))
            block = gained[np.ix_(own, own)]
            wide = np.diag(cause.changed**2)
            gains.append(np.linalg.slogdet(np.eye(len(block)) + wide @ block)[1] / 2)
        return float(np.mean(gains))

    @cached_property
    def _known(self) -> Array:
        return self.baseline.covariance[np.ix_(self.columns, self.columns)]


def question_of(
    model: WatchedModel,
    change: Change,
    healthy: Sequence[Comparison],
    recent: Sequence[Comparison],
) -> Question:
    """Return the question that a change asks.

    Args:
        model: The watched model.
        change: The reported change.
        healthy: Observations from before the change, as in `repair`.
        recent: Observations since then; at least one of every camera.

    Raises:
        InputError: The change has no parameters that motions determine, or observations are
            missing.
    """
    cameras = sorted({one.observation.camera for one in (*healthy, *recent)})
    causes = Causes(model, tuple(cameras))
    asked = tuple(one for one in causes.table if one.named == (change.kind, change.subject))
    if not asked:
        raise InputError(
            f"{change.kind} of {change.subject!r} has no parameters that motions determine"
        )
    if not healthy or not recent:
        raise InputError(
            f"{len(healthy)} observations from before the change and {len(recent)} since then; "
            "accepted: at least 1 of each"
        )
    baseline = learn_baseline(causes, healthy)
    open_to_doubt = np.diag(baseline.covariance) > 0
    for cause in asked:
        open_to_doubt[cause.columns] = True
    columns = np.flatnonzero(open_to_doubt)
    stood = viewpoints(model, [*healthy, *recent])
    return Question(
        causes, baseline, asked, columns, tuple(stood), _system(causes, baseline, recent, columns)
    )


def nearby(
    start: Positions, limits: Limits, reach: float, count: int, seed: int = 0
) -> list[dict[str, float]]:
    """Return random targets near `start`: some joints, each up to `reach` from it (rad).

    A prismatic joint, or one with a narrow range, moves up to the step of `largest_step`. Targets
    lie within the limits.
    """
    rng = np.random.default_rng(seed)
    found = []
    for _ in range(count):
        chance = rng.permutation(len(limits)) < rng.integers(1, len(limits) + 1)
        target = dict(start)
        for (name, limit), moves in zip(limits.items(), chance, strict=True):
            step = largest_step(reach, limit)
            low, high = max(start[name] - step, limit.lower), min(start[name] + step, limit.upper)
            if moves and low < high:
                target[name] = float(rng.uniform(low, high))
        found.append(target)
    return found


def most_informative_targets(
    question: Question,
    start: Positions,
    candidates: Sequence[Positions],
    expected: Sequence[LinearSystem],
    count: int,
    free: Callable[[Positions, Positions], bool],
) -> list[Positions]:
    """Choose up to `count` of the candidates, in the order of the path from `start`.

    Args:
        question: What is asked.
        start: Positions of the commanded joints (rad or m).
        candidates: Possible targets.
        expected: Expected system of every candidate.
        count: Largest number of targets.
        free: Whether the robot may move from one configuration straight to another.
    """
    left, chosen, here = list(range(len(candidates))), list[int](), start
    while left and len(chosen) < count:
        sure = [expected[number] for number in chosen]
        gains = {number: question.gain([*sure, expected[number]]) for number in left}
        best = sorted(left, key=lambda number: -gains[number])
        taken = next((number for number in best if free(here, candidates[number])), None)
        if taken is None:
            break
        left.remove(taken)
        chosen.append(taken)
        here = candidates[taken]
    return [candidates[number] for number in chosen]


def _system(
    causes: Causes,
    baseline: Baseline,
    comparisons: Sequence[Comparison],
    columns: NDArray[np.int64],
) -> LinearSystem:
    sums = [observation_sums(causes, one, baseline) for one in comparisons]
    fewer = [replace(one, twists=one.twists[..., columns]) for one in sums]
    return linear_system(fewer, len(causes.cameras))


def _sum(one: LinearSystem, two: LinearSystem) -> LinearSystem:
    both = {own.name: getattr(one, own.name) + getattr(two, own.name) for own in fields(one)}
    return LinearSystem(**both)
