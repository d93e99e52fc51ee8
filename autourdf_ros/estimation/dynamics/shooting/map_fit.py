"""Multiple-shooting Gauss-Newton: parameters and states of the greatest posterior density.

Bock and Plitt, "A multiple shooting algorithm for direct solution of optimal control problems",
1984, with soft constraints between windows that become harder from iteration to iteration.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from autourdf_ros.errors import InputError
from autourdf_ros.estimation.dynamics.joint_motion_data import JointMotionData
from autourdf_ros.estimation.dynamics.mechanism.simulated_mechanism import Mechanism
from autourdf_ros.estimation.dynamics.shooting.residual_weights import (
    ResidualWeights,
    residual_weights,
)
from autourdf_ros.estimation.dynamics.shooting.shooting_elimination import (
    Residuals,
    ShootingSystem,
    shooting_system,
)
from autourdf_ros.estimation.dynamics.shooting.shooting_fit import ShootingFit
from autourdf_ros.estimation.dynamics.shooting.shooting_options import ShootingOptions
from autourdf_ros.estimation.dynamics.shooting.window_grid import WindowGrid, window_grid
from autourdf_ros.estimation.dynamics.shooting.window_rollout import (
    Linearisation,
    Prediction,
    WindowRollout,
)
from autourdf_ros.estimation.dynamics.shooting.window_states import initial_states
from autourdf_ros.progress import Progress, silent

Array = NDArray[np.float64]

_TRUST = 2.0
"""Longest step of a parameter in one iteration, in standard deviations of its prior."""
_DAMPING, _LEAST_DAMPING, _GREATEST_DAMPING = 1e-3, 1e-12, 1e10
_FACTOR = 10.0  # of the damping, from one attempt to the next
_FLAT = 1e-5
"""Decrease of the cost, of itself, below which residuals of a wrong model are not followed on."""
_STATES = 0.5
"""Decrease of the cost (nats) by which a step counts that moves states alone."""
_PATIENCE = 8
"""Iterations after which they become harder anyway."""
_NOISE_ROUNDS, _NOISE_ITERATIONS = 2, 6
_NOISE_CHANGE = 0.05  # of its logarithm: less moves no estimate noticeably
_NOISE_DEGREES = 4.0
"""How many joint values the stated noise counts as, against what is estimated of it."""


def fit_motions(
    mechanism: Mechanism,
    data: JointMotionData,
    options: ShootingOptions = ShootingOptions(),  # noqa: B008  (frozen)
    progress: Progress = silent,
) -> ShootingFit:
    """Fit a mechanism's parameters and the states of windows to motions.

    Args:
        mechanism: With the prior of its parameters.
        data: Motions.
        options: Choices.
        progress: Is called with stage and fraction.

    Raises:
        InputError: the data cannot be used with the mechanism, or it diverges wherever it starts.
    """
    grid = window_grid(data, mechanism.joints, mechanism.nominal.opt.timestep, options)
    rollout, defects = WindowRollout(mechanism, grid), options.defects
    place = mechanism.table.prior_mean, initial_states(grid)
    fit = _converged(rollout, *place, options, defects, progress)
    return fit if options.stated else _with_noise(fit, grid, options, progress)


def refined(
    fit: ShootingFit,
    data: JointMotionData,
    options: ShootingOptions,
    progress: Progress = silent,
) -> ShootingFit:
    """Return the fit with half the simulator's time step.

    Derivatives stay those of the first time step, for which they are exact enough: they cost most.
    """
    coarse, splits = fit.rollout.for_slopes, 2 * fit.grid.splits
    step = coarse.grid.step / splits
    mechanism = coarse.mechanism.with_step(step)
    grid = window_grid(data, mechanism.joints, step, options, splits)
    known = np.where(np.isfinite(fit.noise), fit.noise, 1.0)
    rollout = WindowRollout(mechanism, replace(grid, stds=grid.stds * known), coarse)
    place, defects = (fit.coordinates, fit.states), options.defects[-1:]
    found = replace(_converged(rollout, *place, options, defects, progress), noise=fit.noise)
    return found if options.stated else _with_noise(found, grid, options, progress)


def _with_noise(
    fit: ShootingFit, stated: WindowGrid, options: ShootingOptions, progress: Progress
) -> ShootingFit:
    """The fit with the noise that it finds, as factors of the stated one."""
    few = replace(options, iterations=_NOISE_ITERATIONS)
    for _ in range(_NOISE_ROUNDS):
        factors = fit.noise * _noise_factors(fit)
        if np.nanmax(np.abs(np.log(factors / fit.noise))) < _NOISE_CHANGE:
            break
        used = np.where(np.isfinite(factors), factors, 1.0)
        rollout = replace(fit.rollout, grid=replace(fit.grid, stds=stated.stds * used))
        before = fit
        fit = _converged(rollout, fit.coordinates, fit.states, few, options.defects[-1:], progress)
        fit = replace(fit, noise=factors, converged=before.converged or fit.converged)
    return fit


def recounted(fit: ShootingFit, times: Array) -> ShootingFit:
    """Return a fit where it is, `times` (J,) of whose records hold as much as an independent one.

    It is no optimum any more, and its `solved` is still the old one.
    """
    root = np.sqrt(times / fit.times)
    rollout = replace(fit.rollout, grid=replace(fit.grid, stds=fit.grid.stds * root))
    residuals = replace(fit.residuals, frames=fit.residuals.frames / root)
    return replace(fit, rollout=rollout, residuals=residuals, times=times)


def with_correlation(fit: ShootingFit, times: Array, options: ShootingOptions) -> ShootingFit:
    """Return the fit to joint values of which `times` (J,) hold as much as one independent one."""
    start, few = recounted(fit, times), replace(options, iterations=_NOISE_ITERATIONS)
    place, defects = (fit.coordinates, fit.states), options.defects[-1:]
    found = _converged(start.rollout, *place, few, defects, silent)
    converged = fit.converged or found.converged
    return replace(found, noise=fit.noise, times=times, converged=converged)


def _converged(
    rollout: WindowRollout,
    coordinates: Array,
    states: Array,
    options: ShootingOptions,
    defects: tuple[float, ...],
    progress: Progress,
) -> ShootingFit:
    problem = _Problem(rollout, options)
    damping, converged, iteration, level, since = _DAMPING, False, 0, 0, 0
    place, grid = (coordinates, states), rollout.grid
    few = options.fitted * (grid.is_observed.sum() + states.size)
    for iteration in range(1, options.iterations + 1):
        progress("fit", iteration / options.iterations)
        ratio, last = defects[level], level == len(defects) - 1
        system, made, residuals, weights = problem.system(*place, ratio)
        if converged:
            break
        place, damping, length, gain = problem.improved(place, system, made, weights, damping)
        cost = problem.cost(place[0], residuals) - gain
        least = max(options.tolerance**2, _FLAT * cost)
        short = gain < (_STATES if length < options.tolerance else least)
        converged, since = last and short, since + 1
        if not last and (short or cost < few or since == _PATIENCE):
            level, since = level + 1, 0
    noise = np.where(grid.is_observed.any(0), 1.0, np.nan)
    found = rollout, *place, made, residuals, system.solved(0.0)
    return ShootingFit(*found, noise, np.ones(len(noise)), converged, iteration)


@dataclass(frozen=True)
class _Problem:
    """The cost, -log of the posterior density, of parameters and states."""

    rollout: WindowRollout
    options: ShootingOptions

    def system(
        self, coordinates: Array, states: Array, ratio: float
    ) -> tuple[ShootingSystem, Linearisation, Residuals, ResidualWeights]:
        made = self.rollout.linearise(coordinates, states, self.options.step)
        if not np.isfinite(made.frames).all():
            raise InputError(
                "mechanism: its simulation diverges at the prior's mean; accepted is one whose "
                "time step suits its stiffness"
            )
        last = ratio == self.options.defects[-1]
        weights = residual_weights(made, self.rollout, ratio, last)
        residuals = self.residuals(Prediction(made.frames[None], made.ends[None]), states, weights)
        table = self.rollout.mechanism.table
        root = np.linalg.inv(np.linalg.cholesky(table.prior_covariance))
        scale = self.rollout.state_scale
        system = shooting_system(
            made,
            residuals,
            self.rollout.grid,
            weights,
            (root, coordinates - table.prior_mean),
            (scale, table.prior_std),
        )
        return system, made, residuals, weights

    def residuals(self, made: Prediction, states: Array, weights: ResidualWeights) -> Residuals:
        grid = self.rollout.grid
        frames = (made.frames[0] - grid.observed) * weights.frames
        joined = grid.joined
        apart = made.ends[0][joined] - states[joined + 1]
        gaps = np.einsum("wij,wj->wi", weights.gaps[joined], apart)
        if self.options.noise == "gaussian":
            return Residuals(frames, gaps, np.ones_like(frames))
        degrees = self.options.degrees
        return Residuals(frames, gaps, (degrees + 1) / (degrees + frames**2))

    def cost(self, coordinates: Array, residuals: Residuals) -> float:
        table = self.rollout.mechanism.table
        away = coordinates - table.prior_mean
        prior = float(away @ np.linalg.solve(table.prior_covariance, away))
        squares = residuals.frames**2
        if self.options.noise == "student":
            degrees = self.options.degrees
            squares = (degrees + 1) * np.log1p(squares / degrees)
        return 0.5 * (float(squares.sum()) + float((residuals.gaps**2).sum()) + prior)

    def improved(
        self,
        place: tuple[Array, Array],
        system: ShootingSystem,
        made: Linearisation,
        weights: ResidualWeights,
        damping: float,
    ) -> tuple[tuple[Array, Array], float, float, float]:
        """Return a better place, the next damping, this step's length, and the cost's decrease."""
        coordinates, states = place
        before = self.residuals(Prediction(made.frames[None], made.ends[None]), states, weights)
        cost = self.cost(coordinates, before)
        trust = _TRUST * self.rollout.mechanism.table.prior_std
        while damping < _GREATEST_DAMPING:
            solved = system.solved(damping)
            move, shift = solved.step()
            if (np.abs(move) < trust).all():
                new, there = self.better(coordinates + move, states + shift, weights)
                if there <= cost + 1e-9 * abs(cost):
                    length = float(np.linalg.norm(solved.root @ move))
                    return new, max(damping / _FACTOR, _LEAST_DAMPING), length, cost - there
            damping *= _FACTOR
        return place, _DAMPING, 0.0, 0.0

    def better(
        self, coordinates: Array, states: Array, weights: ResidualWeights
    ) -> tuple[tuple[Array, Array], float]:
        """Return the place, with these states or those of one rollout through all windows.

        One rollout has no gaps: it follows a curved valley that hard constraints make narrow.
        """
        models = self.rollout.models(coordinates)
        variants = [states]
        if weights.hard:
            variants.append(self.rollout.shot(models[0], states))
        made = self.rollout.predict(models * len(variants), np.array(variants))
        costs = [
            self.cost(coordinates, self.residuals(made.of(number), variants[number], weights))
            if made.is_finite[number]
            else np.inf
            for number in range(len(variants))
        ]
        best = int(np.argmin(costs))
        return (coordinates, variants[best]), float(costs[best])


def fitted_per_joint(fit: ShootingFit, more: int = 0) -> float:
    """Return how many numbers were fitted to each joint's values.

    They are the states of each motion, the parameters that the data determine, and `more` others.
    """
    table, seen = fit.rollout.mechanism.table, fit.grid.is_observed
    prior = np.linalg.inv(table.prior_covariance)
    determined = len(prior) - float(np.trace(fit.solved.covariance @ prior))
    return 2.0 * len(fit.grid.starts) + (determined + more) / max(int(seen.any(0).sum()), 1)


def _noise_factors(fit: ShootingFit) -> Array:
    """(J,) standard deviations of the residuals over those used; NaN where not observed.

    What was fitted takes up degrees of freedom.
    """
    squares = (fit.residuals.weights * fit.residuals.frames**2).sum(0)
    count = fit.grid.is_observed.sum(0)
    free = np.maximum(count - fitted_per_joint(fit), 0.0)
    factors = np.sqrt((squares + _NOISE_DEGREES) / (free + _NOISE_DEGREES))
    return np.where(count > 0, factors, np.nan)
