"""CSVGD: Stein variational gradient descent of particles with multiple shooting and constraints.

Heiden, Denniston, Millard, Ramos, Sukhatme, "Probabilistic Inference of Simulation Parameters via
Parallel Differentiable Simulation", ICRA 2022. Gaps between windows, and limits of the parameters,
are constraints whose multipliers rise while they are violated (Platt and Barr's modified
differential method of multipliers, NIPS 1987).
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from autourdf_ros.estimation.dynamics.joint_motion_data import JointMotionData
from autourdf_ros.estimation.dynamics.mechanism.simulated_mechanism import Mechanism
from autourdf_ros.estimation.dynamics.methods.frame_likelihood import (
    FrameLikelihood,
    TrackLikelihood,
)
from autourdf_ros.estimation.dynamics.methods.method_options import (
    BestOf,
    MethodOptions,
    MethodResult,
)
from autourdf_ros.estimation.dynamics.posterior.posterior_density import posterior_density
from autourdf_ros.estimation.dynamics.shooting.shooting_options import ShootingOptions
from autourdf_ros.estimation.dynamics.shooting.window_grid import window_grid
from autourdf_ros.estimation.dynamics.shooting.window_rollout import WindowRollout
from autourdf_ros.estimation.dynamics.shooting.window_states import initial_states

Array = NDArray[np.float64]

_DECAY, _TINY = 0.9, 1e-8  # of Adam's moments, for the direction of the particles
_SQUARE_DECAY = 0.999
_LIMITS = 3.0
"""Limits of the parameters, in standard deviations of the prior."""
_PENALTY, _RISE = 1.0, 0.1
"""Weight of the constraints' squares, and by what share of a violation its multiplier rises."""
_STEP = 1e-5  # of finite differences


@dataclass(frozen=True)
class _Slopes:
    """Log density and its gradients for n particles, with constraints.

    Attributes:
        logs: (n,).
        parameters: (n, P) gradient.
        states: (n, W, 2 J) gradient.
        gaps: (n, D, 2 J) over the noise.
    """

    logs: Array
    parameters: Array
    states: Array
    gaps: Array


def csvgd(mechanism: Mechanism, data: JointMotionData, options: MethodOptions) -> MethodResult:
    """Move particles to the posterior.

    Raises:
        InputError: the data cannot be used with the mechanism.
    """
    grid = window_grid(data, mechanism.joints, mechanism.nominal.opt.timestep, ShootingOptions())
    rollout = WindowRollout(mechanism, grid)
    rng, table = np.random.default_rng(options.seed), mechanism.table
    places = table.prior_mean + table.prior_std * rng.standard_normal(
        (options.particles, len(table))
    )
    states = np.broadcast_to(
        initial_states(grid), (options.particles, *initial_states(grid).shape)
    ).copy()
    multipliers = np.zeros((options.particles, len(grid.joined), states.shape[2]))
    best, judge = BestOf(len(table), options.clock), posterior_density(mechanism, data)
    likelihood = options.likelihood or TrackLikelihood(grid)
    moments = _Moments.zero(places, states)
    for number in options.steps():
        found = _slopes(rollout, likelihood, places, states, multipliers)
        whole = np.hstack([places, states[:, grid.starts].reshape(len(places), -1)])
        seen = found.logs - 0.5 * (found.gaps**2).sum((1, 2))
        best.see(whole, judge.logs(whole) if options.likelihood is None else seen)
        move = _stein(places, found.parameters, table.prior_std)
        moments, turn, shift = moments.next(
            (move * table.prior_std, found.states * rollout.state_scale), number
        )
        low, high = (table.prior_mean + sign * _LIMITS * table.prior_std for sign in (-1, 1))
        places = np.clip(places + options.rate * table.prior_std * turn, low, high)
        states = states + options.rate * rollout.state_scale * shift
        multipliers = multipliers + _RISE * found.gaps
    return best.result(table, places)


@dataclass(frozen=True)
class _Moments:
    """Adam's moments of parameters and states."""

    means: tuple[Array, Array]
    squares: tuple[Array, Array]

    @classmethod
    def zero(cls, places: Array, states: Array) -> _Moments:
        return cls(
            (np.zeros_like(places), np.zeros_like(states)),
            (np.zeros_like(places), np.zeros_like(states)),
        )

    def next(self, slopes: tuple[Array, Array], number: int) -> tuple[_Moments, Array, Array]:
        """Return the moments after one more pair of gradients, and the two directions."""
        means, squares, turns = [], [], []
        for mean, square, slope in zip(self.means, self.squares, slopes, strict=True):
            means.append(_DECAY * mean + (1 - _DECAY) * slope)
            squares.append(_SQUARE_DECAY * square + (1 - _SQUARE_DECAY) * slope**2)
            size = np.sqrt(squares[-1] / (1 - _SQUARE_DECAY ** (number + 1)))
            turns.append(means[-1] / (1 - _DECAY ** (number + 1)) / (size + _TINY))
        moments = replace(self, means=(means[0], means[1]), squares=(squares[0], squares[1]))
        return moments, turns[0], turns[1]


def _slopes(
    rollout: WindowRollout,
    likelihood: FrameLikelihood,
    places: Array,
    states: Array,
    multipliers: Array,
) -> _Slopes:
    """Augmented log density's gradients, particle by particle."""
    grid, table = rollout.grid, rollout.mechanism.table
    information = np.linalg.inv(table.prior_covariance)
    logs, by_parameters, by_states, all_gaps = [], [], [], []
    for place, state, multiplier in zip(places, states, multipliers, strict=True):
        made = rollout.linearise(place, state, _STEP)
        log, pull = likelihood.slopes(made.frames)
        joined = grid.joined
        gaps = (made.ends[joined] - state[joined + 1]) / rollout.state_scale
        weight = (_PENALTY * gaps + multiplier) / rollout.state_scale
        slope = np.einsum("fj,fjp->p", pull, made.frames_by_parameters)
        slope -= np.einsum("di,dip->p", weight, made.ends_by_parameters[joined])
        slope -= information @ (place - table.prior_mean)
        tilt = np.zeros_like(state)
        np.add.at(tilt, grid.window, np.einsum("fj,fjs->fs", pull, made.frames_by_state))
        tilt[joined] -= np.einsum("di,dis->ds", weight, made.ends_by_state[joined])
        tilt[joined + 1] += weight
        away = place - table.prior_mean
        logs.append(log - 0.5 * away @ information @ away)
        by_parameters.append(np.nan_to_num(slope))
        by_states.append(np.nan_to_num(tilt))
        all_gaps.append(np.nan_to_num(gaps))
    return _Slopes(np.array(logs), np.array(by_parameters), np.array(by_states), np.array(all_gaps))


def _stein(places: Array, slopes: Array, spread: Array) -> Array:
    """Stein's direction (n, P) with a Gaussian kernel of the median width (Liu and Wang 2016)."""
    unit = places / spread
    apart = unit[:, None] - unit[None]
    squares = (apart**2).sum(2)
    width = max(float(np.median(squares)) / np.log(len(places) + 1.0), 1e-12)
    kernel = np.exp(-squares / width)
    push = 2 / width * (kernel[..., None] * apart).sum(1) / spread
    return np.asarray((kernel @ slopes + push) / len(places))
