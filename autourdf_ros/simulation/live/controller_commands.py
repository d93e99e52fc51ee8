"""Motion commands of ros2_control's controllers, with their reasons for refusal.

After joint_trajectory_controller and forward_command_controller of ros2_controllers.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
from numpy.typing import NDArray
from scipy.interpolate import CubicHermiteSpline

from autourdf_ros.errors import AutourdfError
from autourdf_ros.model.urdf.simulated_robot import SimulatedRobot


class RefusedError(AutourdfError):
    """A motion command that the controller does not execute; the message states why."""


@dataclass(frozen=True)
class TrajectoryPoint:
    """A point as in trajectory_msgs.

    Attributes:
        positions: by joint (rad or m).
        velocities: by joint (rad/s or m/s); may be empty.
        time: from the start (s).
    """

    positions: Sequence[float]
    velocities: Sequence[float]
    time: float


@dataclass(frozen=True)
class Reference:
    """Commanded motion of the D actuated joints: splines through points.

    Attributes:
        times: (T,) seconds.
        positions: (T, D) rad or m.
        velocities: (T, D) rad/s or m/s, or None for straight lines between the points.
    """

    times: NDArray[np.float64]
    positions: NDArray[np.float64]
    velocities: NDArray[np.float64] | None = None

    def at(self, time: float) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Return position (D,) and velocity (D,) at `time`; at rest outside the times."""
        times, positions = self.times, self.positions
        if time <= times[0] or time >= times[-1]:
            return positions[0 if time <= times[0] else -1], np.zeros(positions.shape[1])
        if self._spline is not None:
            return self._spline(time), self._spline(time, 1)
        place = int(np.searchsorted(times, time)) - 1
        slope = (positions[place + 1] - positions[place]) / (times[place + 1] - times[place])
        return positions[place] + slope * (time - times[place]), slope

    def over(
        self, times: NDArray[np.float64]
    ) -> tuple[NDArray[np.float64], NDArray[np.float64]] | None:
        """Return positions and velocities (N, D) at many times; None for straight lines."""
        if self._spline is None:
            return None
        inside = np.clip(times, self.times[0], self.times[-1])
        return self._spline(inside), self._spline(inside, 1)

    def delayed(self, duration: float) -> Reference:
        """Return the same motion, later by a duration (s)."""
        return replace(self, times=self.times + duration)

    @cached_property
    def _spline(self) -> CubicHermiteSpline | None:
        if self.velocities is None:
            return None
        return CubicHermiteSpline(self.times, self.positions, self.velocities)


def trajectory_reference(
    robot: SimulatedRobot,
    names: Sequence[str],
    points: Sequence[TrajectoryPoint],
    here: NDArray[np.float64],
    now: float,
    start: float,
) -> Reference:
    """Return the reference of a JointTrajectory.

    Args:
        here: (D,) positions of the actuated joints now.
        now: seconds.
        start: when the trajectory begins, seconds.

    Raises:
        RefusedError: unknown or missing joints, times that do not increase, a velocity at the end,
            or an end in the past.
    """
    driven = driven_names(robot)
    _check_names(names, driven)
    times = start + _times(points)
    if times[-1] < now:
        raise RefusedError(f"the trajectory ended {now - times[-1]:.3f} s ago")
    order = [list(names).index(name) for name in driven]
    positions = _rows(points, "positions", len(names))[:, order]
    velocities = None
    if all(len(point.velocities) for point in points):
        velocities = _rows(points, "velocities", len(names))[:, order]
        if np.any(velocities[-1] != 0):
            raise RefusedError("the velocity at the last point is not zero")
    if times[0] > now:
        times = np.concatenate([[now], times])
        positions = np.concatenate([here[None], positions])
        if velocities is not None:
            velocities = np.concatenate([np.zeros((1, len(driven))), velocities])
    return Reference(times, positions, velocities)


def position_reference(robot: SimulatedRobot, positions: Sequence[float], now: float) -> Reference:
    """Return the reference of a forward controller's position command: a step.

    Args:
        positions: (D,) of the actuated joints in their order.

    Raises:
        RefusedError: a wrong number of positions.
    """
    driven = driven_names(robot)
    if len(positions) != len(driven):
        raise RefusedError(
            f"{len(positions)} positions for {len(driven)} joints ({', '.join(driven)})"
        )
    goal = np.array(positions, dtype=np.float64)
    if not np.isfinite(goal).all():
        raise RefusedError("a position is not a finite number")
    return Reference(np.array([now]), goal[None])


def driven_names(robot: SimulatedRobot) -> list[str]:
    """Return the names of the actuated joints, in order; the others follow one of them."""
    return [joint.name for joint in robot.joints if joint.mimic is None]


def _check_names(names: Sequence[str], driven: Sequence[str]) -> None:
    listed = ", ".join(driven)
    unknown = [name for name in names if name not in driven]
    if unknown:
        raise RefusedError(f"unknown joint '{unknown[0]}'; the controller's joints are {listed}")
    missing = [name for name in driven if name not in names]
    if missing:
        raise RefusedError(f"joint '{missing[0]}' is missing; the controller's joints are {listed}")
    if len(set(names)) != len(names):
        raise RefusedError("a joint is named twice")


def _times(points: Sequence[TrajectoryPoint]) -> NDArray[np.float64]:
    if not points:
        raise RefusedError("the trajectory has no points")
    times = np.array([point.time for point in points])
    if times[0] < 0 or np.any(np.diff(times) <= 0):
        raise RefusedError("the times of the points do not increase")
    return times


def _rows(points: Sequence[TrajectoryPoint], field: str, columns: int) -> NDArray[np.float64]:
    """Return a field of the points, (T, columns)."""
    for number, point in enumerate(points):
        row = np.asarray(getattr(point, field), dtype=np.float64)
        if len(row) != columns:
            raise RefusedError(f"point {number} has {len(row)} {field} for {columns} joints")
        if not np.isfinite(row).all():
            raise RefusedError(f"point {number} has {field} that are not finite numbers")
    return np.array([getattr(point, field) for point in points], dtype=np.float64)
