"""What a fit takes as exact but is known only so well: the time step, axes, where forces act.

Each of these would change the motion by so much if it were off by one standard deviation. The
linear problem at the fit says which parameters would make up for that, and so by how much more they
are uncertain: such numbers are considered, not estimated (Schmidt, "Application of state-space
methods to navigation problems", 1966).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import block_diag

from autourdf_ros.estimation.dynamics.joint_motion_data import JointMotionData
from autourdf_ros.estimation.dynamics.mechanism.simulated_mechanism import Mechanism
from autourdf_ros.estimation.dynamics.shooting.residual_weights import residual_weights
from autourdf_ros.estimation.dynamics.shooting.shooting_elimination import (
    EliminatedStates,
    Residuals,
    shooting_system,
)
from autourdf_ros.estimation.dynamics.shooting.shooting_fit import ShootingFit
from autourdf_ros.estimation.dynamics.shooting.shooting_options import ShootingOptions
from autourdf_ros.estimation.dynamics.shooting.window_grid import window_grid
from autourdf_ros.estimation.dynamics.shooting.window_rollout import WindowRollout

Array = NDArray[np.float64]


@dataclass(frozen=True)
class Variant:
    """Mechanism and motions if something that is taken as exact were off by one deviation.

    Attributes:
        mechanism: With the same joints and free parameters.
        data: With the same stamps.
    """

    mechanism: Mechanism
    data: JointMotionData


@dataclass(frozen=True)
class Changes:
    """K changes of the motion at the fit, each by one standard deviation of something.

    Attributes:
        frames: (F, J, K) of predicted less observed positions.
        ends: (W, 2 J, K) of the states at the windows' ends.
    """

    frames: Array
    ends: Array

    @property
    def columns(self) -> tuple[Array, Array]:
        """Those that stay within numbers."""
        finite = np.isfinite(self.frames).all((0, 1)) & np.isfinite(self.ends).all((0, 1))
        return self.frames[..., finite], self.ends[..., finite]

    def and_also(self, other: Changes) -> Changes:
        """Return these and others."""
        return Changes(
            np.concatenate([self.frames, other.frames], 2),
            np.concatenate([self.ends, other.ends], 2),
        )


def step_change(fit: ShootingFit, data: JointMotionData, options: ShootingOptions) -> Changes:
    """Return what half the time step changes, from the same initial states on."""
    mechanism, step = fit.rollout.mechanism, fit.grid.step / 2
    finer = WindowRollout(mechanism, window_grid(data, mechanism.joints, step, options))
    models = finer.models(fit.coordinates)
    models[0].opt.timestep = step
    states = np.zeros((len(finer.grid.motion), fit.states.shape[1]))
    states[finer.grid.starts] = fit.states[fit.grid.starts]
    made = finer.predict(models, finer.shot(models[0], states)[None])
    return Changes((made.frames[0] - fit.made.frames)[..., None], np.zeros((*fit.states.shape, 1)))


def variant_changes(
    fit: ShootingFit, variants: Sequence[Variant], options: ShootingOptions
) -> Changes:
    """Return what each of K variants changes."""
    frames, ends = (np.zeros((*one.shape, len(variants))) for one in (fit.made.frames, fit.states))
    base, start = fit.rollout.for_slopes, fit.states[None]
    mechanism, step = base.mechanism, base.grid.step
    here = base.predict(base.models(fit.coordinates), start)
    for place, one in enumerate(variants):
        grid = window_grid(one.data, mechanism.joints, step, options)
        same = one.mechanism.with_table(mechanism.table).with_step(step)
        other = WindowRollout(same, grid)
        made = other.predict(other.models(fit.coordinates), start)
        moved = np.where(grid.is_observed, grid.observed - fit.grid.observed, 0.0)
        frames[..., place] = made.frames[0] - here.frames[0] - moved
        ends[..., place] = made.ends[0] - here.ends[0]
    return Changes(frames, ends)


@dataclass(frozen=True)
class Added:
    """A further parameters, whose priors have zero as mean.

    Attributes:
        frames: (F, J, A) derivatives of positions.
        ends: (W, 2 J, A) of the states at the windows' ends.
        stds: (A,) of their priors; infinite: none.
    """

    frames: Array
    ends: Array
    stds: Array


def solved_with(
    fit: ShootingFit,
    options: ShootingOptions,
    changes: Changes | None = None,
    added: Added | None = None,
) -> EliminatedStates:
    """Return the linear problem at a fit of P parameters.

    Args:
        fit: About which the problem is linear.
        options: Of the fit.
        changes: `shifts` says how much each would move the parameters; None: there are none.
        added: Further parameters, after the fit's own; None: none.
    """
    table, made, scale = fit.rollout.mechanism.table, fit.made, fit.rollout.state_scale
    root = np.linalg.inv(np.linalg.cholesky(table.prior_covariance))
    away, widths = fit.coordinates - table.prior_mean, table.prior_std
    if added is not None:
        made = replace(
            made,
            frames_by_parameters=np.dstack([made.frames_by_parameters, added.frames]),
            ends_by_parameters=np.dstack([made.ends_by_parameters, added.ends]),
        )
        root = block_diag(root, np.diag(1 / added.stds))
        away = np.append(away, np.zeros(len(added.stds)))
        widths = np.append(widths, np.minimum(added.stds, 1.0))
    system = shooting_system(
        made,
        fit.residuals,
        fit.grid,
        residual_weights(fit.made, fit.rollout, options.defects[-1]),
        (root, away),
        (scale, widths),
        None if changes is None else changes.columns,
    )
    return system.solved(0.0)


def residuals_with(fit: ShootingFit, options: ShootingOptions, added: Added) -> Residuals:
    """Return the residuals that further parameters would leave, to first order."""
    move, states = solved_with(fit, options, added=added).step()
    count = len(fit.coordinates)
    moved = np.einsum("fjn,fn->fj", fit.made.frames_by_state, states[fit.grid.window])
    moved += fit.made.frames_by_parameters @ move[:count] + added.frames @ move[count:]
    return replace(fit.residuals, frames=fit.residuals.frames + moved / fit.grid.stds)
