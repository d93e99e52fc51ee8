"""Plans random motion of all joints at once, in small steps, without collisions."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from autourdf_ros.errors import InputError
from autourdf_ros.model.urdf.simulated_robot import SimulatedRobot
from autourdf_ros.simulation.workspace import Workspace

_ATTEMPTS = 2000
_NEAR = 40  # attempts with all the joints' targets kept, before new ones are drawn


@dataclass(frozen=True)
class StepSize:
    """Step of every joint from frame to frame: uniform between two bounds.

    Attributes:
        low: lower bound for revolute joints (rad), at most an eighth of the joint's range.
        high: upper bound for revolute joints (rad), at most a quarter of the joint's range.
        range_low: lower bound for prismatic joints (share of the range).
        range_high: upper bound for prismatic joints (share of the range).
    """

    low: float = np.radians(4)
    high: float = np.radians(8)
    range_low: float = 0.05
    range_high: float = 0.10

    def bounds(self, robot: SimulatedRobot) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Return smallest (J,) and largest (J,) step of every joint, rad or m."""
        span = robot.upper - robot.lower
        prismatic = np.array([joint.kind == "prismatic" for joint in robot.joints])
        low = np.where(prismatic, self.range_low * span, np.minimum(self.low, span / 8))
        high = np.where(prismatic, self.range_high * span, np.minimum(self.high, span / 4))
        return low, high


DEFAULT_STEP = StepSize()


def start_configuration(workspace: Workspace, rng: np.random.Generator) -> NDArray[np.float64]:
    """Draw values (J,) in the middle of the joints' ranges, at most a quarter turn from neutral.

    Raises:
        InputError: no collision-free configuration was found.
    """
    robot = workspace.robot
    low, high = _middle(robot)
    for attempt in range(_ATTEMPTS):
        # Crowded robots (hands, folded legs) are free near their neutral configuration only.
        wide = 1 - attempt / _ATTEMPTS
        values = robot.neutral + wide * (rng.uniform(low, high) - robot.neutral)
        values = robot.follow_mimics(values)
        if workspace.is_free(values):
            return values
    raise InputError(
        f"{robot.urdf}: no start configuration without collisions found in {_ATTEMPTS} random ones"
    )


def configurations_near(
    workspace: Workspace,
    start: NDArray[np.float64],
    reach: float,
    count: int,
    rng: np.random.Generator,
) -> NDArray[np.float64]:
    """Return `start` and at most `count` random collision-free configurations around it, (C, J).

    Args:
        reach: largest distance (rad) of a joint from its start; prismatic joints are anywhere.
    """
    robot = workspace.robot
    span = np.where([joint.kind == "prismatic" for joint in robot.joints], np.inf, reach)
    low, high = np.maximum(robot.lower, start - span), np.minimum(robot.upper, start + span)
    found = [start]
    for _ in range(_NEAR * count):
        values = robot.follow_mimics(rng.uniform(low, high))
        if workspace.is_free(values):
            found.append(values)
        if len(found) > count:
            break
    return np.stack(found)


def random_walk(
    workspace: Workspace,
    start: NDArray[np.float64],
    frames: int,
    rng: np.random.Generator,
    step: StepSize,
) -> NDArray[np.float64]:
    """Return configurations (frames, J) from `start` on; all joints move in every frame if free.

    Every joint moves towards its own random target, in steps of random size, and draws the next
    target when it arrives. Where the next frame is not free, other targets are drawn.

    Raises:
        InputError: no collision-free step was found.
    """
    robot = workspace.robot
    low, high = step.bounds(robot)
    targets = _targets(robot, start, high, rng)
    path = [start]
    for frame in range(1, frames):
        here = path[-1]
        arrived = np.abs(targets - here) < high
        targets = np.where(arrived, _targets(robot, here, high, rng), targets)
        for attempt in range(_ATTEMPTS):
            if attempt % _NEAR == _NEAR - 1:
                targets = _targets(robot, here, high, rng)
            else:
                # A few joints reverse: the fewer, the longer the others keep their direction.
                chosen = rng.random(len(here)) < (0 if attempt == 0 else 0.3)
                targets = np.where(chosen, _targets(robot, here, high, rng), targets)
            steps = np.sign(targets - here) * rng.uniform(low, high)
            # A crowded robot may have no free step of all its joints: some rest at last.
            resting = rng.random(len(here)) < attempt / _ATTEMPTS - 0.5
            values = here + np.where(resting, 0.0, steps)
            values = robot.follow_mimics(np.clip(values, robot.lower, robot.upper))
            if workspace.is_free(values):
                path.append(values)
                break
        else:
            raise InputError(
                f"{robot.urdf}: no step without collisions found for frame {frame} in "
                f"{_ATTEMPTS} attempts"
            )
    return np.stack(path)


def _targets(
    robot: SimulatedRobot,
    here: NDArray[np.float64],
    high: NDArray[np.float64],
    rng: np.random.Generator,
) -> NDArray[np.float64]:
    """Draw targets (J,) at least one step away, on a side in proportion to its room."""
    below, above = here - robot.lower, robot.upper - here
    down = np.maximum(below - high, 0)
    up = np.maximum(above - high, 0)
    draw = rng.uniform(0, np.maximum(down + up, 1e-12))
    target = np.where(draw < down, here - high - draw, here + high + draw - down)
    return np.clip(target, robot.lower, robot.upper)


def _middle(robot: SimulatedRobot) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    margin = 0.2 * (robot.upper - robot.lower)
    prismatic = np.array([joint.kind == "prismatic" for joint in robot.joints])
    reach = np.where(prismatic, np.inf, np.pi / 2)
    low = np.clip(robot.neutral - reach, robot.lower + margin, robot.upper - margin)
    high = np.clip(robot.neutral + reach, robot.lower + margin, robot.upper - margin)
    return low, high
