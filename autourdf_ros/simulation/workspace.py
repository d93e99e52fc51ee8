"""Collision-free configurations of a robot: within limits, free of itself and the ground."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from autourdf_ros.model.urdf.simulated_robot import SimulatedRobot

# Of a limit (rad or m) and of the ground (m): encoders read slightly beyond a joint's position.
_TOLERANCE = 5e-4
_LEGS = 0.05  # share of the robot's size
_CONFIGURATIONS = 20


class Workspace:
    """A robot on its ground; without ground it can collide with itself only.

    Attributes:
        robot: as simulated.
        ground: height (m) of the ground in the fixed frame, or None.
    """

    def __init__(self, robot: SimulatedRobot, ground: float | None = None) -> None:
        self.robot, self.ground = robot, ground

    def obstacle(self, values: NDArray[np.float64]) -> str | None:
        """Return why the robot cannot stand at `values` (J,), as text, or None."""
        return self.beyond_limits(values) or self._self_collision(values) or self._in_ground(values)

    def is_free(self, values: NDArray[np.float64]) -> bool:
        """Return whether the robot can stand at `values` (J,)."""
        return self.obstacle(values) is None

    def beyond_limits(self, values: NDArray[np.float64]) -> str | None:
        """Return which joint of `values` (J,) is beyond its limits, as text, or None."""
        for joint, value in zip(self.robot.joints, values, strict=True):
            if not np.isfinite(value):
                return f"joint '{joint.name}' at {value}"
            inside = joint.lower - _TOLERANCE <= value <= joint.upper + _TOLERANCE
            if joint.kind != "continuous" and not inside:
                return (
                    f"joint '{joint.name}' at {value:.4f}, outside its limits "
                    f"[{joint.lower:.4f}, {joint.upper:.4f}]"
                )
        return None

    def _self_collision(self, values: NDArray[np.float64]) -> str | None:
        pair = self.robot.colliding_links(values)
        return None if pair is None else f"'{pair[0]}' collides with '{pair[1]}'"

    def _in_ground(self, values: NDArray[np.float64]) -> str | None:
        if self.ground is None:
            return None
        lowest = float(self.robot.vertices(values, moving=True)[:, 2].min(initial=np.inf))
        if lowest >= self.ground - _TOLERANCE:
            return None
        return f"the robot reaches {1000 * (self.ground - lowest):.0f} mm into the ground"


def ground_height(robot: SimulatedRobot) -> float:
    """Return the height (m) of the ground that the robot stands on, in the fixed frame.

    It is the height of the fixed body's lowest point, or of parts below it in all configurations
    (wheels). Where the neutral robot is clearly lower than its fixed body (legs), it is the height
    of the robot's lowest point.
    """
    points = robot.vertices(robot.neutral)
    if len(points) == 0:
        return 0.0
    lowest, fixed = float(points[:, 2].min()), robot.surfaces[0]
    base = lowest if fixed is None else float(fixed.vertices[:, 2].min())
    if base - lowest > _LEGS * float(np.ptp(points, axis=0).max()):
        return lowest
    rng = np.random.default_rng(0)
    others = [rng.uniform(robot.lower, robot.upper) for _ in range(_CONFIGURATIONS)]
    heights = [robot.vertices(robot.follow_mimics(values))[:, 2].min() for values in others]
    return min(base, max(lowest, *heights))
