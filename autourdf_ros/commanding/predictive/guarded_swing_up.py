"""Path integral control that commands a cart within limits, and stops where something is wrong."""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass, field, replace

import numpy as np
from numpy.typing import NDArray

from autourdf_ros.commanding.predictive.cart_pole import CartPole, advance
from autourdf_ros.commanding.predictive.path_integral import (
    PathIntegralController,
    PathIntegralOptions,
)
from autourdf_ros.errors import InputError

Array = NDArray[np.float64]

_EARLY = 1e-3  # s: a reading this much before the next period counts as in time


@dataclass(frozen=True)
class CartLimits:
    """What the cart may do.

    Attributes:
        lower: Least position on the rail (m).
        upper: Greatest one (m).
        velocity: Greatest speed (m/s).
        effort: Greatest force (N).
        effort_rate: Greatest change of the force (N/s).

    Raises:
        InputError: a number is not finite, not above 0, or lower is not below upper.
    """

    lower: float
    upper: float
    velocity: float
    effort: float
    effort_rate: float

    def __post_init__(self) -> None:
        if not self.lower < self.upper:
            raise InputError(
                f"limits: lower is {self.lower}; accepted is below upper, {self.upper}"
            )
        for name in ("velocity", "effort", "effort_rate"):
            if not 0 < getattr(self, name) < np.inf:
                raise InputError(f"limits: {name} is {getattr(self, name)}; accepted is above 0")
        if not np.isfinite([self.lower, self.upper]).all():
            raise InputError("limits: lower and upper are finite numbers")


@dataclass(frozen=True)
class GuardOptions:
    """When it stops.

    Attributes:
        margin: Of the rail at either end that plans avoid, of half its length; of the speed, too.
        late: Periods without a reading.
        jump: Distance (m) beyond the way at the greatest speed that a reading may be from the last.
        window: Periods over which the cart's way is compared with the one that is predicted.
        way: Least predicted way (m) in a window that is judged.
        share: Of it that the cart must go.
    """

    margin: float = 0.15
    late: float = 4.0
    jump: float = 0.02
    window: int = 10
    way: float = 0.02
    share: float = 0.25


@dataclass
class GuardedSwingUp:
    """Chooses one force after the other; after a stop it never commands a force again.

    Attributes:
        model: That predicts.
        limits: Of the cart.
        control: Choices of the controller; its limits are those of the cart.
        guard: When it stops.
        seed: Of the samples.
        problem: Why it stopped; empty while it has not.
    """

    model: CartPole
    limits: CartLimits
    control: PathIntegralOptions = field(default_factory=PathIntegralOptions)
    guard: GuardOptions = field(default_factory=GuardOptions)
    seed: int = 0
    problem: str = ""

    def __post_init__(self) -> None:
        self._controller = PathIntegralController(
            self.model,
            limited(self.control, self.limits, self.guard),
            np.random.default_rng(self.seed),
        )
        self._stamp, self._force, self._rail = -np.inf, 0.0, 0.0
        self._ways: deque[tuple[float, float]] = deque(maxlen=self.guard.window)
        self._expected = np.nan

    def is_due(self, stamp: float) -> bool:
        """Return whether a reading of that stamp (s) begins the next period."""
        return not stamp - self._stamp < self.control.period - _EARLY

    def force(self, stamp: float, state: Array) -> float:
        """Return the force (N) from a reading on; 0 from a stop on.

        Args:
            stamp: Of the reading (s).
            state: (4,) position on the rail, angle from upright towards +rail, and their
                velocities.
        """
        self.problem = self.problem or self._fault(stamp, state)
        if self.problem:
            self._force = 0.0
            return 0.0
        middle = (self.limits.lower + self.limits.upper) / 2
        centred = state - np.array([middle, 0.0, 0.0, 0.0])
        change = self.limits.effort_rate * self.control.period
        wanted = float(
            np.clip(self._controller.force(centred), self._force - change, self._force + change)
        )
        self._force = float(np.clip(wanted, -self.limits.effort, self.limits.effort))
        ahead = centred.copy()
        advance(ahead, self._force, self.model.values, self.control.period, self.control.steps)
        self._expected = float(ahead[0] - centred[0])
        self._stamp, self._rail = stamp, float(state[0])
        return self._force

    def _fault(self, stamp: float, state: Array) -> str:
        """Why it has to stop, or nothing."""
        limits, guard = self.limits, self.guard
        if state.shape != (4,) or not np.isfinite(state).all():
            return f"a reading is {state.tolist()}; accepted are four finite numbers"
        if not limits.lower <= state[0] <= limits.upper:
            return f"the cart is at {state[0]:.3f} m; accepted is {limits.lower} .. {limits.upper}"
        if abs(state[2]) > limits.velocity:
            return f"the cart moves at {state[2]:.2f} m/s; accepted is up to {limits.velocity}"
        if not np.isfinite(self._stamp):
            return ""
        elapsed, gone = stamp - self._stamp, float(state[0]) - self._rail
        if not 0 < elapsed <= guard.late * self.control.period:
            return (
                f"a reading is {elapsed:.3f} s after the last one; accepted is up to "
                f"{guard.late * self.control.period:.3f} s"
            )
        if abs(gone) > limits.velocity * elapsed + guard.jump:
            return f"the cart jumps by {gone:.3f} m in {elapsed:.3f} s"
        return self._stall(gone)

    def _stall(self, gone: float) -> str:
        """Why the cart does not follow its command, or nothing."""
        self._ways.append((abs(self._expected), abs(gone)))
        expected, done = np.sum(self._ways, axis=0)
        if len(self._ways) < self.guard.window or expected < self.guard.way:
            return ""
        if done >= self.guard.share * expected:
            return ""
        return (
            f"the cart went {done:.3f} m where {expected:.3f} m were predicted: it is held, or the "
            "controller follows no command"
        )


def limited(
    control: PathIntegralOptions, limits: CartLimits, guard: GuardOptions
) -> PathIntegralOptions:
    """Return choices of the controller whose plans keep away from the cart's limits."""
    kept = 1 - guard.margin
    return replace(
        control,
        force=limits.effort,
        rail=kept * (limits.upper - limits.lower) / 2,
        speed=kept * limits.velocity,
    )
