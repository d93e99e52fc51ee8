"""Targets nearby: a small step of each chosen joint, in directions that change at times."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod

import numpy as np
from numpy.typing import NDArray

from autourdf_ros.commanding.trajectory import Positions
from autourdf_ros.model.limits.motion_limits import JointLimits, Limits

# A prismatic joint or a narrow range takes steps of this share of its range instead.
_RANGE_SHARE = 0.15
# A joint turns round at random, once it has swept this far (rad) or this share of a narrow range:
# joints should not sweep together, but the motion of a joint that hardly sweeps is hardly visible.
_REVERSED = 0.3
_SWEEP = math.radians(25)
_SWEEP_SHARE = 0.3


class SmallSteps(ABC):
    """Targets within the limits, each a small step from the one before.

    Subclasses choose which joints move next.
    """

    def __init__(self, limits: Limits, step_min: float, step_max: float, seed: int) -> None:
        """Create the policy.

        Args:
            limits: of the joints.
            step_min: smallest step of a joint (rad), large enough to be visible.
            step_max: largest step of a joint (rad), small enough for the registration.
            seed: of the random choices.
        """
        self._limits = limits
        self._steps = (step_min, step_max)
        self._rng = np.random.default_rng(seed)
        self._turned_at: dict[str, float] = {}  # where joints last chose a direction
        self._directions = np.ones(len(limits))
        self._back = -self._directions
        self._unused: NDArray[np.float64] | None = None
        self._together = False  # whether all joints move next
        self._chosen = True  # whether the directions are those of a new start or way out

    @abstractmethod
    def _deal(self) -> set[int]:
        """Return the numbers of the joints that move next, at least one."""

    def start_sequence(self) -> None:
        """Choose directions.

        Every second sequence takes the opposite directions of the one before, so that two sequences
        from the same start sweep both sides of it.
        """
        if self._unused is None:
            self._directions = self._draw()
            self._unused = -self._directions
        else:
            self._directions, self._unused = self._unused, None
        self._chosen = True

    def turn(self, refusals: int) -> None:
        """Choose other directions after that many targets were refused one after the other.

        The directions are random; every third time they lead back, where the way was free. All
        joints move in the next target, so that a joint that is stuck lags behind the others instead
        of being taken for a controller that refuses.
        """
        self._together = True
        if refusals == 1:
            self._back = -self._directions
        self._directions = self._draw() if refusals % 3 else self._back.copy()
        self._chosen = True

    def _draw(self) -> NDArray[np.float64]:
        return self._rng.choice([-1.0, 1.0], len(self._limits))

    def next(self, current: Positions) -> dict[str, float]:
        """Return the target after `current` (rad or m by joint); at least one joint moves."""
        count = len(self._limits)
        sizes = self._rng.uniform(*self._steps, count)
        wishes = self._rng.random(count) < _REVERSED
        if self._chosen:
            self._turned_at = dict(current)
        self._chosen = False
        moves = set(range(count)) if self._together else self._deal()
        self._together = False
        target = {}
        for index, (name, limit) in enumerate(self._limits.items()):
            step = largest_step(sizes[index], limit) if index in moves else 0.0
            position = min(max(current[name], limit.lower), limit.upper)
            swept = abs(position - self._turned_at[name])
            turns = wishes[index] and swept >= min(_SWEEP, _SWEEP_SHARE * limit.span)
            direction = self._directions[index] * (-1.0 if turns and step else 1.0)
            if not limit.lower <= position + direction * step <= limit.upper:
                direction *= -1.0
            if direction != self._directions[index]:
                self._turned_at[name] = position
            self._directions[index] = direction
            target[name] = float(position + direction * step)
        return target


def largest_step(size: float, limit: JointLimits) -> float:
    """Return the step of a joint (rad or m): `size` (rad), or a share of a narrow range."""
    return min(size, _RANGE_SHARE * limit.span)
