"""The last check before a command is sent: it must stay within the limits, whatever planned it."""

from __future__ import annotations

import numpy as np

from autourdf_ros.commanding.trajectory import Positions, Trajectory
from autourdf_ros.errors import InputError
from autourdf_ros.model.limits.motion_limits import Limits

_SLACK = 1.0 + 1e-6


def screen(trajectory: Trajectory, limits: Limits, measured: Positions, tolerance: float) -> None:
    """Check a trajectory before it is sent.

    Args:
        trajectory: the command.
        limits: of its joints.
        measured: positions of the joints now (rad or m).
        tolerance: largest distance (rad or m) from `measured` at which the trajectory may start;
            at most half of a joint's range counts.

    Raises:
        InputError: names the joint and the value at fault.
    """
    names = trajectory.joints
    missing = sorted(set(names) - set(limits))
    if missing:
        raise InputError(f"command for {missing[0]!r}, which has no limits")
    arrays = (trajectory.positions, trajectory.velocities, trajectory.accelerations)
    shape = (len(trajectory.times), len(names))
    if any(array.shape != shape or not np.isfinite(array).all() for array in arrays):
        raise InputError("command with missing or non-finite states")
    if trajectory.times[0] < 0 or (np.diff(trajectory.times) <= 0).any():
        raise InputError("command whose times do not increase")
    if trajectory.velocities[-1].any():
        raise InputError("command that does not end at rest")
    for column, name in enumerate(names):
        limit = limits[name]
        start = measured.get(name, np.nan)
        position = trajectory.positions[:, column]
        allowed = min(tolerance, limit.span / 2)
        if not abs(position[0] - start) <= allowed:
            raise InputError(
                f"command starts {name} at {position[0]:.4f}, but it is at {start:.4f}"
            )
        low, high = min(limit.lower, position[0]), max(limit.upper, position[0])
        if position.min() < low - 1e-9 or position.max() > high + 1e-9:
            raise InputError(
                f"command takes {name} to {position.min():.4f} .. {position.max():.4f}; "
                f"accepted is {limit.lower} .. {limit.upper}"
            )
        for key, values in (
            ("velocity", trajectory.velocities[1:, column]),
            ("acceleration", trajectory.accelerations[:, column]),
        ):
            fastest = float(np.abs(values).max())
            if fastest > getattr(limit, key) * _SLACK:
                raise InputError(
                    f"command moves {name} with {key} {fastest:.4f}; "
                    f"accepted is up to {getattr(limit, key)}"
                )
