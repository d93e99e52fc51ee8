"""Targets that reduce the uncertainty of a live model most."""

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
    """Small steps, each of which is the most informative of several random ones.

    Until there is a model the targets are `RandomTargets`, which move all joints soonest. While
    motors are unmatched, every second target is one of their `OneJointTargets`. Every other target
    is the candidate that leaves the least uncertainty of all axes, in units of target_axis_std and
    target_line_std (`LineKnowledge.remaining`).
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
        """Create the policy.

        Args:
            limits: of the joints.
            step_min: smallest step of a joint (rad), see `SmallSteps`.
            step_max: largest step of a joint (rad).
            seed: of the random choices.
            target_axis_std: standard deviation of all axis directions (rad) that is precise enough.
            target_line_std: standard deviation of all axes across themselves (m), the same.
        """
        self._limits = limits
        self._steps = (step_min, step_max)
        self._seed = seed
        self._enough = (target_axis_std, target_line_std)
        self._rng = np.random.default_rng(seed)
        self._all = RandomTargets(limits, step_min, step_max, seed=seed)
        self._unmatched_targets: OneJointTargets | None = None
        self._knowledge: LineKnowledge | None = None
        self._explores = self._refused = False
        self._finished = False

    @property
    def finished(self) -> bool:
        """Whether the latest model knows all axes precisely, and has a joint for every motor."""
        return self._finished

    def learn(self, estimate: LiveEstimate) -> None:
        """Take the latest estimate, which may have no model."""
        reconstruction = estimate.reconstruction
        usable = reconstruction is not None and reconstruction.verdict != "failed"
        self._knowledge = line_knowledge(reconstruction) if reconstruction and usable else None
        known = self._knowledge.motors if self._knowledge else frozenset()
        unmatched = {name: limit for name, limit in self._limits.items() if name not in known}
        self._unmatched_targets = None
        if unmatched and len(unmatched) < len(self._limits):
            self._unmatched_targets = OneJointTargets(
                unmatched, *self._steps, self._seed + estimate.frames
            )
        self._finished = (
            not unmatched
            and estimate.axis_std <= self._enough[0]
            and not estimate.line_std > self._enough[1]  # NaN where no joint turns
        )

    def start_sequence(self) -> None:
        """Begin a sequence: the robot is back at its start."""
        self._all.start_sequence()
        if self._unmatched_targets is not None:
            self._unmatched_targets.start_sequence()

    def turn(self, refusals: int) -> None:
        """Let all joints move next, in other directions, as `SmallSteps` do."""
        self._all.turn(refusals)
        self._refused = True

    def next(self, current: Positions) -> dict[str, float]:
        """Return the target after `current` (rad or m by joint); at least one joint moves."""
        self._explores = not self._explores
        if self._knowledge is None or self._refused:
            target = self._all.next(current)
        elif self._unmatched_targets is not None and self._explores:
            target = dict(current) | self._unmatched_targets.next(current)
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
        """Return steps of some joints in random directions; a joint at a limit turns round."""
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
