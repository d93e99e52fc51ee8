"""What hangs on a force-torque sensor in a simulated robot's wrist."""

from __future__ import annotations

import numpy as np
import pinocchio as pin
from numpy.typing import NDArray

from autourdf_ros.model.inertial.inertial_parameters import parameters_from
from autourdf_ros.model.urdf.described_robot import DescribedRobot
from autourdf_ros.model.urdf.simulated_robot import SimulatedRobot
from autourdf_ros.model.urdf.urdf_reading import read_description
from autourdf_ros.simulation.live.held_object import HeldObject, bearing_joint, link_placement

Array = NDArray[np.float64]


class WristLoad:
    """A link with all that it bears; the sensor sits where the link is mounted.

    Attributes:
        joint: Pinocchio's joint that moves the sensor.
        pose: (4, 4) of the sensor's frame, which is the link's, in the joint's frame.
        rigid: The link, what is fixed to it, and an object that it holds, in the joint's frame.
        beyond: Joints that move further links against these.
    """

    def __init__(self, robot: SimulatedRobot, link: str, held: HeldObject | None = None) -> None:
        """Find what the link bears. Raise InputError where the link does not move."""
        self.joint, self.pose = bearing_joint(robot, link)
        described = read_description(robot.urdf)
        fixed = _fixed_to(described, link, set(robot.links[self.joint]))
        self.rigid = pin.Inertia.Zero()
        for own in described.links:
            if own.name in fixed and own.inertial is not None and own.inertial.mass > 0:
                turn, place = own.inertial.pose[:3, :3], own.inertial.pose[:3, 3]
                tensor = turn @ own.inertial.tensor @ turn.T
                stated = parameters_from(own.inertial.mass, place, tensor)
                self.rigid += rigid_body(stated, link_placement(robot, own.name))
        if held is not None and held.link in fixed:
            self.rigid += rigid_body(held.parameters, link_placement(robot, held.link))
        self.beyond = [
            robot.model.getJointId(joint.name)
            for joint in described.joints
            if joint.parent in fixed and robot.model.existJointName(joint.name)
        ]

    def wrench(self, data: pin.Data) -> Array:
        """Return force (N) and torque (N m) of the load on the sensor, in the sensor's frame.

        Args:
            data: After `pin.rnea`, which leaves velocities, accelerations and forces in it.
        """
        speed, rise = data.v[self.joint], data.a_gf[self.joint]
        needed = self.rigid * rise + speed.cross(self.rigid * speed)
        for joint in self.beyond:
            needed += data.liMi[joint].act(data.f[joint])
        return -np.asarray(pin.SE3(self.pose).actInv(needed).vector)


def rigid_body(parameters: Array, placement: Array) -> pin.Inertia:
    """Return Pinocchio's inertia of parameters (10,), moved by a pose (4, 4)."""
    return pin.SE3(placement).act(pin.Inertia.FromDynamicParameters(parameters))


def _fixed_to(described: DescribedRobot, link: str, body: set[str]) -> set[str]:
    """Links of a body that a link bears, and itself."""
    found, size = {link}, 0
    while len(found) > size:
        size = len(found)
        found |= {
            one.child for one in described.joints if one.parent in found and one.child in body
        }
    return found
