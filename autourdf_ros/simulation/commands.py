"""Motion commands as the controllers of ros2_control take them, and why they refuse some.

After joint_trajectory_controller and forward_command_controller of ros2_controllers.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray
from scipy.interpolate import CubicHermiteSpline

from autourdf_ros.errors import AutourdfError
from autourdf_ros.simulation.robot import SimulatedRobot
from autourdf_ros.simulation.workspace import Workspace

_PATH_STEP = 0.05  # rad or m between two configurations at which a path is checked
_MOST_CHECKS = 400


class RefusedError(AutourdfError):
    """A motion command that the controller does not carry out; the message says why."""


@dataclass(frozen=True)
class TrajectoryPoint:
    """As in trajectory_msgs: positions and velocities by joint (rad, m, s); time from the start."""

    positions: Sequence[float]
    velocities: Sequence[float]
    time: float


@dataclass(frozen=True)
class Reference:
    """Where the robot should be: splines through (T, D) positions at (T,) times.

    D counts the driven joints. velocities: (T, D), or None for straight lines between the points.
    """

    times: NDArray[np.float64]
    positions: NDArray[np.float64]
    velocities: NDArray[np.float64] | None = None

    def at(self, time: float) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """((D,) position, (D,) velocity) at `time`; at rest before the first and after the last."""
        times, positions = self.times, self.positions
        if time <= times[0] or time >= times[-1]:
            return positions[0 if time <= times[0] else -1], np.zeros(positions.shape[1])
        if self._spline is not None:
            return self._spline(time), self._spline(time, 1)
        place = int(np.searchsorted(times, time)) - 1
        slope = (positions[place + 1] - positions[place]) / (times[place + 1] - times[place])
        return positions[place] + slope * (time - times[place]), slope

    @cached_property
    def _spline(self) -> CubicHermiteSpline | None:
        if self.velocities is None:
            return None
        return CubicHermiteSpline(self.times, self.positions, self.velocities)


def trajectory_reference(
    workspace: Workspace,
    names: Sequence[str],
    points: Sequence[TrajectoryPoint],
    here: NDArray[np.float64],
    now: float,
    start: float,
) -> Reference:
    """Return what a JointTrajectory asks for.

    here: (J,) joint values now. now, start: seconds; `start` is when the trajectory begins.
    Raises RefusedError for unknown or missing joints, times that do not increase, a velocity at
    the end, an end in the past, and a path out of limits or into a collision.
    """
    driven = driven_names(workspace.robot)
    _check_names(names, driven)
    if not points:
        raise RefusedError("the trajectory has no points")
    order = [list(names).index(name) for name in driven]
    for number, point in enumerate(points):
        for field, values in (("positions", point.positions), ("velocities", point.velocities)):
            if len(values) != len(names) and (len(values) or field == "positions"):
                raise RefusedError(
                    f"point {number} has {len(values)} {field} for {len(names)} joints"
                )
    times = start + np.array([point.time for point in points])
    if np.any(np.diff(times) <= 0) or points[0].time < 0:
        raise RefusedError("the times of the points do not increase")
    if times[-1] < now:
        raise RefusedError(f"the trajectory ended {now - times[-1]:.3f} s ago")
    positions = np.array([point.positions for point in points], dtype=np.float64)[:, order]
    velocities = None
    if all(len(point.velocities) for point in points):
        velocities = np.array([point.velocities for point in points], dtype=np.float64)[:, order]
        if np.any(velocities[-1] != 0):
            raise RefusedError("the velocity at the last point is not zero")
    if not np.isfinite(positions).all() or not np.isfinite(velocities or 0).all():
        raise RefusedError("a position or velocity is not a finite number")
    if times[0] > now:
        rest = np.zeros((1, len(driven)))
        times = np.concatenate([[now], times])
        positions = np.concatenate([here[None, workspace.robot.driven], positions])
        velocities = None if velocities is None else np.concatenate([rest, velocities])
    reference = Reference(times, positions, velocities)
    _check_path(workspace, reference, here)
    return reference


def position_reference(
    workspace: Workspace, positions: Sequence[float], here: NDArray[np.float64], now: float
) -> Reference:
    """Return what a position command of a forward controller asks for: be there at once.

    positions: (D,) of the driven joints in their order. here: (J,) joint values now.
    Raises RefusedError for a wrong number, and a path out of limits or into a collision.
    """
    driven = driven_names(workspace.robot)
    if len(positions) != len(driven):
        raise RefusedError(
            f"{len(positions)} positions for {len(driven)} joints ({', '.join(driven)})"
        )
    goal = np.array(positions, dtype=np.float64)
    if not np.isfinite(goal).all():
        raise RefusedError("a position is not a finite number")
    ends = np.stack([here[workspace.robot.driven], goal])
    _check_path(workspace, Reference(np.array([now, now + 1.0]), ends), here)
    return Reference(np.array([now]), goal[None])


def driven_names(robot: SimulatedRobot) -> list[str]:
    """Names of the joints that have a motor, in order; the others follow one of them."""
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


def _check_path(workspace: Workspace, reference: Reference, here: NDArray[np.float64]) -> None:
    span = reference.times[-1] - reference.times[0]
    turns = np.abs(np.diff(reference.positions, axis=0)).max(axis=1, initial=0.0)
    checks = int(np.clip(turns.sum() / _PATH_STEP, 1, _MOST_CHECKS))
    along = reference.times[0] + span * np.arange(1, checks + 1) / checks
    for time in np.unique(np.concatenate([along, reference.times])):
        values = here.copy()
        values[workspace.robot.driven] = reference.at(float(time))[0]
        obstacle = workspace.obstacle(workspace.robot.follow_mimics(values))
        if obstacle is not None:
            raise RefusedError(f"at {time - reference.times[0]:.2f} s of the path, {obstacle}")
