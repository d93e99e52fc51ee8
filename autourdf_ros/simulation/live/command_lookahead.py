"""Predicts the motion of a command, and refuses it where it leads into an obstacle."""

from __future__ import annotations

from collections.abc import Iterator

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
    for positions in _way(reference, state, limits):
        if np.abs(positions - checked).max() > _STEP:
            checked = positions
            obstacle = workspace.obstacle(full_values(workspace, checked))
            if obstacle is not None:
                raise RefusedError(f"on the way, {obstacle}")
    # The motion is predicted to near the goal only; from a free goal there is a way back.
    obstacle = workspace.obstacle(full_values(workspace, reference.positions[-1]))
    if obstacle is not None:
        raise RefusedError(f"at its goal, {obstacle}")


def _way(
    reference: Reference, state: DriveState, limits: DriveLimits
) -> Iterator[NDArray[np.float64]]:
    """Yield positions (D,) of the motors from now until they are near the goal.

    Motors that can hold a reference within their limits are where it is. That is known at once: a
    controller that takes long to begin is taken for one that refuses.
    """
    if reference.times[-1] < state.time + _LONGEST:
        times = np.arange(state.time, reference.times[-1] + _CYCLE, _CYCLE)
        held = reference.over(times)
        if held is not None and _can_hold(*held, state, limits):
            yield from held[0]
            return
    while not _arrived(state, reference):
        state = advance(state, reference, limits, state.time + _CYCLE, _CYCLE)
        yield state.position


def _can_hold(
    positions: NDArray[np.float64],
    velocities: NDArray[np.float64],
    state: DriveState,
    limits: DriveLimits,
) -> bool:
    """Return whether motors follow (N, D) positions and velocities of as many cycles."""
    accelerations = np.diff(velocities, axis=0) / _CYCLE
    return bool(
        np.abs(positions[0] - state.position).max() < _ARRIVED
        and np.abs(velocities[0] - state.velocity).max() < _ARRIVED
        and (np.abs(velocities) <= limits.velocity).all()
        and (np.abs(accelerations) <= limits.acceleration).all()
    )


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
