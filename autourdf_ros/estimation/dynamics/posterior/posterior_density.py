"""The posterior density of parameters and initial states, by rollouts through whole motions."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from autourdf_ros.estimation.dynamics.joint_motion_data import JointMotionData
from autourdf_ros.estimation.dynamics.mechanism.simulated_mechanism import Mechanism
from autourdf_ros.estimation.dynamics.posterior.dynamics_posterior import DynamicsPosterior
from autourdf_ros.estimation.dynamics.shooting.shooting_options import ShootingOptions
from autourdf_ros.estimation.dynamics.shooting.window_grid import window_grid
from autourdf_ros.estimation.dynamics.shooting.window_rollout import WindowRollout
from autourdf_ros.estimation.dynamics.shooting.window_states import initial_states

Array = NDArray[np.float64]


@dataclass(frozen=True)
class PosteriorDensity:
    """Of numbers x: fitting coordinates (P,), then the initial state (2 J,) of every motion.

    Attributes:
        rollout: One window for each motion.
        posterior: Gaussian approximation, if there is one.
    """

    rollout: WindowRollout
    posterior: DynamicsPosterior | None = None

    @property
    def size(self) -> int:
        """P."""
        return len(self.rollout.mechanism.table)

    @cached_property
    def start(self) -> Array:
        """(X,) the prior's mean, and initial states by the observed motion."""
        prior = self.rollout.mechanism.table.prior_mean
        return np.concatenate([prior, initial_states(self.rollout.grid).ravel()])

    @cached_property
    def spread(self) -> Array:
        """(X,) standard deviations: of the prior, and of what is known of initial states."""
        motions = len(self.rollout.grid.motion)
        grid, noise = self.rollout.grid, self.rollout.grid.noise
        interval = float(np.median(np.diff(grid.stamps)))
        state = np.concatenate([noise, noise / interval])
        return np.concatenate([self.rollout.mechanism.table.prior_std, np.tile(state, motions)])

    @property
    def gaussian(self) -> tuple[Array, Array]:
        """Mean (X,) and covariance (X, X) of the approximation; states of motions independent."""
        assert self.posterior is not None
        known = self.posterior
        states = [np.concatenate([one.positions, one.velocities]) for one in known.starts]
        crosses = np.vstack([one.cross for one in known.starts])
        # States depend on each other through the parameters alone.
        given = np.linalg.solve(known.covariance, crosses.T)
        blocks = crosses @ given
        for number, one in enumerate(known.starts):
            rows = slice(number * len(one.covariance), (number + 1) * len(one.covariance))
            blocks[rows, rows] = one.covariance
        return np.concatenate([known.mean, *states]), np.block(
            [[known.covariance, crosses.T], [crosses, blocks]]
        )

    def residuals(self, numbers: Array) -> Array:
        """Return residuals (n, R) over their standard deviations of numbers (n, X).

        Those of the prior are in them; of what diverges they are infinite.
        """
        numbers = np.atleast_2d(numbers)
        grid, table = self.rollout.grid, self.rollout.mechanism.table
        states = numbers[:, self.size :].reshape(len(numbers), len(grid.motion), -1)
        made = self.rollout.predict(self.rollout.models(numbers[:, : self.size]), states)
        frames = (made.frames - grid.observed) / grid.stds
        root = np.linalg.inv(np.linalg.cholesky(table.prior_covariance))
        prior = (numbers[:, : self.size] - table.prior_mean) @ root.T
        found = np.hstack([frames.reshape(len(numbers), -1), prior])
        whole = np.isfinite(found).all(1, keepdims=True)
        return np.where(whole, found, np.inf)

    def logs(self, numbers: Array) -> Array:
        """Return the logarithms (n,) of the density, up to a constant."""
        with np.errstate(over="ignore"):
            return np.asarray(-0.5 * (self.residuals(numbers) ** 2).sum(1))

    def gradients(self, numbers: Array, step: float = 1e-4) -> tuple[Array, Array]:
        """Return logs (n,) and their gradients (n, X), by finite differences in one batch.

        Args:
            numbers: (n, X).
            step: In units of `spread`.
        """
        moves = step * np.diag(self.spread)
        every = (numbers[:, None] + np.vstack([np.zeros(len(self.spread)), moves])).reshape(
            -1, len(self.spread)
        )
        found = self.residuals(every).reshape(len(numbers), len(moves) + 1, -1)
        logs = -0.5 * (found[:, 0] ** 2).sum(1)
        slopes = (found[:, 1:] - found[:, :1]) / np.diag(moves)[:, None]
        gradients = -np.einsum("nxr,nr->nx", slopes, found[:, 0])
        return logs, np.where(np.isfinite(gradients), gradients, 0.0)


def posterior_density(
    mechanism: Mechanism, data: JointMotionData, posterior: DynamicsPosterior | None = None
) -> PosteriorDensity:
    """Return the density for a mechanism and motions; the noise is the posterior's, if given.

    Raises:
        InputError: the data cannot be used with the mechanism.
    """
    whole = ShootingOptions(windows=1)
    grid = window_grid(data, mechanism.joints, mechanism.nominal.opt.timestep, whole)
    if posterior is not None:
        factors = np.where(np.isfinite(posterior.noise), posterior.noise, 1.0)
        grid.stds[:] = grid.stds * factors
    return PosteriorDensity(WindowRollout(mechanism, grid), posterior)
