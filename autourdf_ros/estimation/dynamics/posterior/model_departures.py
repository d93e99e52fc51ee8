"""Tests of what a fitted model lacks: delays, other laws of friction, springs, constant forces.

Each is a score test: the sensitivity of the motion to what is lacking, at the fit, is compared with
the residuals. To first order a force that depends on the state is the same force along the fitted
motion. (Rao's test; Engle, "Wald, Likelihood Ratio, and Lagrange Multiplier Tests", 1984.)
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray
from scipy.stats import norm

from autourdf_ros.estimation.dynamics.joint_motion_data import JointMotionData
from autourdf_ros.estimation.dynamics.shooting.map_fit import ShootingFit
from autourdf_ros.estimation.dynamics.shooting.shooting_elimination import shooting_system
from autourdf_ros.estimation.dynamics.shooting.shooting_options import ShootingOptions
from autourdf_ros.estimation.dynamics.shooting.window_grid import step_forces

Array = NDArray[np.float64]

_SLOW = 0.02
"""Of a joint's greatest speed: below that the sign of its velocity counts less."""
_STRIBECK = 0.2
"""Of a joint's greatest speed: about which the friction of slow motion is looked for."""
_SMALL = 1e-4
"""Of the forces that act: by which a force is changed to find the sensitivity to it."""


@dataclass(frozen=True)
class Departure:
    """Something that the model may lack.

    Attributes:
        words: What, for a sentence.
        size: Its estimate: s of a delay, else N m or N at the joint's greatest speed or travel.
        std: Of that.
    """

    words: str
    size: float
    std: float

    @property
    def p_value(self) -> float:
        """Probability of a size as large where nothing is lacking; 1 where nothing shows."""
        if not self.std > 0 or not np.isfinite(self.size / self.std):
            return 1.0
        return float(2 * norm.sf(abs(self.size / self.std)))


def departures(
    fit: ShootingFit, data: JointMotionData, options: ShootingOptions
) -> tuple[Departure, ...]:
    """Return the tests' results, of every joint that moves and of the forces' stamps."""
    found = [*_delay(fit, data)]
    for joint, name in enumerate(fit.rollout.mechanism.joints):
        found += _forces(fit, joint, name)
    return tuple(_tested(fit, forces, words, size, options) for forces, words, size in found)


def _delay(fit: ShootingFit, data: JointMotionData) -> Iterator[tuple[Array, str, float]]:
    """Change of the forces by a delay of one step, and its size."""
    if all(motion.forces is None or not motion.forces.any() for motion in data.motions):
        return
    grid, step = fit.grid, fit.grid.step
    columns = [fit.rollout.mechanism.joints.index(name) for name in data.joints]
    change = np.zeros_like(grid.forces)
    for number, motion in enumerate(data.motions):
        windows = np.flatnonzero(grid.motion == number)
        longest = int(grid.length[windows[0]])
        count = longest * len(windows)
        moved = step_forces(motion, count, step, step) - step_forces(motion, count, step, -step)
        part = np.zeros((count, grid.forces.shape[2]))
        part[:, columns] = moved / 2
        change[windows, :longest] = part.reshape(len(windows), longest, -1)
    yield change, "the forces act later than their stamps", step


def _forces(fit: ShootingFit, joint: int, name: str) -> Iterator[tuple[Array, str, float]]:
    """Forces of other laws along the fitted motion, each of size 1 at its greatest."""
    path = fit.rollout.path(fit.coordinates, fit.states)[:, :-1]
    joints = path.shape[2] // 2
    travel, speed = path[..., joint], path[..., joints + joint]
    fastest = float(np.abs(speed).max())
    if fastest <= 0:
        return
    relative = speed / fastest
    sign = np.tanh(relative / _SLOW)
    kinds = {one.kind for one in fit.rollout.mechanism.table.parameters if one.target == name}
    laws = {
        "viscous friction": relative if "damping" not in kinds else None,
        "Coulomb friction": sign if "friction" not in kinds else None,
        "friction that rises with the square of the speed": relative * np.abs(relative),
        "friction that is greater in slow motion": sign * np.exp(-np.abs(relative) / _STRIBECK),
        "a spring": None if "stiffness" in kinds else travel - travel.mean(),
        "a constant force": np.ones_like(travel),
    }
    for law, force in laws.items():
        if force is not None and np.abs(force).max() > 0:
            change = np.zeros_like(fit.grid.forces)
            change[..., joint] = -force / np.abs(force).max()
            yield change, f"{law} acts on {name}", 1.0


def _tested(
    fit: ShootingFit, change: Array, words: str, size: float, options: ShootingOptions
) -> Departure:
    """Result of one test: the change of forces becomes one more parameter, without a prior."""
    rollout, count = fit.rollout, len(fit.coordinates)
    step = _step(fit, change)
    models = rollout.models(fit.coordinates)
    states = np.array([fit.states, fit.states])
    made = rollout.predict(
        models * 2,
        states,
        np.array([1.0, -1.0])[:, None, None, None] * step * change + fit.grid.forces,
    )
    frames = (made.frames[0] - made.frames[1]) / (2 * step)
    ends = (made.ends[0] - made.ends[1]) / (2 * step)
    wider = replace(
        fit.made,
        frames_by_parameters=np.concatenate([fit.made.frames_by_parameters, frames[..., None]], 2),
        ends_by_parameters=np.concatenate([fit.made.ends_by_parameters, ends[..., None]], 2),
    )
    table = rollout.mechanism.table
    root = np.zeros((count + 1, count + 1))
    root[:count, :count] = np.linalg.inv(np.linalg.cholesky(table.prior_covariance))
    away = np.append(fit.coordinates - table.prior_mean, 0.0)
    scale = rollout.state_scale
    system = shooting_system(
        wider,
        fit.residuals,
        fit.grid,
        options.defects[-1] * scale,
        (root, away),
        (scale, np.append(table.prior_std, 1.0)),
    )
    solved = system.solved(0.0)
    if abs(solved.root[count, count]) < _SMALL:
        return Departure(words, 0.0, np.inf)
    return Departure(
        words,
        size * float(solved.step()[0][count]),
        size * float(np.sqrt(solved.covariance[count, count])),
    )


def _step(fit: ShootingFit, change: Array) -> float:
    """How much of a change is tried: it moves joints by a hundredth of the noise or so."""
    models = fit.rollout.models(fit.coordinates)
    forces = np.array([fit.grid.forces, fit.grid.forces + _SMALL * change])
    made = fit.rollout.predict(models * 2, np.array([fit.states, fit.states]), forces)
    moved = np.abs((made.frames[1] - made.frames[0]) / fit.grid.stds).max()
    return float(_SMALL * np.clip(0.01 / max(moved, 1e-300), 1e-3, 1e3))
