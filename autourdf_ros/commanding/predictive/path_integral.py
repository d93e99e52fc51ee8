"""Model predictive path integral control (MPPI) of a cart-pole, with feedback inside the rollouts.

Williams et al., "Information theoretic MPC for model-based reinforcement learning", 2017. Near
upright the rollouts and the command add linear-quadratic feedback: without it, samples of an
unstable system part within the horizon and hardly one stays up.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
from numba import njit
from numpy.typing import NDArray
from scipy.linalg import solve_discrete_are
from scipy.signal import cont2discrete

from autourdf_ros.commanding.predictive.cart_pole import CartPole, advance
from autourdf_ros.errors import InputError

Array = NDArray[np.float64]


@dataclass(frozen=True)
class StageCost:
    """What a state costs per control step; upright at rest in the middle costs nothing.

    Attributes:
        upright: Of 1 - cos(angle).
        position: Of the squared distance from the middle (1/m²).
        speed: Of the squared speed of the cart (s²/m²).
        turning: Of the squared angular velocity (s²/rad²).
        end: Of being beyond the end of the rail, or too fast.
    """

    upright: float = 2.0
    position: float = 0.3
    speed: float = 0.05
    turning: float = 0.02
    end: float = 100.0


@dataclass(frozen=True)
class PathIntegralOptions:
    """Choices of the controller.

    Attributes:
        samples: Sampled sequences of forces per control step, as in Heiden et al.
        horizon: Control steps that are looked ahead, as in Heiden et al.
        period: Of a control step (s), as in Heiden et al.
        force: Greatest force (N).
        rail: Greatest distance of the cart from the middle (m).
        speed: Greatest speed of the cart (m/s).
        spread: Standard deviation of the sampled forces per greatest force.
        smoothness: Correlation of a sample's forces from step to step.
        temperature: Of the weights, per standard deviation of the samples' costs.
        capture: Angle from upright within which feedback acts (rad).
        feedback: Whether it acts at all.
        steps: Of integration per control step.
        cost: Of a state.
    """

    samples: int = 200
    horizon: int = 60
    period: float = 0.05
    force: float = 10.0
    rail: float = 2.0
    speed: float = np.inf
    spread: float = 0.5
    smoothness: float = 0.7
    temperature: float = 0.1
    capture: float = 0.6
    feedback: bool = True
    steps: int = 2
    cost: StageCost = field(default_factory=StageCost)

    def __post_init__(self) -> None:
        if min(self.samples, self.horizon, self.steps) < 1:
            raise InputError("MPPI: samples, horizon and steps are whole numbers from 1")
        if (
            not min(self.period, self.force, self.rail, self.speed, self.spread, self.temperature)
            > 0
        ):
            raise InputError("MPPI: period, force, rail, speed, spread, temperature are above 0")
        if not 0 <= self.smoothness < 1:
            raise InputError(f"MPPI: smoothness is {self.smoothness}; accepted is 0 to below 1")


@dataclass
class PathIntegralController:
    """Chooses the force on a cart-pole from its state, by sampled motions of a model.

    Attributes:
        model: That predicts.
        options: Choices.
        random: Source of the samples.
        plan: (horizon,) forces before feedback (N) that the next step begins with.
    """

    model: CartPole
    options: PathIntegralOptions
    random: np.random.Generator
    plan: Array = field(init=False)

    def __post_init__(self) -> None:
        self.plan = np.zeros(self.options.horizon)
        self._gain = _feedback_gain(self.model, self.options)

    def force(self, state: Array) -> float:
        """Return the force (N) for the next control step, held, from the state (4,)."""
        options = self.options
        state = np.asarray(state, float)
        noise = self._noise()
        costs, used = _roll_out(
            state, self.plan, noise, self.model.values, self._gain, _limits(options), options.steps
        )
        costs -= costs.min()
        weights = np.exp(-costs / max(options.temperature * float(costs.std()), 1e-12))
        # Not `@`: on a busy machine the threads of BLAS wait for each other, ten times as long.
        plan = np.einsum("s,sh->h", weights, used) / weights.sum()
        force = plan[0] + _feedback(state, self._gain, options.capture)
        self.plan = np.append(plan[1:], plan[-1])
        return float(np.clip(force, -options.force, options.force))

    def _noise(self) -> Array:
        """(samples, horizon) first-order correlated, the first sample zero: the plan itself."""
        options = self.options
        noise = self.random.standard_normal((options.samples, options.horizon))
        kept, fresh = options.smoothness, np.sqrt(1 - options.smoothness**2)
        for step in range(1, options.horizon):
            noise[:, step] = kept * noise[:, step - 1] + fresh * noise[:, step]
        noise[0] = 0
        return noise * options.spread * options.force


def _limits(options: PathIntegralOptions) -> Array:
    """(10,) numbers that the rollouts need."""
    cost = options.cost
    return np.array(
        [
            options.period,
            options.force,
            options.rail,
            options.speed,
            options.capture,
            cost.upright,
            cost.position,
            cost.speed,
            cost.turning,
            cost.end,
        ]
    )


def _feedback_gain(model: CartPole, options: PathIntegralOptions) -> Array:
    """(4,) gain of the linear-quadratic regulator for the sampled system, zero without feedback."""
    if not options.feedback:
        return np.zeros(4)
    a, b = model.linearised()
    a, b = cont2discrete((a, b, np.eye(4), np.zeros((4, 1))), options.period)[:2]
    cost = options.cost
    weights = np.diag([cost.position, cost.upright / 2, cost.speed, cost.turning])
    effort = np.array([[1 / options.force**2]])
    riccati = solve_discrete_are(a, b, weights, effort)
    return np.linalg.solve(effort + b.T @ riccati @ b, b.T @ riccati @ a)[0]


@njit(cache=True, nogil=True)
def _feedback(state: Array, gain: Array, capture: float) -> float:
    """Force of the regulator (N), which fades to nothing at the angle `capture`."""
    angle = (state[1] + np.pi) % (2 * np.pi) - np.pi
    share = 1 - (angle / capture) ** 2
    if share <= 0:
        return 0.0
    wanted = gain[0] * state[0] + gain[1] * angle + gain[2] * state[2] + gain[3] * state[3]
    return -share * wanted


@njit(cache=True, nogil=True)
def _roll_out(
    start: Array,
    plan: Array,
    noise: Array,
    values: Array,
    gain: Array,
    limits: Array,
    steps: int,
) -> tuple[Array, Array]:
    """(S,) costs of the sampled sequences, and (S, H) their forces before feedback (N)."""
    samples, horizon = noise.shape
    costs, used = np.zeros(samples), np.empty((samples, horizon))
    period, most, rail, fastest, capture, upright, position, speed, turning, end = limits
    for sample in range(samples):
        state = start.copy()
        total = 0.0
        for step in range(horizon):
            wanted = min(max(plan[step] + noise[sample, step], -most), most)
            used[sample, step] = wanted
            force = wanted + _feedback(state, gain, capture)
            advance(state, min(max(force, -most), most), values, period, steps)
            total += upright * (1 - np.cos(state[1])) + position * state[0] ** 2
            total += speed * state[2] ** 2 + turning * state[3] ** 2
            if abs(state[0]) > rail or abs(state[2]) > fastest:
                total += end
        costs[sample] = total
    return costs, used
