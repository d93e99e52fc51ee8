"""Plans the motion that the capture node would command to a simulated robot."""

from __future__ import annotations

from collections import Counter

import numpy as np
from numpy.typing import NDArray

from autourdf_ros.commanding.session.planning import excitation_of
from autourdf_ros.commanding.session.settings import SessionSettings
from autourdf_ros.commanding.targets.excitation import Excitation, ExcitationName
from autourdf_ros.commanding.trajectory import Positions
from autourdf_ros.errors import InputError
from autourdf_ros.model.limits.motion_limits import JointLimits
from autourdf_ros.model.urdf.simulated_robot import SimulatedRobot
from autourdf_ros.simulation.live.command_lookahead import full_values
from autourdf_ros.simulation.workspace import Workspace

_ATTEMPTS = 100  # more than with a controller, since this robot cannot be moved by hand
_BETWEEN = 4  # configurations of a move that must be free, its end included


def captured_paths(
    workspace: Workspace,
    start: NDArray[np.float64],
    sequences: int,
    frames: int,
    *,
    excitation: ExcitationName,
    seed: int,
) -> NDArray[np.float64]:
    """Return configurations (sequences, frames, J), every sequence from `start` (J,) on.

    Targets are drawn as by the capture with its defaults; a target that is not free counts as
    refused.

    Raises:
        InputError: no free target was found.
    """
    targets = excitation_of(
        drawn_limits(workspace.robot), SessionSettings(excitation=excitation, seed=seed)
    )
    paths = []
    for _ in range(sequences):
        targets.start_sequence()
        path = [start]
        for _ in range(1, frames):
            path.append(next_free(workspace, path[-1], targets))
        paths.append(path)
    return np.array(paths)


def next_free(
    workspace: Workspace, here: NDArray[np.float64], targets: Excitation
) -> NDArray[np.float64]:
    """Return the configuration (J,) after `here` (J,); targets that are not free are redrawn.

    Raises:
        InputError: no free target was found.
    """
    driven = workspace.robot.driven
    names = np.array(workspace.robot.names)[driven].tolist()
    current: Positions = dict(zip(names, here[driven].tolist(), strict=True))
    obstacles: Counter[str] = Counter()
    for refusals in range(1, _ATTEMPTS + 1):
        target = targets.next(current)
        values = full_values(workspace, np.array([target[name] for name in names]))
        obstacle = _obstacle(workspace, here, values)
        if obstacle is None:
            return values
        obstacles[obstacle] += 1
        targets.turn(refusals)
    obstacle, times = obstacles.most_common(1)[0]
    raise InputError(
        f"{workspace.robot.urdf}: no free target found in {_ATTEMPTS} attempts; in {times} of them "
        f"{obstacle}; accepted is a robot that can move within its limits"
    )


def _obstacle(
    workspace: Workspace, here: NDArray[np.float64], there: NDArray[np.float64]
) -> str | None:
    """What is in the way from one configuration (J,) to another, as text, or None."""
    shares = np.arange(1, _BETWEEN + 1) / _BETWEEN
    met = (workspace.obstacle(here + share * (there - here)) for share in shares)
    return next((obstacle for obstacle in met if obstacle is not None), None)


def drawn_limits(robot: SimulatedRobot) -> dict[str, JointLimits]:
    """Return the limits of the actuated joints; frames are taken at rest, so speeds are 1."""
    return {
        joint.name: JointLimits(joint.lower, joint.upper, velocity=1.0, acceleration=1.0)
        for joint, driven in zip(robot.joints, robot.driven, strict=True)
        if driven
    }
