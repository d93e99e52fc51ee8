"""Predicts the motion of a command, and refuses it where it leads into an obstacle."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from autourdf_ros.simulation.live.controller_commands import Reference, RefusedError
from autourdf_ros.simulation.live.motor_drive import DriveLimits, DriveState, advance
from autourdf_ros.simulation.workspace import Workspace

_CYCLE = 0.02  # s
_LONGEST = 300.0  # s
_STEP = 0.01  # rad or m between two configurations that are checked
_ARRIVED = 1e-3  # rad or m


def screen(
    workspace: Workspace, reference: Reference, state: DriveState, limits: DriveLimits
) -> None:
    """Raise RefusedError where `reference` leads out of the limits or into an obstacle.

    It checks the reference's own points, its goal, and the predicted motion of the motors, which
    cut corners of a reference that is faster than their limits.
    """
    for positions in reference.positions:
        obstacle = workspace.beyond_limits(full_values(workspace, positions))
        if obstacle is not None:
            raise RefusedError(f"a point has {obstacle}")
    checked = state.position
    while not _arrived(state, reference):
        state = advance(state, reference, limits, state.time + _CYCLE, _CYCLE)
        if np.abs(state.position - checked).max() > _STEP or _arrived(state, reference):
            checked = state.position
            obstacle = workspace.obstacle(full_values(workspace, checked))
            if obstacle is not None:
                raise RefusedError(f"on the way, {obstacle}")
    # The motion is predicted to near the goal only; from a free goal there is a way back.
    obstacle = workspace.obstacle(full_values(workspace, reference.positions[-1]))
    if obstacle is not None:
        raise RefusedError(f"at its goal, {obstacle}")


def full_values(workspace: Workspace, positions: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the values (J,) of all joints from the positions (D,) of the actuated ones."""
    robot = workspace.robot
    values = np.zeros(len(robot.joints))
    values[robot.driven] = positions
    return robot.follow_mimics(values)


def _arrived(state: DriveState, reference: Reference) -> bool:
    if state.time > reference.times[-1] + _LONGEST:
        raise RefusedError(f"it would take longer than {_LONGEST:g} s")
    distance = np.abs(state.position - reference.positions[-1]).max()
    return bool(state.time >= reference.times[-1] and distance < _ARRIVED)
