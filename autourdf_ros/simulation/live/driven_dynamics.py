"""Joint efforts and wrist wrenches of a driven robot: inverse dynamics by Pinocchio.

Luh, Walker, Paul, "On-Line Computational Scheme for Mechanical Manipulators", 1980 (the recursive
Newton-Euler algorithm). The motion is the one that the motors drive, so that no contact and no
controller has to be simulated.
"""

from __future__ import annotations

import numpy as np
import pinocchio as pin
from numpy.typing import NDArray

from autourdf_ros.model.urdf.simulated_robot import SimulatedRobot
from autourdf_ros.simulation.live.held_object import HeldObject, bearing_joint
from autourdf_ros.simulation.live.wrist_load import WristLoad, rigid_body

Array = NDArray[np.float64]


class DrivenDynamics:
    """Forces of a robot that moves as its motors drive it, with what it holds.

    Attributes:
        has_mass: Whether any moving link has a mass.
    """

    def __init__(
        self, robot: SimulatedRobot, held: HeldObject | None = None, sensor: str | None = None
    ) -> None:
        """Prepare the model.

        Args:
            robot: The robot, with the masses of its URDF.
            held: What it holds.
            sensor: Link on whose mount a force-torque sensor sits; None: there is none.

        Raises:
            InputError: a link is unknown or does not move.
        """
        self._robot, self._model = robot, robot.model.copy()
        if held is not None:
            joint, placement = bearing_joint(robot, held.link)
            self._model.inertias[joint] += rigid_body(held.parameters, placement)
        self._data = self._model.createData()
        self._load = None if sensor is None else WristLoad(robot, sensor, held)
        self._coupling = _coupling(robot)
        self.has_mass = any(own.mass > 0 for own in list(self._model.inertias)[1:])

    def forces(
        self, position: Array, velocity: Array, acceleration: Array
    ) -> tuple[Array, Array | None]:
        """Return efforts (D,) of the actuated joints (N m or N), and the load's wrench (6,).

        The wrench is what the load exerts on the sensor, about its origin, in its frame.

        Args:
            position, velocity, acceleration: (D,) of the actuated joints.
        """
        values = self._values(position)
        own = pin.rnea(
            self._model,
            self._data,
            self._robot.configuration(values),
            self._coupling @ velocity,
            self._coupling @ acceleration,
        )
        wrench = None if self._load is None else self._load.wrench(self._data)
        return np.asarray(self._coupling.T @ own), wrench

    def sensor_pose(self, position: Array) -> Array:
        """Return the sensor's pose (4, 4) in the fixed frame at positions (D,).

        There has to be a sensor.
        """
        assert self._load is not None
        poses = self._robot.body_poses(self._values(position))
        return np.asarray(poses[self._load.joint] @ self._load.pose)

    def _values(self, position: Array) -> Array:
        values = np.zeros(len(self._robot.joints))
        values[self._robot.driven] = position
        return self._robot.follow_mimics(values)


def _coupling(robot: SimulatedRobot) -> Array:
    """(J, D) velocities of all joints for unit velocities of the actuated ones."""
    still = robot.follow_mimics(np.zeros(len(robot.joints)))
    columns = [robot.follow_mimics(one) - still for one in np.eye(len(robot.joints))[robot.driven]]
    return np.column_stack(columns)
