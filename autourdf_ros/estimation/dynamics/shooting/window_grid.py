"""Motions cut into windows of simulator steps, and where the observed stamps lie among them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from autourdf_ros.errors import InputError
from autourdf_ros.estimation.dynamics.joint_motion_data import JointMotion, JointMotionData
from autourdf_ros.estimation.dynamics.shooting.shooting_options import ShootingOptions

Array = NDArray[np.float64]
Index = NDArray[np.int64]

_POINTS = 4  # of the polynomial between steps: its error is of the fourth order of the step


@dataclass(frozen=True)
class WindowGrid:
    """W windows of all motions, and F observed stamps in them; J joints of the mechanism.

    Every motion has a grid of steps from its first stamp on. Stamps need not lie on it: positions
    between steps are those of the cubic through four of them.

    Attributes:
        step: Of the simulator (s).
        splits: Steps for each one of the grid from which the windows' lengths are.
        motion: (W,) number of each window's motion.
        first: (W,) step of its motion at which a window starts.
        length: (W,) steps to the next window, or to the motion's end.
        window: (F,) of each stamp.
        steps: (F, 4) steps within the window, 0 its start, between which a stamp lies.
        weights: (F, 4) of the positions there.
        observed: (F, J) joint values, 0 where not observed.
        stds: (F, J) their standard deviations, infinite where not observed.
        stamps: (F,) s, as observed.
        forces: (W, S, J) generalised forces during each step (N m or N): means of what is held,
            so that its impulse is right where it changes within a step.
        force_stds: (W, J) standard deviations of the mean force over half a window; 0: exact.
    """

    step: float
    splits: int
    motion: Index
    first: Index
    length: Index
    window: Index
    steps: Index
    weights: Array
    observed: Array
    stds: Array
    stamps: Array
    forces: Array
    force_stds: Array

    @property
    def starts(self) -> Index:
        """First window of every motion."""
        return np.flatnonzero(self.first == 0)

    @property
    def joined(self) -> Index:
        """Windows whose end is the start of the next one."""
        return np.flatnonzero(np.diff(self.motion) == 0)

    @property
    def is_observed(self) -> NDArray[np.bool_]:
        """(F, J)."""
        return np.isfinite(self.stds)

    @property
    def noise(self) -> Array:
        """(J,) middle standard deviation of each joint; of unobserved ones that of all others."""
        overall = np.median(self.stds[self.is_observed])
        return np.array(
            [
                np.median(column[np.isfinite(column)]) if np.isfinite(column).any() else overall
                for column in self.stds.T
            ]
        )


def window_grid(
    data: JointMotionData,
    joints: tuple[str, ...],
    step: float,
    options: ShootingOptions,
    splits: int = 1,
) -> WindowGrid:
    """Cut motions into windows.

    Args:
        data: Motions of some or all of the joints.
        joints: J names of the mechanism, the order of what comes back.
        step: Of the simulator (s).
        options: Length of windows.
        splits: The windows are those that a step so many times as long has.

    Raises:
        InputError: the data name an unknown joint, or a motion cannot be used.
    """
    check_motions(data, joints)
    columns = np.array([joints.index(name) for name in data.joints])
    cut = [
        _cut(motion, number, columns, len(joints), step, (splits, options))
        for number, motion in enumerate(data.motions)
    ]
    before = np.cumsum([0, *(len(one.motion) for one in cut)])
    longest = max(one.forces.shape[1] for one in cut)
    forces = [
        np.pad(one.forces, ((0, 0), (0, longest - one.forces.shape[1]), (0, 0))) for one in cut
    ]
    names = ("motion", "first", "length", "steps", "weights", "observed", "stds", "stamps")
    joined: dict[str, Any] = {
        name: np.concatenate([getattr(one, name) for one in cut]) for name in (*names, "force_stds")
    }
    window = np.concatenate([one.window + count for one, count in zip(cut, before, strict=False)])
    return WindowGrid(
        step=step, splits=splits, window=window, forces=np.concatenate(forces), **joined
    )


def check_motions(data: JointMotionData, joints: tuple[str, ...]) -> None:
    """Raise InputError where motions cannot be used with a mechanism of these joints."""
    if unknown := sorted(set(data.joints) - set(joints)):
        raise InputError(
            f"joint motions: joint {unknown[0]!r} is not in the mechanism; it has "
            f"{', '.join(joints)}"
        )
    if not data.motions:
        raise InputError("joint motions: there are none; accepted is one or more")
    for number, motion in enumerate(data.motions):
        where, shape = f"joint motion {number}", (len(motion.stamps), len(data.joints))
        if motion.positions.shape != shape or motion.stds.shape != shape:
            raise InputError(
                f"{where}: positions of shape {motion.positions.shape}, stds of "
                f"{motion.stds.shape}; accepted is {shape}"
            )
        if len(motion.stamps) < _POINTS or not (np.diff(motion.stamps) > 0).all():
            raise InputError(f"{where}: accepted are {_POINTS} or more stamps in rising order")
        seen = np.isfinite(motion.positions)
        if not seen.any():
            raise InputError(f"{where}: no joint value is finite; accepted are some")
        if not (np.isfinite(motion.stds[seen]) & (motion.stds[seen] > 0)).all():
            raise InputError(f"{where}: stds are not all above 0; accepted are finite ones above 0")
        _check_forces(motion, where, len(data.joints))


def _check_forces(motion: JointMotion, where: str, joints: int) -> None:
    if motion.forces is None:
        return
    stamps = motion.force_stamps
    if stamps is None or motion.forces.shape != (len(stamps), joints):
        raise InputError(
            f"{where}: forces of shape {motion.forces.shape} with "
            f"{'no' if stamps is None else len(stamps)} stamps; accepted is one row a stamp and "
            f"{joints} columns"
        )
    if not np.isfinite(motion.forces).all() or not (np.diff(stamps) > 0).all():
        raise InputError(f"{where}: accepted are finite forces with stamps in rising order")


def _cut(
    motion: JointMotion,
    number: int,
    columns: Index,
    joints: int,
    step: float,
    lengths: tuple[int, ShootingOptions],
) -> WindowGrid:
    """One motion's windows, of equal lengths but for the last."""
    splits, options = lengths
    at = (motion.stamps - motion.stamps[0]) / step
    whole = max(int(np.ceil(at[-1] / splits - 1e-9)), _POINTS - 1)
    count = int(np.clip(len(at) // options.frames, 1, options.windows))
    longest = splits * max(int(np.ceil(whole / count)), min(_POINTS - 1, whole))
    total = splits * whole
    first = np.arange(0, total, longest)
    length = np.minimum(longest, total - first)
    window = np.minimum((at / longest).astype(int), len(first) - 1)
    within = at - first[window]
    base = np.clip(np.floor(within).astype(int) - 1, 0, max(longest - _POINTS + 1, 0))
    steps = base[:, None] + np.arange(_POINTS)
    observed = np.zeros((len(at), joints))
    stds = np.full((len(at), joints), np.inf)
    seen = np.isfinite(motion.positions)
    observed[:, columns] = np.where(seen, motion.positions, 0.0)
    stds[:, columns] = np.where(seen, motion.stds, np.inf)
    forces = np.zeros((len(first) * longest, joints))
    forces[:, columns] = step_forces(motion, len(forces), step)
    return WindowGrid(
        step,
        splits,
        np.full(len(first), number),
        first,
        length,
        window,
        steps,
        _lagrange(within - base),
        observed,
        stds,
        motion.stamps,
        forces.reshape(len(first), longest, joints),
        _half_stds(motion, columns, length * step, joints),
    )


def _half_stds(motion: JointMotion, columns: Index, times: Array, joints: int) -> Array:
    """(W, J) standard deviations of mean forces over halves of windows that last `times` (W,)."""
    found = np.zeros((len(times), joints))
    if motion.force_stds is not None and motion.force_stamps is not None:
        apart = float(np.median(np.diff(motion.force_stamps)))
        found[:, columns] = motion.force_stds * np.sqrt(2 * apart / times)[:, None]
    return found


def step_forces(motion: JointMotion, count: int, step: float, delay: float = 0.0) -> Array:
    """Return the mean forces (count, J) during each step from the motion's first stamp on.

    Args:
        motion: With forces that are held from stamp to stamp, the last one for good.
        count: Steps.
        step: s.
        delay: How much later the forces act than stamped (s).
    """
    if motion.forces is None or motion.force_stamps is None:
        return np.zeros((count, motion.positions.shape[1]))
    edges = motion.stamps[0] + step * np.arange(count + 1)
    stamps = np.append(motion.force_stamps + delay, np.inf)
    stamps[-1] = max(edges[-1], stamps[-2] + step)
    impulses = np.vstack(
        [np.zeros(motion.forces.shape[1]), np.diff(stamps)[:, None] * motion.forces]
    ).cumsum(0)
    total = np.column_stack([np.interp(edges, stamps, column) for column in impulses.T])
    return np.diff(total, axis=0) / step


def _lagrange(at: Array) -> Array:
    """Weights (F, 4) of values at 0, 1, 2, 3 for the cubic through them at `at` (F,)."""
    weights = np.ones((len(at), _POINTS))
    for own in range(_POINTS):
        for other in range(_POINTS):
            if own != other:
                weights[:, own] *= (at - other) / (own - other)
    return weights
