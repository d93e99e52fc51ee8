"""The linear least-squares problem of multiple shooting, with the windows' states eliminated.

A square-root information filter (Bierman, "Factorization Methods for Discrete Sequential
Estimation", 1977): orthogonal transformations eliminate one window's state after the other. Normal
equations would lose all digits of what is hardly known, for the gaps' constraints are hard.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import solve_triangular

from autourdf_ros.estimation.dynamics.shooting.residual_weights import ResidualWeights
from autourdf_ros.estimation.dynamics.shooting.window_grid import WindowGrid
from autourdf_ros.estimation.dynamics.shooting.window_rollout import Linearisation

Array = NDArray[np.float64]

_VAGUE = 1e5
"""Standard deviation of a state by itself, in units of the noise: for what nothing shows."""

_LOOSE = 1e3
"""Noise of which steps of states are held back as much as parameters by their prior."""


@dataclass(frozen=True)
class Residuals:
    """What a fit makes small, each over its standard deviation.

    Attributes:
        frames: (F, J), 0 where not observed.
        gaps: (D, 2 J) of the joined windows.
        weights: (F, J) of the squares of `frames`: 1, or those of Student's t.
    """

    frames: Array
    gaps: Array
    weights: Array


@dataclass(frozen=True)
class ShootingSystem:
    """Rows of the linear problem: W windows with states of n = 2 J numbers, P parameters.

    Right sides are 1 + K columns: the residuals, and K changes of them.

    Attributes:
        frames: For each window rows (r, n + P + 1 + K): by its state, by parameters, right sides.
        gaps: For each window rows (n or 0, n + P + 1 + K): of its end less the next one's start, by
            its state, by parameters, right sides.
        next: (W, n, n) factor of the next window's state in the rows of a gap.
        prior: (P, P + 1 + K) rows of the prior.
        state_scale: (n,) noise of states.
        prior_scale: (P,) standard deviations of the prior.
    """

    frames: tuple[Array, ...]
    gaps: tuple[Array, ...]
    next: Array
    prior: Array
    state_scale: Array
    prior_scale: Array

    def solved(self, damping: float) -> EliminatedStates:
        """Return the triangular system, with steps held back by damping.

        Args:
            damping: Weight of the square of a step, in units of the prior; of states, in units of
                `_LOOSE` times the noise.
        """
        size, (count, width) = len(self.state_scale), self.prior.shape
        hold = np.diag(np.sqrt(damping * _LOOSE**-2 + _VAGUE**-2) / self.state_scale)
        held = np.hstack([hold, np.zeros((size, width))])
        damped = np.diag(np.sqrt(damping) / self.prior_scale)
        damped = np.hstack([damped, np.zeros((count, width - count))])
        rest, chain = [self.prior, damped], np.zeros((0, size + width))
        factors = []
        for rows, gap, after in zip(self.frames, self.gaps, self.next, strict=True):
            own = np.vstack([chain, rows, held])
            wide = np.insert(own, [size] * size, 0.0, axis=1)
            if len(gap):
                joint = np.hstack([gap[:, :size], -after, gap[:, size:]])
                wide = np.vstack([wide, joint])
            triangle = _triangle(wide)
            factors.append(triangle[:size])
            chain = triangle[size:, size:] if len(gap) else np.zeros((0, size + width))
            if not len(gap):
                rest.append(triangle[size:, 2 * size :])
        scores = np.array([rows[:, :count].T @ rows[:, count] for rows in rest[2:]])
        return EliminatedStates(tuple(factors), _triangle(np.vstack(rest)), size, count, scores)


@dataclass(frozen=True)
class EliminatedStates:
    """A triangular system.

    Attributes:
        factors: For each window (n, 2 n + P + 1 + K): its state by the next one's and the
            parameters.
        triangle: (<= P + 1 + K, P + 1 + K) of the parameters.
        size: n.
        count: P.
        scores: (M, P) gradient of each motion's cost by the parameters, its states eliminated.
    """

    factors: tuple[Array, ...]
    triangle: Array
    size: int
    count: int
    scores: Array

    def step(self) -> tuple[Array, Array]:
        """Return the step of parameters (P,) and of states (W, n)."""
        move = self._moves[:, 0]
        states, after, used = [], np.zeros(self.size), 2 * self.size + self.count + 1
        for factor in reversed(self.factors):
            known = np.concatenate([after, move, [1.0]])
            after = -solve_triangular(factor[:, : self.size], factor[:, self.size : used] @ known)
            states.append(after)
        return move, np.array(states[::-1])

    @property
    def shifts(self) -> Array:
        """(P, K) by how much each change of the residuals would move the parameters."""
        return self._moves[:, 1:]

    @cached_property
    def _moves(self) -> Array:
        """(P, 1 + K) steps of the parameters for all right sides."""
        return np.asarray(-solve_triangular(self.root, self.triangle[: self.count, self.count :]))

    @cached_property
    def root(self) -> Array:
        """(P, P) upper triangular: its square is the information of the parameters."""
        return self.triangle[: self.count, : self.count]

    @cached_property
    def covariance(self) -> Array:
        """(P, P) of the parameters."""
        inverse = solve_triangular(self.root, np.eye(len(self.root)))
        return inverse @ inverse.T

    @cached_property
    def state_covariances(self) -> tuple[tuple[Array, Array], ...]:
        """For each window (n, n) of its state and (n, P) with the parameters."""
        size, count = self.size, len(self.root)
        found = []
        after = np.zeros((size + count, size + count))
        for factor in reversed(self.factors):
            after[size:, size:] = self.covariance
            inverse = solve_triangular(factor[:, :size], np.eye(size))
            gain = -inverse @ factor[:, size : 2 * size + count]
            cross = (gain @ after)[:, size:]
            own = inverse @ inverse.T + gain @ after @ gain.T
            found.append((own, cross))
            after = np.block([[own, cross], [cross.T, self.covariance]])
        return tuple(found[::-1])


def _triangle(rows: Array) -> Array:
    """The upper triangular factor of rows, their inner products kept."""
    return np.asarray(np.linalg.qr(rows, mode="r"))


def shooting_system(
    made: Linearisation,
    residuals: Residuals,
    grid: WindowGrid,
    used: ResidualWeights,
    prior: tuple[Array, Array],
    scales: tuple[Array, Array],
    changes: tuple[Array, Array] | None = None,
) -> ShootingSystem:
    """Return the rows.

    Args:
        made: Prediction and derivatives.
        residuals: At the same place.
        grid: Windows and stamps.
        used: Weights of residuals.
        prior: Square root (P, P) of its information, and how far (P,) the place is from its mean.
        scales: (2 J,) noise of states, and (P,) standard deviations of the prior.
        changes: K changes of positions (F, J, K) and of windows' ends (W, 2 J, K); None: none.
    """
    if changes is None:
        changes = np.zeros((*made.frames.shape, 0)), np.zeros((*made.ends.shape, 0))
    root = np.sqrt(residuals.weights) * used.frames
    rest = (np.sqrt(residuals.weights) * residuals.frames)[..., None]
    rows = np.concatenate(
        [
            made.frames_by_state * root[..., None],
            made.frames_by_parameters * root[..., None],
            rest,
            changes[0] * root[..., None],
        ],
        axis=2,
    )
    windows = len(made.ends)
    gaps = [np.zeros((0, rows.shape[2]))] * windows
    for place, window in enumerate(grid.joined):
        gaps[window] = np.hstack(
            [
                used.gaps[window] @ made.ends_by_state[window],
                used.gaps[window] @ made.ends_by_parameters[window],
                residuals.gaps[place][:, None],
                used.gaps[window] @ changes[1][window],
            ]
        )
    frames = tuple(
        rows[grid.window == window].reshape(-1, rows.shape[2]) for window in range(windows)
    )
    none = np.zeros((len(prior[1]), changes[0].shape[2]))
    above = np.hstack([prior[0], (prior[0] @ prior[1])[:, None], none])
    return ShootingSystem(frames, tuple(gaps), used.gaps, above, *scales)
