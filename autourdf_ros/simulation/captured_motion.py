"""The motion that the capture node would let a simulated robot make."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from autourdf_ros.errors import InputError
from autourdf_ros.motion.excitation import ExcitationName
from autourdf_ros.motion.limits import JointLimits
from autourdf_ros.motion.planning import excitation_of
from autourdf_ros.motion.settings import SessionSettings
from autourdf_ros.motion.trajectory import Positions
from autourdf_ros.simulation.robot import SimulatedRobot
from autourdf_ros.simulation.screening import full_values
from autourdf_ros.simulation.workspace import Workspace

_ATTEMPTS = 100  # a controller is asked less often, but nobody can move this robot by hand
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
    """(sequences, frames, J) configurations, every sequence from `start` (J,) on.

    Drawn as the capture draws them by default; what is not free counts as refused. Raises
    InputError where the robot cannot move on.
    """
    targets = excitation_of(
        _limits(workspace.robot), SessionSettings(excitation=excitation, seed=seed)
    )
    driven = workspace.robot.driven
    names = np.array(workspace.robot.names)[driven].tolist()
    paths = []
    for _ in range(sequences):
        targets.start_sequence()
        here: Positions = dict(zip(names, start[driven].tolist(), strict=True))
        path = [start]
        for frame in range(1, frames):
            for refusals in range(1, _ATTEMPTS + 1):
                target = targets.next(here)
                values = full_values(workspace, np.array([target[name] for name in names]))
                if _is_free(workspace, path[-1], values):
                    break
                targets.turn(refusals)
            else:
                raise InputError(
                    f"{workspace.robot.urdf}: no free target found for frame {frame} in "
                    f"{_ATTEMPTS} attempts of excitation {excitation}"
                )
            here = target
            path.append(values)
        paths.append(path)
    return np.array(paths)


def _is_free(workspace: Workspace, here: NDArray[np.float64], there: NDArray[np.float64]) -> bool:
    shares = np.arange(1, _BETWEEN + 1) / _BETWEEN
    return all(workspace.is_free(here + share * (there - here)) for share in shares)


def _limits(robot: SimulatedRobot) -> dict[str, JointLimits]:
    """Of the driven joints; their speed is of no matter, as frames are taken at rest."""
    return {
        joint.name: JointLimits(joint.lower, joint.upper, velocity=1.0, acceleration=1.0)
        for joint, driven in zip(robot.joints, robot.driven, strict=True)
        if driven
    }
