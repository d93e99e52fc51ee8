"""Targets that move each joint alone, and then every two of them together."""

from __future__ import annotations

import math
from collections import deque
from itertools import combinations

from autourdf_ros.commanding.targets.small_steps import SmallSteps
from autourdf_ros.model.limits.motion_limits import Limits


class OneJointTargets(SmallSteps):
    """Small steps of one joint after the other, then of every pair once, and so on.

    A joint that moves alone shows which links hang on it; a pair shows which of two joints moves
    the other. A round of J joints takes J + J (J - 1) / 2 targets, and continues over sequences.
    """

    def __init__(
        self,
        limits: Limits,
        step_min: float = math.radians(7),
        step_max: float = math.radians(14),
        seed: int = 0,
    ) -> None:
        """Create the policy; step_min and step_max (rad) bound a joint's step, see `SmallSteps`."""
        super().__init__(limits, step_min, step_max, seed)
        self._round: deque[tuple[int, ...]] = deque()
        self._latest: tuple[int, ...] = ()
        self._postponed: set[tuple[int, ...]] = set()

    def turn(self, refusals: int) -> None:
        """Choose other directions, as all small steps do.

        What was refused is tried once more at the end of the round.
        """
        super().turn(refusals)
        if self._latest and self._latest not in self._postponed:
            self._postponed.add(self._latest)
            self._round.append(self._latest)
        self._latest = ()

    def _deal(self) -> set[int]:
        if not self._round:
            self._postponed.clear()
            self._round.extend(_round(self._rng.permutation(len(self._limits)).tolist()))
        self._latest = self._round.popleft()
        return set(self._latest)


def _round(joints: list[int]) -> list[tuple[int, ...]]:
    """Return every joint alone, then every pair; neighbouring pairs share no joint if possible."""
    count = len(joints)
    # Pairs of the same sum (modulo the count) have no joint in common.
    pairs = sorted(combinations(range(count), 2), key=lambda pair: sum(pair) % count)
    return [(joint,) for joint in joints] + [(joints[a], joints[b]) for a, b in pairs]
