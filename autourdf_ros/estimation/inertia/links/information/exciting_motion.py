"""Motions that show most of masses and friction: Fourier series by cross-entropy search.

Swevers, Ganseman, Tükel, De Schutter, Van Brussel, "Optimal Robot Excitation and Identification",
IEEE T-RA 1997; start and end at rest as Park, "Fourier-based optimal excitation trajectories for
the dynamic identification of robots", Robotica 2006. The criterion is the expected information
(½ log det of the base parameters' information) that the motion adds to what is known.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from autourdf_ros.errors import InputError
from autourdf_ros.estimation.inertia.links.information.base_parameters import BaseParameters
from autourdf_ros.estimation.inertia.links.torque_model import JointMotion, TorqueModel
from autourdf_ros.model.limits.motion_limits import Limits
from autourdf_ros.progress import Progress, silent

Array = NDArray[np.float64]


@dataclass(frozen=True)
class ExcitationOptions:
    """How a motion is searched for.

    Attributes:
        duration: Of the motion (s).
        harmonics: Of the series; the first has the motion's duration as its period.
        slowest: Least duration of the highest harmonic's period (s): drives follow it, and filters
            of the recording pass it.
        used: Share of every limit that the motion uses.
        population: Motions in a generation, of which the best `elite` make the next one, for so
            many `generations`: resource bounds.
        samples: Of a motion while it is judged, for each harmonic: a resource bound.
        rate: Of the records (Hz), and of the states of the motion that is returned.
        seed: Of the search.
    """

    duration: float = 20.0
    harmonics: int = 5
    slowest: float = 1.0
    used: float = 0.9
    population: int = 48
    elite: int = 10
    generations: int = 12
    samples: int = 12
    rate: float = 100.0
    seed: int = 0


@dataclass(frozen=True)
class Excitation:
    """A motion that starts and ends at rest.

    Attributes:
        joints: Names (J,).
        times: (n,) s.
        positions, velocities, accelerations: (n, J).
        information: That it is expected to add (nats).
    """

    joints: tuple[str, ...]
    times: Array
    positions: Array
    velocities: Array
    accelerations: Array
    information: float

    def scaled(self, share: float) -> Excitation:
        """Return the same motion about its start with a share of its amplitude.

        What it shows is stated of the whole; `expected` finds it anew.
        """
        start = self.positions[0]
        return Excitation(
            self.joints,
            self.times,
            start + share * (self.positions - start),
            share * self.velocities,
            share * self.accelerations,
            self.information,
        )


@dataclass(frozen=True)
class KnownParameters:
    """What is known of base parameters, and how noisy efforts are.

    Attributes:
        base: The base parameters.
        covariance: (p, p) of all parameters.
        effort_std: (J,) of a record (N m or N).
    """

    base: BaseParameters
    covariance: Array
    effort_std: Array

    def information(self, rows: Array, records: float) -> float:
        """Return the information (nats) that rows (n, J, p) add, each counted as many records."""
        before = self.base.grouping @ self.covariance @ self.base.grouping.T
        half = np.linalg.cholesky(before + 1e-12 * np.trace(before) * np.eye(len(before)))
        matrix = rows[:, :, self.base.chosen] * (np.sqrt(records) / self.effort_std)[:, None]
        flat = matrix.reshape(-1, len(before)) @ half
        _, size = np.linalg.slogdet(np.eye(len(before)) + flat.T @ flat)
        return float(size / 2)


class FourierMotions:
    """All motions of some harmonics that start and end at rest in one configuration."""

    def __init__(
        self, start: Array, limits: tuple[Array, Array, Array, Array], options: ExcitationOptions
    ) -> None:
        """Create them.

        Args:
            start: (J,) rad or m.
            limits: (J,) lower, upper, velocity and acceleration.
            options: Duration and harmonics.
        """
        self._start, self._limits, self._options = start, limits, options
        count = min(options.harmonics, max(1, int(options.duration / options.slowest)))
        self.size = 2 * count
        self._coarse = self._basis(np.linspace(0, options.duration, options.samples * count + 1))
        self._fine = self._basis(
            np.arange(round(options.duration * options.rate) + 1) / options.rate
        )

    def _basis(self, times: Array) -> tuple[Array, ...]:
        """Times (n,), and values, velocities and accelerations (n, size) of the harmonics.

        From each, the quintic that has the same states at both ends is taken off.
        """
        whole = self._options.duration
        waves = 2 * np.pi * np.arange(1, self.size // 2 + 1) / whole

        def series(at: Array) -> tuple[Array, Array, Array]:
            sine, cosine = np.sin(np.outer(at, waves)), np.cos(np.outer(at, waves))
            return (
                np.hstack([sine, cosine]),
                np.hstack([cosine * waves, -sine * waves]),
                np.hstack([-sine * waves**2, -cosine * waves**2]),
            )

        def powers(at: Array) -> tuple[Array, Array, Array]:
            u, k = at[:, None] / whole, np.arange(6)
            lower = np.maximum(k - 1, 0), np.maximum(k - 2, 0)
            return u**k, k * u ** lower[0] / whole, k * (k - 1) * u ** lower[1] / whole**2

        ends = np.array([0.0, whole])
        taken = np.linalg.solve(np.vstack(powers(ends)), np.vstack(series(ends)))
        return times, *(
            own - power @ taken for own, power in zip(series(times), powers(times), strict=True)
        )

    def motion(self, weights: Array, *, fine: bool) -> tuple[Array, Array, Array, Array]:
        """Return times and states of the motion of weights (J, size), at its limits."""
        lower, upper, fastest, hardest = self._limits
        largest = [basis @ weights.T for basis in self._fine[1:]]
        away, speed, rise = largest
        tiny = np.finfo(float).tiny
        room = np.minimum(
            (upper - self._start) / np.maximum(away.max(0), tiny),
            (self._start - lower) / np.maximum(-away.min(0), tiny),
        )
        ratios = [room, fastest / np.maximum(np.abs(speed).max(0), tiny)]
        ratios.append(hardest / np.maximum(np.abs(rise).max(0), tiny))
        share = self._options.used * np.maximum(np.min(ratios, axis=0), 0.0)
        times, *bases = self._fine if fine else self._coarse
        states = [basis @ (weights * share[:, None]).T for basis in bases]
        return times, self._start + states[0], states[1], states[2]


def optimised_excitation(
    model: TorqueModel,
    known: KnownParameters,
    start: Array,
    limits: Limits,
    options: ExcitationOptions,
    progress: Progress = silent,
) -> Excitation:
    """Return the motion that is expected to show most.

    Args:
        model: The robot.
        known: Before the motion.
        start: (J,) where it starts and ends (rad or m).
        limits: Of every joint of the model.
        options: Of the search.
        progress: Is called with stage and fraction.

    Raises:
        InputError: a joint has no limits, or the start is outside them.
    """
    bounds = joint_bounds(model, limits, start)
    motions = FourierMotions(start, bounds, options)

    def information(weights: Array) -> float:
        _, *states = motions.motion(weights, fine=False)
        return expected(model, known, states, options.duration * options.rate)

    best = _cross_entropy(information, (len(start), motions.size), options, progress)
    return Excitation(model.joints, *motions.motion(best, fine=True), information(best))


def expected(
    model: TorqueModel, known: KnownParameters, states: Sequence[Array], records: float
) -> float:
    """Return the information (nats) that so many records of a motion are expected to add.

    Args:
        model: The robot.
        known: Before the motion.
        states: Positions, velocities and accelerations (n, J), as samples of the motion.
        records: Of the motion.
    """
    still = np.zeros(states[0].shape[1])
    place, speed, rise = states
    rows = model.regressor(JointMotion(place, speed, rise, still, still))
    return known.information(rows, records / len(place))


def joint_bounds(
    model: TorqueModel, limits: Limits, start: Array
) -> tuple[Array, Array, Array, Array]:
    """Return lower, upper, velocity and acceleration (J,) of the model's joints.

    Raises:
        InputError: a joint has no limits, or the start is outside them.
    """
    lacking = [name for name in model.joints if name not in limits]
    if lacking:
        raise InputError(
            f"joint {lacking[0]!r} has no limits; accepted are limits of {', '.join(model.joints)}"
        )
    own = [limits[name] for name in model.joints]
    for name, limit, value in zip(model.joints, own, start.tolist(), strict=True):
        if not limit.lower <= value <= limit.upper:
            raise InputError(
                f"joint {name!r} starts at {value:.4g}; accepted is {limit.lower:.4g} to "
                f"{limit.upper:.4g}"
            )
    rows = [(one.lower, one.upper, one.velocity, one.acceleration) for one in own]
    lower, upper, velocity, acceleration = np.array(rows).T
    return lower, upper, velocity, acceleration


def _cross_entropy(
    score: Callable[[Array], float],
    shape: tuple[int, int],
    options: ExcitationOptions,
    progress: Progress,
) -> Array:
    """Maximise a score of weights (de Boer et al., "A Tutorial on the Cross-Entropy Method", 2005).

    Amplitudes do not matter: every motion is brought to its limits.
    """
    rng = np.random.default_rng(options.seed)
    mean, spread = np.zeros(shape), np.ones(shape)
    best, highest = np.ones(shape), -np.inf
    for generation in range(options.generations):
        progress("searching a motion", generation / options.generations)
        drawn = mean + spread * rng.normal(size=(options.population, *shape))
        scores = np.array([score(one) for one in drawn])
        order = np.argsort(-scores)[: options.elite]
        if scores[order[0]] > highest:
            best, highest = drawn[order[0]], scores[order[0]]
        elite = drawn[order]
        mean, spread = elite.mean(0), elite.std(0)
        size = np.sqrt(np.mean(mean**2 + spread**2, axis=1, keepdims=True))
        mean, spread = mean / size, spread / size
    return best
