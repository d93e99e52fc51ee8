"""Tests of what a fitted model lacks: delays, other laws of friction, springs, constant forces.

Each becomes one more parameter of the linear problem at the fit: to first order a force that
depends on the state is the same force along the fitted motion. It is judged by the noise that the
model with it leaves, its size and how long it lasts (Wald's test; Engle, "Wald, Likelihood Ratio,
and Lagrange Multiplier Tests", 1984): what is lacking makes residuals large and lasting by itself,
and only the model that has it leaves small and short ones. Only the surest counts: others look like
it, and beside it they would be as exact as the linear problem is, which large changes leave.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray
from scipy.stats import t as student

from autourdf_ros.estimation.dynamics.joint_motion_data import JointMotionData
from autourdf_ros.estimation.dynamics.posterior.residual_tests import lasting_noise
from autourdf_ros.estimation.dynamics.posterior.taken_as_exact import (
    Added,
    Changes,
    residuals_with,
    solved_with,
)
from autourdf_ros.estimation.dynamics.shooting.map_fit import fitted_per_joint, recounted
from autourdf_ros.estimation.dynamics.shooting.shooting_fit import ShootingFit
from autourdf_ros.estimation.dynamics.shooting.shooting_options import ShootingOptions
from autourdf_ros.estimation.dynamics.shooting.window_grid import step_forces
from autourdf_ros.estimation.dynamics.shooting.window_rollout import WindowRollout

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
        freedom: Independent records of which the size of the noise is known, less what was fitted.
        counts: Whether it was found to be lacking.
    """

    words: str
    size: float
    std: float
    freedom: float = np.inf
    counts: bool = False

    @property
    def p_value(self) -> float:
        """Probability of a size as large where nothing is lacking; 1 where nothing shows."""
        if not self.std > 0 or not np.isfinite(self.size / self.std):
            return 1.0
        return float(2 * student.sf(abs(self.size / self.std), self.freedom))


def departures(
    fit: ShootingFit,
    data: JointMotionData,
    options: ShootingOptions,
    changes: Changes,
    level: float,
) -> tuple[Departure, ...]:
    """Return the tests' results, of every joint that moves and of the forces' stamps.

    Args:
        fit: The model that is tested.
        data: It was fitted to.
        options: Of the fit.
        changes: By what is taken as exact; what they may feign does not count.
        level: Probability that one counts where nothing is lacking (Bonferroni).

    Returns:
        The results, the surest first.
    """
    rollout = fit.rollout.for_slopes
    tried = [*_delay(rollout, data)]
    for joint, name in enumerate(rollout.mechanism.joints):
        tried += _forces(fit, joint, name)
    found = sorted(
        (
            _tested(fit, words, size, (options, changes), _response(fit, one))
            for one, words, size in tried
        ),
        key=lambda one: one.p_value,
    )
    if found and found[0].p_value < level / len(found):
        found[0] = replace(found[0], counts=True)
    return tuple(found)


def _delay(rollout: WindowRollout, data: JointMotionData) -> Iterator[tuple[Array, str, float]]:
    """Change of the forces by a delay of one step, and its size."""
    if all(motion.forces is None or not motion.forces.any() for motion in data.motions):
        return
    grid, step = rollout.grid, rollout.grid.step
    columns = [rollout.mechanism.joints.index(name) for name in data.joints]
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
    rollout = fit.rollout.for_slopes
    path = rollout.path(fit.coordinates, fit.states)[:, :-1]
    joints = path.shape[2] // 2
    travel, speed = path[..., joint], path[..., joints + joint]
    fastest = float(np.abs(speed).max())
    if fastest <= 0:
        return
    relative = speed / fastest
    sign = np.tanh(relative / _SLOW)
    kinds = {one.kind for one in rollout.mechanism.table.parameters if one.target == name}
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
            change = np.zeros_like(rollout.grid.forces)
            change[..., joint] = -force / np.abs(force).max()
            yield change, f"{law} acts on {name}", 1.0


def _response(fit: ShootingFit, change: Array) -> Added:
    """Derivatives of positions and windows' ends by a change of forces, without a prior."""
    step, rollout = _step(fit, change), fit.rollout.for_slopes
    made = rollout.predict(
        rollout.models(fit.coordinates) * 2,
        np.array([fit.states, fit.states]),
        np.array([1.0, -1.0])[:, None, None, None] * step * change + rollout.grid.forces,
    )
    frames, ends = ((one[0] - one[1]) / (2 * step) for one in (made.frames, made.ends))
    return Added(frames[..., None], ends[..., None], np.array([np.inf]))


def _tested(
    fit: ShootingFit,
    words: str,
    size: float,
    problem: tuple[ShootingOptions, Changes],
    added: Added,
) -> Departure:
    """Result of one test: the change of forces becomes one more parameter, without a prior."""
    (options, changes), count = problem, len(fit.coordinates)
    if abs(solved_with(fit, options, added=added).root[count, count]) < _SMALL:
        return Departure(words, 0.0, np.inf)
    left = replace(fit, residuals=residuals_with(fit, options, added))
    noise, times, freedom = lasting_noise(left, fitted_per_joint(fit, 1))
    solved = solved_with(recounted(fit, times * noise**2), options, changes, added)
    variance = solved.covariance[count, count] + (solved.shifts[count] ** 2).sum()
    step = float(solved.step()[0][count])
    return Departure(words, size * step, size * float(np.sqrt(variance)), freedom)


def _step(fit: ShootingFit, change: Array) -> float:
    """How much of a change is tried: it moves joints by a hundredth of the noise or so."""
    rollout = fit.rollout.for_slopes
    models, forces = rollout.models(fit.coordinates), rollout.grid.forces
    both = np.array([forces, forces + _SMALL * change])
    made = rollout.predict(models * 2, np.array([fit.states, fit.states]), both)
    moved = np.abs((made.frames[1] - made.frames[0]) / fit.grid.stds).max()
    return float(_SMALL * np.clip(0.01 / max(moved, 1e-300), 1e-3, 1e3))
