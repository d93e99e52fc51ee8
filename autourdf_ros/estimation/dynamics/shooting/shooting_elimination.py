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

    Attributes:
        frames: For each window rows (r, n + P + 1): by its state, by parameters, residual.
        gaps: For each window rows (n or 0, n + P + 1): of its end less the next one's start, by its
            state, by parameters, residual.
        next: (n,) factor of the next window's state in the rows of a gap.
        prior: (P, P + 1) rows of the prior.
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
        size, count = len(self.state_scale), len(self.prior)
        hold = np.diag(np.sqrt(damping * _LOOSE**-2 + _VAGUE**-2) / self.state_scale)
        held = np.hstack([hold, np.zeros((size, count + 1))])
        damped = np.hstack([np.diag(np.sqrt(damping) / self.prior_scale), np.zeros((count, 1))])
        rest, chain = [self.prior, damped], np.zeros((0, size + count + 1))
        factors = []
        for rows, gap in zip(self.frames, self.gaps, strict=True):
            own = np.vstack([chain, rows, held])
            wide = np.insert(own, [size] * size, 0.0, axis=1)
            if len(gap):
                joint = np.hstack([gap[:, :size], -np.diag(self.next), gap[:, size:]])
                wide = np.vstack([wide, joint])
            triangle = _triangle(wide)
            factors.append(triangle[:size])
            chain = triangle[size:, size:] if len(gap) else np.zeros((0, size + count + 1))
            if not len(gap):
                rest.append(triangle[size:, 2 * size :])
        scores = np.array([rows[:, :-1].T @ rows[:, -1] for rows in rest[2:]])
        return EliminatedStates(tuple(factors), _triangle(np.vstack(rest)), size, scores)


@dataclass(frozen=True)
class EliminatedStates:
    """A triangular system.

    Attributes:
        factors: For each window (n, 2 n + P + 1): its state by the next one's and the parameters.
        triangle: (<= P + 1, P + 1) of the parameters.
        size: n.
        scores: (M, P) gradient of each motion's cost by the parameters, its states eliminated.
    """

    factors: tuple[Array, ...]
    triangle: Array
    size: int
    scores: Array

    def step(self) -> tuple[Array, Array]:
        """Return the step of parameters (P,) and of states (W, n)."""
        count = self.triangle.shape[1] - 1
        move = -solve_triangular(self.triangle[:count, :count], self.triangle[:count, count])
        states, after = [], np.zeros(self.size)
        for factor in reversed(self.factors):
            known = np.concatenate([after, move, [1.0]])
            after = -solve_triangular(factor[:, : self.size], factor[:, self.size :] @ known)
            states.append(after)
        return move, np.array(states[::-1])

    @cached_property
    def root(self) -> Array:
        """(P, P) upper triangular: its square is the information of the parameters."""
        count = self.triangle.shape[1] - 1
        return self.triangle[:count, :count]

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
            gain = -inverse @ factor[:, size:-1]
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
    defect: Array,
    prior: tuple[Array, Array],
    scales: tuple[Array, Array],
) -> ShootingSystem:
    """Return the rows.

    Args:
        made: Prediction and derivatives.
        residuals: At the same place.
        grid: Windows and stamps.
        defect: (2 J,) standard deviations of gaps.
        prior: Square root (P, P) of its information, and how far (P,) the place is from its mean.
        scales: (2 J,) noise of states, and (P,) standard deviations of the prior.
    """
    root = np.sqrt(residuals.weights) / grid.stds
    rest = (np.sqrt(residuals.weights) * residuals.frames)[..., None]
    rows = np.concatenate(
        [
            made.frames_by_state * root[..., None],
            made.frames_by_parameters * root[..., None],
            rest,
        ],
        axis=2,
    )
    windows = len(made.ends)
    gaps = [np.zeros((0, rows.shape[2]))] * windows
    for place, window in enumerate(grid.joined):
        gaps[window] = np.hstack(
            [
                made.ends_by_state[window] / defect[:, None],
                made.ends_by_parameters[window] / defect[:, None],
                residuals.gaps[place][:, None],
            ]
        )
    frames = tuple(
        rows[grid.window == window].reshape(-1, rows.shape[2]) for window in range(windows)
    )
    above = np.hstack([prior[0], (prior[0] @ prior[1])[:, None]])
    return ShootingSystem(frames, tuple(gaps), 1 / defect, above, *scales)
