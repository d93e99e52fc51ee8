"""What is known of a mechanism's dynamics: values, covariance, starts, and simulators of them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import mujoco
import numpy as np
from numpy.typing import NDArray

from autourdf_ros.errors import InputError
from autourdf_ros.estimation.dynamics.mechanism.dynamic_parameter import ParameterTable
from autourdf_ros.estimation.dynamics.mechanism.simulated_mechanism import Mechanism

Array = NDArray[np.float64]


@dataclass(frozen=True)
class MotionState:
    """Where a mechanism is and how fast it moves at one moment of a motion.

    Attributes:
        stamp: s, as in the motion's stamps.
        positions: (J,) joint values in the mechanism's order (rad or m).
        velocities: (J,) per second.
        covariance: (2 J, 2 J) of positions, then velocities.
        cross: (2 J, P) covariance with the parameters' fitting coordinates.
    """

    stamp: float
    positions: Array
    velocities: Array
    covariance: Array
    cross: Array


@dataclass(frozen=True)
class DynamicsPosterior:
    """A Gaussian over fitting coordinates (`ParameterTable`), by Laplace's approximation.

    Attributes:
        mechanism: What is simulated, with the prior.
        mean: (P,) fitting coordinates: the logarithm of positive values, else the value.
        covariance: (P, P) of them.
        starts: State at the first stamp of every motion.
        ends: State at the last stamp of every motion: where a forecast goes on.
        noise: (J,) standard deviations of the joint values over the stated ones, larger where
            values depend on each other over time; NaN where a joint was not observed.
        warnings: Sentences for the user, each a reason for doubt.
    """

    mechanism: Mechanism
    mean: Array
    covariance: Array
    starts: tuple[MotionState, ...]
    ends: tuple[MotionState, ...]
    noise: Array
    warnings: tuple[str, ...] = ()

    @property
    def table(self) -> ParameterTable:
        """The parameters with their names, units and prior."""
        return self.mechanism.table

    @property
    def names(self) -> tuple[str, ...]:
        """P names of parameters, such as "mass of pole"."""
        return self.table.names

    @property
    def units(self) -> tuple[str, ...]:
        """P units of `values`."""
        return self.table.units

    @property
    def values(self) -> Array:
        """(P,) natural values at the mean of the fitting coordinates."""
        return self.table.values(self.mean)

    @property
    def stds(self) -> Array:
        """(P,) standard deviations of the fitting coordinates."""
        return np.sqrt(np.diag(self.covariance))

    @property
    def natural_stds(self) -> Array:
        """(P,) standard deviations of the natural values, to first order."""
        return self.stds * np.where(self.table.is_log, self.values, 1.0)

    def interval(self, deviations: float = 2.0) -> tuple[Array, Array]:
        """Return lower and upper natural values (P,), so many standard deviations from the mean."""
        reach = deviations * self.stds
        return self.table.values(self.mean - reach), self.table.values(self.mean + reach)

    def samples(self, count: int, seed: int = 0) -> Array:
        """Return fitting coordinates (count, P), drawn from the posterior."""
        return self._drawn(self.mean, self.covariance, count, seed)

    def joint_samples(self, count: int, motion: int, seed: int = 0) -> tuple[Array, Array]:
        """Return fitting coordinates (count, P) and states (count, 2 J) at a motion's end.

        Drawn together: a forecast's band needs how state and parameters vary with each other.
        """
        end, size = self.ends[motion], len(self.mean)
        mean = np.concatenate([self.mean, end.positions, end.velocities])
        covariance = np.block([[self.covariance, end.cross.T], [end.cross, end.covariance]])
        drawn = self._drawn(mean, covariance, count, seed)
        return drawn[:, :size], drawn[:, size:]

    def simulator(self, coordinates: Array | None = None) -> mujoco.MjModel:
        """Return an MjModel with these fitting coordinates (P,), the mean by default."""
        return self.mechanism.simulator(self.mean if coordinates is None else coordinates)

    def simulators(self, count: int, seed: int = 0) -> Iterator[mujoco.MjModel]:
        """Yield MjModels of samples."""
        return (self.simulator(row) for row in self.samples(count, seed))

    @staticmethod
    def _drawn(mean: Array, covariance: Array, count: int, seed: int) -> Array:
        if count < 1:
            raise InputError(f"samples: {count}; accepted is 1 or more")
        values, vectors = np.linalg.eigh(covariance)
        root = vectors * np.sqrt(np.maximum(values, 0.0))
        unit = np.random.default_rng(seed).standard_normal((count, len(mean)))
        return np.asarray(mean + unit @ root.T)
