"""Random joint targets: every joint on its own, a small step at a time."""

from __future__ import annotations

import math

from autourdf_ros.commanding.targets.small_steps import SmallSteps
from autourdf_ros.model.limits.motion_limits import Limits


class RandomTargets(SmallSteps):
    """Draws targets within the limits, each a small step from the one before.

    step_min, step_max: size of a joint's step (rad), see `SmallSteps`. share: of the joints that
    move in a step; with 1 all do, as in AutoURDF (Lin et al., CVPR 2025). Which of them is chance,
    but they are dealt like cards: no joint moves again before all others have. Joints that rest
    while others move, and that turn round at different times, tell apart which of them moved what:
    all moving on together does not.
    """

    def __init__(
        self,
        limits: Limits,
        step_min: float = math.radians(7),
        step_max: float = math.radians(14),
        share: float = 0.5,
        seed: int = 0,
    ) -> None:
        super().__init__(limits, step_min, step_max, seed)
        self._share = share
        self._deck: list[int] = []

    def start_sequence(self) -> None:
        """Choose directions, as of all small steps, and shuffle the deck."""
        super().start_sequence()
        self._deck.clear()

    def _deal(self) -> set[int]:
        """A share of the joints, rounded by chance, but at least one."""
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
