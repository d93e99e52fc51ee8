"""Targets that tell most of what a live model does not know yet."""

from __future__ import annotations

import math

import numpy as np

from autourdf_ros.commanding.targets.one_joint import OneJointTargets
from autourdf_ros.commanding.targets.random_targets import RandomTargets
from autourdf_ros.commanding.targets.small_steps import largest_step
from autourdf_ros.commanding.trajectory import Positions
from autourdf_ros.estimation.motion.streaming import LiveEstimate
from autourdf_ros.estimation.motion.uncertainty.line_knowledge import LineKnowledge, line_knowledge
from autourdf_ros.model.limits.motion_limits import Limits

_CANDIDATES = 64


class InformativeTargets:
    """Small steps, of which each is the most informative of several random ones.

    Before there is a model they are `RandomTargets`, which show all joints soonest. While there are
    motors that the model gives no joint, every second is one of their `OneJointTargets`. Otherwise
    each is the one after which the lines of all joints would be known best, in units of
    target_axis_std (rad) and target_line_std (m), at which it is enough
    (`LineKnowledge.remaining`). step_min, step_max: size of a joint's step (rad), see `SmallSteps`.
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
        self._seed = seed
        self._enough = (target_axis_std, target_line_std)
        self._rng = np.random.default_rng(seed)
        self._all = RandomTargets(limits, step_min, step_max, seed=seed)
        self._strangers: OneJointTargets | None = None
        self._knowledge: LineKnowledge | None = None
        self._explores = self._refused = False
        self._finished = False

    @property
    def finished(self) -> bool:
        """Whether the latest model knows all lines well enough, and a joint for every motor."""
        return self._finished

    def learn(self, estimate: LiveEstimate) -> None:
        """Take a model that was found anew, or that there is none."""
        reconstruction = estimate.reconstruction
        usable = reconstruction is not None and reconstruction.verdict != "failed"
        self._knowledge = line_knowledge(reconstruction) if reconstruction and usable else None
        known = self._knowledge.motors if self._knowledge else frozenset()
        strangers = {name: limit for name, limit in self._limits.items() if name not in known}
        self._strangers = None
        if strangers and len(strangers) < len(self._limits):
            self._strangers = OneJointTargets(strangers, *self._steps, self._seed + estimate.frames)
        self._finished = (
            not strangers
            and estimate.axis_std <= self._enough[0]
            and not estimate.line_std > self._enough[1]  # NaN where no joint turns
        )

    def start_sequence(self) -> None:
        """Begin a sequence: the robot is back at its start."""
        self._all.start_sequence()
        if self._strangers is not None:
            self._strangers.start_sequence()

    def turn(self, refusals: int) -> None:
        """Let all joints move next, another way, as `SmallSteps` do."""
        self._all.turn(refusals)
        self._refused = True

    def next(self, current: Positions) -> dict[str, float]:
        """Draw the target after `current` (rad or m); at least one joint moves."""
        self._explores = not self._explores
        if self._knowledge is None or self._refused:
            target = self._all.next(current)
        elif self._strangers is not None and self._explores:
            target = dict(current) | self._strangers.next(current)
        else:
            target = self._best(current, self._knowledge)
        self._refused = False
        if self._knowledge is not None:
            self._knowledge = self._knowledge.with_frame(target)
        return target

    def _best(self, current: Positions, knowledge: LineKnowledge) -> dict[str, float]:
        candidates = [self._candidate(current) for _ in range(_CANDIDATES)]
        return candidates[int(np.argmin(knowledge.remaining(candidates, *self._enough)))]

    def _candidate(self, current: Positions) -> dict[str, float]:
        """Steps of some joints, in random directions; those at a limit turn round."""
        count = len(self._limits)
        moves = self._rng.permutation(count) < self._rng.integers(1, count + 1)
        sizes = self._rng.choice([-1.0, 1.0], count) * self._rng.uniform(*self._steps, count)
        target = {}
        for (name, limit), size, does in zip(self._limits.items(), sizes, moves, strict=True):
            here = min(max(current[name], limit.lower), limit.upper)
            step = math.copysign(largest_step(abs(size), limit), size) if does else 0.0
            target[name] = float(
                here + step if limit.lower <= here + step <= limit.upper else here - step
            )
        return target
