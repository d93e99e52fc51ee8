"""Rollouts of all windows in one batch, and their derivatives by finite differences."""

from __future__ import annotations

import copy
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import mujoco
import numpy as np
from mujoco.rollout import Rollout
from numpy.typing import NDArray

from autourdf_ros.estimation.dynamics.mechanism.simulated_mechanism import Mechanism
from autourdf_ros.estimation.dynamics.shooting.window_grid import WindowGrid
from autourdf_ros.parallel import thread_count

Array = NDArray[np.float64]

_MOST_NUMBERS = 2**25
"""Numbers of states that one batch may hold: a quarter of a gigabyte."""
_STATE_STEP = 0.01
"""Step of finite differences in states, in units of the noise."""
_SOLVER_TOLERANCE = 1e-14
"""Of MuJoCo's solver for friction and contacts: differences of rollouts divide its error."""
_SOLVER_ITERATIONS = 200


@dataclass(frozen=True)
class Prediction:
    """What rollouts give: K variants of W windows with F stamps, J joints.

    Attributes:
        frames: (K, F, J) positions at the stamps.
        ends: (K, W, 2 J) states where each window ends.
    """

    frames: Array
    ends: Array

    def of(self, variant: int) -> Prediction:
        """Return one variant alone."""
        return Prediction(self.frames[variant, None], self.ends[variant, None])

    @property
    def is_finite(self) -> NDArray[np.bool_]:
        """(K,) whether a variant stayed within numbers."""
        finite = np.isfinite(self.frames).all((1, 2)) & np.isfinite(self.ends).all((1, 2))
        return np.asarray(finite)


@dataclass(frozen=True)
class Linearisation:
    """A prediction with its derivatives.

    Attributes:
        frames: (F, J).
        ends: (W, 2 J).
        frames_by_parameters: (F, J, P).
        ends_by_parameters: (W, 2 J, P).
        frames_by_state: (F, J, 2 J) by the state at the start of the stamp's window.
        ends_by_state: (W, 2 J, 2 J).
        frames_by_force: (F, J, N) changes by one standard deviation of N independent errors of the
            forces: of the joints' forces in the first and in the second half of a window. N is 0
            where forces are exact.
        ends_by_force: (W, 2 J, N).
    """

    frames: Array
    ends: Array
    frames_by_parameters: Array
    ends_by_parameters: Array
    frames_by_state: Array
    ends_by_state: Array
    frames_by_force: Array
    ends_by_force: Array


@dataclass(frozen=True)
class WindowRollout:
    """Rolls a mechanism out through the windows of a grid.

    Attributes:
        mechanism: With the time step of the grid.
        grid: Windows.
        slopes: The same windows in longer steps, from which derivatives are; None: from this one.
    """

    mechanism: Mechanism
    grid: WindowGrid
    slopes: WindowRollout | None = None

    @property
    def for_slopes(self) -> WindowRollout:
        """The rollout from which derivatives are."""
        return self.slopes or self

    @cached_property
    def _pool(self) -> Rollout:
        return Rollout(nthread=self._threads)

    @property
    def _threads(self) -> int:
        return thread_count()

    def models(self, coordinates: Array) -> list[mujoco.MjModel]:
        """Return models of fitting coordinates (K, P), with an exact solver."""
        table = self.mechanism.table
        models = self.mechanism.setter.models(table.values(np.atleast_2d(coordinates)))
        for model in models:
            model.opt.tolerance, model.opt.iterations = _SOLVER_TOLERANCE, _SOLVER_ITERATIONS
        return models

    def predict(
        self, models: Sequence[mujoco.MjModel], states: Array, forces: Array | None = None
    ) -> Prediction:
        """Return K variants.

        Args:
            models: K of them.
            states: (K, W, 2 J) at the windows' starts: positions, then velocities.
            forces: (K or 1, W, S, J) in place of the grid's.
        """
        forces = self.grid.forces[None] if forces is None else forces
        count, windows = states.shape[:2]
        size = self.grid.forces.shape[1] * states.shape[2] * windows
        chunk = max(1, _MOST_NUMBERS // size)
        parts = [
            self._rolled(
                models[start : start + chunk],
                states[start : start + chunk],
                np.broadcast_to(forces, (count, *forces.shape[1:]))[start : start + chunk],
            )
            for start in range(0, count, chunk)
        ]
        return Prediction(
            np.concatenate([one.frames for one in parts]),
            np.concatenate([one.ends for one in parts]),
        )

    def _rolled(self, models: Sequence[mujoco.MjModel], states: Array, forces: Array) -> Prediction:
        """One batch."""
        count, windows, size = states.shape
        path = self._paths(
            [model for model in models for _ in range(windows)],
            states.reshape(-1, size),
            forces.reshape(count * windows, *forces.shape[2:]),
        )
        path = path.reshape(count, windows, *path.shape[1:])
        grid = self.grid
        spots = path[:, grid.window[:, None], grid.steps, : size // 2]
        frames = np.einsum("kfpj,fp->kfj", spots, grid.weights)
        return Prediction(frames, path[:, np.arange(windows), grid.length])

    def _paths(self, models: Sequence[mujoco.MjModel], states: Array, forces: Array) -> Array:
        """States (n, S + 1, 2 J) of n rollouts."""
        size = states.shape[1]
        full = mujoco.mj_stateSize(models[0], mujoco.mjtState.mjSTATE_FULLPHYSICS)
        start = np.zeros((len(states), full))
        start[:, 1 : 1 + size] = states
        path, _ = self._pool.rollout(
            models,
            [mujoco.MjData(models[0]) for _ in range(self._threads)],
            start,
            np.ascontiguousarray(forces),
            control_spec=mujoco.mjtState.mjSTATE_QFRC_APPLIED.value,
        )
        return np.asarray(np.concatenate([start[:, None], path], axis=1)[..., 1 : 1 + size])

    def shot(self, model: mujoco.MjModel, states: Array) -> Array:
        """Return states (W, 2 J) of one rollout from the first window of every motion on."""
        grid, found = self.grid, states.copy()
        for first in grid.starts:
            windows = np.flatnonzero(grid.motion == grid.motion[first])
            forces = grid.forces[windows, : grid.length[first]].reshape(1, -1, grid.forces.shape[2])
            path = self._paths([model], states[first, None], forces)[0]
            found[windows] = path[grid.first[windows]]
        return found

    def path(self, coordinates: Array, states: Array) -> Array:
        """Return states (W, S + 1, 2 J) at all steps of the windows."""
        return self._paths(self.models(coordinates) * len(states), states, self.grid.forces)

    def linearise(self, coordinates: Array, states: Array, step: float) -> Linearisation:
        """Return the prediction at coordinates (P,) and states (W, 2 J), with derivatives.

        Args:
            coordinates: Fitting coordinates.
            states: At the windows' starts.
            step: Of the coordinates; of linear ones in units of their prior.
        """
        if self.slopes is not None:
            there = self.slopes.linearise(coordinates, states, step)
            own = self.predict(self.models(coordinates), states[None])
            return replace(there, frames=own.frames[0], ends=own.ends[0])
        count, size = len(coordinates), states.shape[1]
        steps = step * np.where(
            self.mechanism.table.is_log, 1.0, np.maximum(self.mechanism.table.prior_std, step)
        )
        moves = _STATE_STEP * self.state_scale
        models = self.models(np.vstack([coordinates, coordinates + np.diag(steps)]))
        variants = np.broadcast_to(states, (1 + count + size, *states.shape)).copy()
        for column in range(size):
            variants[1 + count + column, :, column] += moves[column]
        made = self.predict([*models, *models[:1] * size], variants)
        frames, ends = (
            np.moveaxis(values[1:] - values[0], 0, -1) / np.concatenate([steps, moves])
            for values in (made.frames, made.ends)
        )
        return Linearisation(
            made.frames[0],
            made.ends[0],
            frames[..., :count],
            ends[..., :count],
            frames[..., count:],
            ends[..., count:],
            *self._by_force(models[0], states),
        )

    def _by_force(self, model: mujoco.MjModel, states: Array) -> tuple[Array, Array]:
        """Changes of positions and windows' ends by errors of the forces.

        They are those of a mechanism that slides without Coulomb friction: one that sticks hides
        errors of forces, but only until it comes loose.
        """
        grid = self.grid
        joints, halves = np.flatnonzero(grid.force_stds.any(0)), 2
        if not len(joints):
            return np.zeros((*grid.observed.shape, 0)), np.zeros((*states.shape, 0))
        late = np.arange(grid.forces.shape[1]) >= (grid.length[:, None] + 1) // halves
        forces = np.tile(grid.forces, (1 + halves * len(joints), 1, 1, 1))
        for number, joint in enumerate(joints):
            for half in range(halves):
                forces[1 + halves * number + half, :, :, joint] += np.where(
                    late == bool(half), grid.force_stds[:, joint, None], 0.0
                )
        sliding = copy.copy(model)
        sliding.dof_frictionloss[:] = 0.0
        made = self.predict([sliding] * len(forces), np.array([states] * len(forces)), forces)
        return (
            np.moveaxis(made.frames[1:] - made.frames[0], 0, -1),
            np.moveaxis(made.ends[1:] - made.ends[0], 0, -1),
        )

    @cached_property
    def state_scale(self) -> Array:
        """(2 J,) the noise of positions, and that over the time of a window for velocities."""
        noise = self.grid.noise
        return np.concatenate([noise, noise / (self.grid.forces.shape[1] * self.grid.step)])
