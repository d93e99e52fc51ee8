"""Targets near by: of chosen joints, a small step each, in directions that turn round at times."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod

import numpy as np
from numpy.typing import NDArray

from autourdf_ros.commanding.trajectory import Positions
from autourdf_ros.model.limits.motion_limits import JointLimits, Limits

# A prismatic joint or a narrow range takes steps of this share of its range instead.
_RANGE_SHARE = 0.15
# A joint turns round by chance, once it has swept this far (rad) or this share of a narrow range:
# it shall not sweep with the others, but a joint that hardly sweeps is hardly seen.
_REVERSED = 0.3
_SWEEP = math.radians(25)
_SWEEP_SHARE = 0.3


class SmallSteps(ABC):
    """Targets within the limits, each a small step from the one before.

    Which joints move next is up to those who inherit. limits: of the joints. step_min, step_max:
    size of a joint's step (rad): large enough to see, small enough that registration can follow.
    seed: of everything random.
    """

    def __init__(self, limits: Limits, step_min: float, step_max: float, seed: int) -> None:
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
        """Numbers of the joints that move next, at least one."""

    def start_sequence(self) -> None:
        """Choose directions; every second sequence goes the opposite way of the one before.

        So that two sequences from the same start sweep both sides of it.
        """
        if self._unused is None:
            self._directions = self._draw()
            self._unused = -self._directions
        else:
            self._directions, self._unused = self._unused, None
        self._chosen = True

    def turn(self, refusals: int) -> None:
        """Choose other directions after so many targets were refused one after the other.

        They are random, but every third time those that lead back, where the way was free. All
        joints move in the next target: one that is stuck then lags behind the others, instead of
        passing for a controller that refuses.
        """
        self._together = True
        if refusals == 1:
            self._back = -self._directions
        self._directions = self._draw() if refusals % 3 else self._back.copy()
        self._chosen = True

    def _draw(self) -> NDArray[np.float64]:
        return self._rng.choice([-1.0, 1.0], len(self._limits))

    def next(self, current: Positions) -> dict[str, float]:
        """Draw the target after `current`; at least one joint moves."""
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
    """Step of a joint (rad or m) that should be so large (rad), if its range is wide enough."""
    return min(size, _RANGE_SHARE * limit.span)
