"""Tests of what a fitted model lacks: delays, other laws of friction, springs, constant forces.

Each law becomes one more parameter for every joint, of the linear problem at the fit: to first
order a force that depends on the state is the same force along the fitted motion. A law is judged
by the noise that the model with it leaves, its size and how long it lasts (Wald's test; Engle,
"Wald, Likelihood Ratio, and Lagrange Multiplier Tests", 1984): what is lacking makes residuals
large and lasting by itself, and only the model that has it leaves small and short ones. All joints
are tested together, for a law that is lacking on one joint is mostly lacking on others, too. Only
the surest counts: others look like it, and beside it they would be as exact as the linear problem
is, which large changes leave.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray
from scipy.stats import f as ratio

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
_SHOWN = 3.0
"""Standard deviations of a law's force on a joint from which the joint is named."""
_KNOWN = {
    "damping": "viscous friction",
    "friction": "Coulomb friction",
    "stiffness": "a spring",
}
"""Laws that a model with a free parameter of this kind has."""
_SMALL = 1e-4
"""Of the forces that act: by which a force is changed to find the sensitivity to it."""


@dataclass(frozen=True)
class Departure:
    """Something that the model may lack.

    Attributes:
        words: What, for a sentence, with the joints where it shows.
        size: Where it shows most: s of a delay, else N m or N at the joint's greatest speed or
            travel.
        std: Of that.
        p_value: Probability of sizes as large where nothing is lacking; 1 where nothing shows.
        counts: Whether it was found to be lacking.
    """

    words: str
    size: float
    std: float
    p_value: float
    counts: bool = False


@dataclass(frozen=True)
class _Lack:
    """Something that may be lacking.

    Attributes:
        law: What it is; of a law of joints, it "acts on" some of them.
        joints: Names, one for each change; empty: it is of no joint.
        changes: (W, S, J) of the forces.
        unit: Of the changes: their size where the parameter is 1.
    """

    law: str
    joints: tuple[str, ...]
    changes: tuple[Array, ...]
    unit: float = 1.0


def departures(
    fit: ShootingFit,
    data: JointMotionData,
    options: ShootingOptions,
    changes: Changes,
    level: float,
) -> tuple[Departure, ...]:
    """Return the tests' results, of all laws and of the forces' stamps.

    Args:
        fit: The model that is tested.
        data: It was fitted to.
        options: Of the fit.
        changes: By what is taken as exact; what they may feign does not count.
        level: Probability that one counts where nothing is lacking (Bonferroni).

    Returns:
        The results, the surest first.
    """
    lacks = [*_delay(fit.rollout.for_slopes, data), *_laws(fit)]
    found = [_tested(fit, one, options, changes) for one in lacks]
    found.sort(key=lambda one: one.p_value)
    if found and found[0].p_value < level / len(found):
        found[0] = replace(found[0], counts=True)
    return tuple(found)


def _delay(rollout: WindowRollout, data: JointMotionData) -> Iterator[_Lack]:
    """Change of the forces by a delay of one step."""
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
    yield _Lack("the forces act later than their stamps", (), (change,), step)


def _laws(fit: ShootingFit) -> Iterator[_Lack]:
    """Forces of other laws along the fitted motion, of size 1 at their greatest."""
    rollout = fit.rollout.for_slopes
    path = rollout.path(fit.coordinates, fit.states)[:, :-1]
    found: dict[str, list[tuple[str, Array]]] = {}
    for joint, name in enumerate(rollout.mechanism.joints):
        for law, force in _forces(fit, path, joint, name).items():
            if np.abs(force).max() > 0:
                change = np.zeros_like(rollout.grid.forces)
                change[..., joint] = -force / np.abs(force).max()
                found.setdefault(law, []).append((name, change))
    for law, own in found.items():
        names, changes = zip(*own, strict=True)
        yield _Lack(law, names, changes)


def _forces(fit: ShootingFit, path: Array, joint: int, name: str) -> dict[str, Array]:
    """Forces (W, S) on a joint by law, where the model has none, of any size; path: (W, S, 2 J)."""
    joints = path.shape[2] // 2
    travel, speed = path[..., joint], path[..., joints + joint]
    fastest = float(np.abs(speed).max())
    if fastest <= 0:
        return {}
    relative = speed / fastest
    sign = np.tanh(relative / _SLOW)
    laws = {
        "viscous friction": relative,
        "Coulomb friction": sign,
        "friction that rises with the square of the speed": relative * np.abs(relative),
        "friction that is greater in slow motion": sign * np.exp(-np.abs(relative) / _STRIBECK),
        "a spring": travel - travel.mean(),
        "a constant force": np.ones_like(travel),
    }
    for one in fit.rollout.mechanism.table.parameters:
        if one.target == name and one.kind in _KNOWN:
            del laws[_KNOWN[one.kind]]
    return laws


def _response(fit: ShootingFit, change: Array) -> tuple[Array, Array]:
    """Derivatives of positions (F, J) and windows' ends (W, 2 J) by a change of forces."""
    step, rollout = _step(fit, change), fit.rollout.for_slopes
    made = rollout.predict(
        rollout.models(fit.coordinates) * 2,
        np.array([fit.states, fit.states]),
        np.array([1.0, -1.0])[:, None, None, None] * step * change + rollout.grid.forces,
    )
    frames, ends = ((one[0] - one[1]) / (2 * step) for one in (made.frames, made.ends))
    return frames, ends


def _tested(fit: ShootingFit, lack: _Lack, options: ShootingOptions, changes: Changes) -> Departure:
    """Result of one test: the changes of forces become parameters without a prior."""
    count, size = len(fit.coordinates), len(lack.changes)
    frames, ends = zip(*(_response(fit, one) for one in lack.changes), strict=True)
    added = Added(np.stack(frames, -1), np.stack(ends, -1), np.full(size, np.inf))
    shown = np.abs(np.diag(solved_with(fit, options, added=added).root)[count:]) > _SMALL
    if not shown.any():
        return Departure(_words(lack, shown), 0.0, np.inf, 1.0)
    added = Added(added.frames[..., shown], added.ends[..., shown], added.stds[shown])
    left = replace(fit, residuals=residuals_with(fit, options, added))
    noise, times, freedom = lasting_noise(left, fitted_per_joint(fit, int(shown.sum())))
    solved = solved_with(recounted(fit, times * noise**2), options, changes, added)
    found = solved.step()[0][count:]
    spread = solved.covariance[count:, count:] + solved.shifts[count:] @ solved.shifts[count:].T
    statistic = float(found @ np.linalg.solve(spread, found)) / len(found)
    stds = np.sqrt(np.diag(spread))
    sure = np.abs(found) / stds
    most, there = int(np.argmax(sure)), np.flatnonzero(shown)
    where = np.isin(np.arange(size), there[sure >= min(_SHOWN, sure[most])])
    return Departure(
        _words(lack, where),
        lack.unit * float(found[most]),
        lack.unit * float(stds[most]),
        float(ratio.sf(statistic, len(found), freedom)),
    )


def _words(lack: _Lack, where: NDArray[np.bool_]) -> str:
    """What is lacking, with the joints where it shows."""
    names = [name for name, is_shown in zip(lack.joints, where, strict=False) if is_shown]
    return f"{lack.law} acts on {' and '.join(names)}" if names else lack.law


def _step(fit: ShootingFit, change: Array) -> float:
    """How much of a change is tried: it moves joints by a hundredth of the noise or so."""
    rollout = fit.rollout.for_slopes
    models, forces = rollout.models(fit.coordinates), rollout.grid.forces
    both = np.array([forces, forces + _SMALL * change])
    made = rollout.predict(models * 2, np.array([fit.states, fit.states]), both)
    moved = np.abs((made.frames[1] - made.frames[0]) / fit.grid.stds).max()
    return float(_SMALL * np.clip(0.01 / max(moved, 1e-300), 1e-3, 1e3))
