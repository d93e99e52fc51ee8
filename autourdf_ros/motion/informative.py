"""Targets that tell most of what a live model does not know yet."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from autourdf_ros.kinematics.line_knowledge import LineKnowledge, line_knowledge
from autourdf_ros.kinematics.streaming import LiveEstimate
from autourdf_ros.motion.limits import Limits
from autourdf_ros.motion.reading_spread import ReadingSpread
from autourdf_ros.motion.small_steps import largest_step
from autourdf_ros.motion.targets import RandomTargets
from autourdf_ros.motion.trajectory import Positions

_CANDIDATES = 64


class InformativeTargets:
    """Small steps, of which each is the most informative of several random ones.

    Motors that the model gives no joint, which are all of them before there is a model, move so
    that they can be told apart soonest (`ReadingSpread`). With them the others move so that the
    lines of all joints will be known best, in units of target_axis_std (rad) and target_line_std
    (m), at which it is enough (`LineKnowledge.remaining`). step_min, step_max: size of a joint's
    step (rad), see `SmallSteps`.
    """

    def __init__(
        self,
        limits: Limits,
        step_min: float = math.radians(7),
        step_max: float = math.radians(14),
        seed: int = 0,
        target_axis_std: float = math.radians(0.5),
        target_line_std: float = 0.001,
    ) -> None:
        self._limits = limits
        self._steps = (step_min, step_max)
        self._enough = (target_axis_std, target_line_std)
        self._rng = np.random.default_rng(seed)
        self._ways_out = RandomTargets(limits, step_min, step_max, seed=seed)
        self._spread: ReadingSpread | None = None
        self._knowledge: LineKnowledge | None = None
        self._strangers = list(limits)
        self._found_at = 0  # frames of which the model was found
        self._drawn: Positions | None = None  # the latest target, unless it was refused
        self._refused = False
        self._finished = False

    @property
    def finished(self) -> bool:
        """Whether the latest model knows all lines well enough, and a joint for every motor."""
        return self._finished

    def learn(self, estimate: LiveEstimate) -> None:
        """Take what is known after a frame.

        What frames added since the model was found is kept until it is found anew.
        """
        self._take()
        found_at = estimate.frames - estimate.stale
        if found_at == self._found_at:
            return
        self._found_at, reconstruction = found_at, estimate.reconstruction
        usable = reconstruction is not None and reconstruction.verdict != "failed"
        self._knowledge = line_knowledge(reconstruction) if reconstruction and usable else None
        known = self._knowledge.motors if self._knowledge else frozenset()
        self._strangers = [name for name in self._limits if name not in known]
        self._finished = (
            not self._strangers
            and estimate.axis_std <= self._enough[0]
            and not estimate.line_std > self._enough[1]  # NaN where no joint turns
        )

    def start_sequence(self) -> None:
        """Begin a sequence: the robot is back at its start."""
        self._ways_out.start_sequence()

    def turn(self, refusals: int) -> None:
        """Let all joints move next, another way, as `SmallSteps` do."""
        self._ways_out.turn(refusals)
        self._drawn, self._refused = None, True

    def next(self, current: Positions) -> dict[str, float]:
        """Draw the target after `current` (rad or m); at least one joint moves."""
        self._take()
        if self._spread is None:
            units = [largest_step(self._steps[1], limit) for limit in self._limits.values()]
            self._spread = ReadingSpread.at({name: current[name] for name in self._limits}, units)
        target = self._ways_out.next(current) if self._refused else self._best(current)
        self._drawn, self._refused = target, False
        return target

    def _take(self) -> None:
        """Count the latest target as seen, as it was not refused."""
        if self._drawn is None:
            return
        if self._spread is not None:
            self._spread = self._spread.with_frame(self._drawn)
        if self._knowledge is not None:
            self._knowledge = self._knowledge.with_frame(self._drawn)
        self._drawn = None

    def _best(self, current: Positions) -> dict[str, float]:
        assert self._spread is not None
        target = {
            name: min(max(current[name], limit.lower), limit.upper)
            for name, limit in self._limits.items()
        }
        if self._strangers:
            candidates = self._candidates(target, self._strangers)
            unknown = self._spread.unknown(candidates, self._strangers)
            target = candidates[int(np.argmax(unknown))]
        others = [name for name in self._limits if name not in self._strangers]
        if self._knowledge is not None and others:
            candidates = self._candidates(target, others)
            left = self._knowledge.remaining(candidates, *self._enough)
            target = candidates[int(np.argmin(left))]
        return target

    def _candidates(self, here: Positions, names: Sequence[str]) -> list[dict[str, float]]:
        """Steps of some of these joints, in random directions; those at a limit turn round."""
        return [dict(here) | self._steps_of(here, names) for _ in range(_CANDIDATES)]

    def _steps_of(self, here: Positions, names: Sequence[str]) -> dict[str, float]:
        count = len(names)
        moves = self._rng.permutation(count) < self._rng.integers(1, count + 1)
        sizes = self._rng.choice([-1.0, 1.0], count) * self._rng.uniform(*self._steps, count)
        target = {}
        for name, size in zip(np.array(names)[moves].tolist(), sizes[moves], strict=True):
            limit = self._limits[name]
            step = math.copysign(largest_step(abs(size), limit), size)
            there = here[name] + step
            target[name] = there if limit.lower <= there <= limit.upper else here[name] - step
        return target
