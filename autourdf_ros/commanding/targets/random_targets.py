"""Random joint targets, each a small step from the one before."""

from __future__ import annotations

import math

from autourdf_ros.commanding.targets.small_steps import SmallSteps
from autourdf_ros.model.limits.motion_limits import Limits


class RandomTargets(SmallSteps):
    """Draws targets within the limits, each a small step from the one before.

    The joints that move are dealt at random like cards: no joint moves again before all others
    have. Joints that rest while others move, and that turn round at different times, show which of
    them moved which link; joints that all move together do not.
    """

    def __init__(
        self,
        limits: Limits,
        step_min: float = math.radians(7),
        step_max: float = math.radians(14),
        share: float = 0.5,
        seed: int = 0,
    ) -> None:
        """Create the policy.

        Args:
            limits: of the joints.
            step_min: smallest step of a joint (rad), see `SmallSteps`.
            step_max: largest step of a joint (rad).
            share: of the joints that move in a step; with 1 all move, as in AutoURDF (Lin et al.,
                CVPR 2025).
            seed: of the random choices.
        """
        super().__init__(limits, step_min, step_max, seed)
        self._share = share
        self._deck: list[int] = []

    def start_sequence(self) -> None:
        """Choose directions, as of all small steps, and shuffle the deck."""
        super().start_sequence()
        self._deck.clear()

    def _deal(self) -> set[int]:
        """Deal a share of the joints, rounded at random, but at least one."""
        count = len(self._limits)
        wanted = max(1, int(self._share * count + self._rng.random()))
        dealt: set[int] = set()
        while len(dealt) < wanted:
            if not dealt.issuperset(self._deck):
                card = next(joint for joint in reversed(self._deck) if joint not in dealt)
                self._deck.remove(card)
                dealt.add(card)
            else:
                self._deck = [*self._rng.permutation(count).tolist(), *self._deck]
        return dealt
