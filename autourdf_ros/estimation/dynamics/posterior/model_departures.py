"""Tests of what a fitted model lacks: delays, other laws of friction, springs, constant forces.

Each is a score test: the sensitivity of the motion to what is lacking, at the fit, is compared with
the residuals. To first order a force that depends on the state is the same force along the fitted
motion. (Rao's test; Engle, "Wald, Likelihood Ratio, and Lagrange Multiplier Tests", 1984.) How many
records count as one independent one is seen in what a model with all these changes leaves: what is
lacking makes residuals last, too.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray
from scipy.stats import norm

from autourdf_ros.estimation.dynamics.joint_motion_data import JointMotionData
from autourdf_ros.estimation.dynamics.posterior.residual_tests import correlation_times
from autourdf_ros.estimation.dynamics.posterior.taken_as_exact import (
    Added,
    Changes,
    residuals_with,
    solved_with,
)
from autourdf_ros.estimation.dynamics.shooting.map_fit import recounted
from autourdf_ros.estimation.dynamics.shooting.shooting_fit import ShootingFit
from autourdf_ros.estimation.dynamics.shooting.shooting_options import ShootingOptions
from autourdf_ros.estimation.dynamics.shooting.window_grid import step_forces

Array = NDArray[np.float64]

_SLOW = 0.02
"""Of a joint's greatest speed: below that the sign of its velocity counts less."""
_STRIBECK = 0.2
"""Of a joint's greatest speed: about which the friction of slow motion is looked for."""
_SMALL = 1e-4
"""Of the forces that act: by which a force is changed to find the sensitivity to it."""
_LOOSE = 1e5
"""Prior of all changes together, in steps that move joints by a hundredth of the noise."""


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
    fit: ShootingFit, data: JointMotionData, options: ShootingOptions, changes: Changes
) -> tuple[Departure, ...]:
    """Return the tests' results, of every joint that moves and of the forces' stamps.

    Args:
        fit: The model that is tested.
        data: It was fitted to.
        options: Of the fit.
        changes: By what is taken as exact; what they may feign does not count.
    """
    found = [*_delay(fit, data)]
    for joint, name in enumerate(fit.rollout.mechanism.joints):
        found += _forces(fit, joint, name)
    responses = [_response(fit, change) for change, _, _ in found]
    steps, frames, ends = (np.array(one) for one in zip(*responses, strict=True))
    every = Added(np.moveaxis(frames, 0, -1), np.moveaxis(ends, 0, -1), _LOOSE * steps)
    left = replace(fit, residuals=residuals_with(fit, options, every))
    fit = recounted(fit, correlation_times(left))
    none = np.array([np.inf])
    alone = [
        Added(own[..., None], end[..., None], none) for own, end in zip(frames, ends, strict=True)
    ]
    return tuple(
        _tested(fit, words, size, options, (changes, one))
        for (_, words, size), one in zip(found, alone, strict=True)
    )


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


def _response(fit: ShootingFit, change: Array) -> tuple[float, Array, Array]:
    """How much of a change of forces was tried, and derivatives of positions and windows' ends."""
    step = _step(fit, change)
    made = fit.rollout.predict(
        fit.rollout.models(fit.coordinates) * 2,
        np.array([fit.states, fit.states]),
        np.array([1.0, -1.0])[:, None, None, None] * step * change + fit.grid.forces,
    )
    frames = (made.frames[0] - made.frames[1]) / (2 * step)
    return step, frames, (made.ends[0] - made.ends[1]) / (2 * step)


def _tested(
    fit: ShootingFit,
    words: str,
    size: float,
    options: ShootingOptions,
    problem: tuple[Changes, Added],
) -> Departure:
    """Result of one test: the change of forces becomes one more parameter, without a prior."""
    count, solved = len(fit.coordinates), solved_with(fit, options, *problem)
    if abs(solved.root[count, count]) < _SMALL:
        return Departure(words, 0.0, np.inf)
    return Departure(
        words,
        size * float(solved.step()[0][count]),
        size * float(np.sqrt(solved.covariance[count, count] + (solved.shifts[count] ** 2).sum())),
    )


def _step(fit: ShootingFit, change: Array) -> float:
    """How much of a change is tried: it moves joints by a hundredth of the noise or so."""
    models = fit.rollout.models(fit.coordinates)
    forces = np.array([fit.grid.forces, fit.grid.forces + _SMALL * change])
    made = fit.rollout.predict(models * 2, np.array([fit.states, fit.states]), forces)
    moved = np.abs((made.frames[1] - made.frames[0]) / fit.grid.stds).max()
    return float(_SMALL * np.clip(0.01 / max(moved, 1e-300), 1e-3, 1e3))
