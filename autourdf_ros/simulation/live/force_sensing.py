"""Force-torque sensor and joint efforts of the simulated cell, as they are measured."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from autourdf_ros.model.inertial.inertial_parameters import mass_centre_inertia
from autourdf_ros.model.urdf.simulated_robot import SimulatedRobot
from autourdf_ros.simulation.live.driven_dynamics import DrivenDynamics
from autourdf_ros.simulation.live.held_object import HeldObject
from autourdf_ros.simulation.live.motor_drive import DriveLimits, DriveState

Array = NDArray[np.float64]


@dataclass(frozen=True)
class WristOptions:
    """A force-torque sensor.

    Attributes:
        link: It sits where this link is mounted, in the link's frame, and bears the link.
        force_noise: Standard deviation of a force (N): that of level Low of Nadeau et al. 2023.
        torque_noise: Of a torque (N m), likewise.
        bias: (6,) that is added to force (N) and torque (N m).
    """

    link: str
    force_noise: float = 0.05
    torque_noise: float = 0.0025
    bias: tuple[float, ...] = (0.0,) * 6


@dataclass(frozen=True)
class EffortOptions:
    """Joint efforts: shares of a joint's typical effort.

    That is the root mean square of the robot's own efforts, without friction, at random motions
    within all limits.

    Attributes:
        coulomb: Of friction that does not depend on the velocity.
        viscous: Of friction in proportion to it, at a joint's root-mean-square velocity.
        noise: Of the standard deviation of a reading.
    """

    coulomb: float = 0.1
    viscous: float = 0.1
    noise: float = 0.05


@dataclass(frozen=True)
class ForceOptions:
    """What the cell measures of forces.

    Attributes:
        wrist: None: there is no force-torque sensor.
        efforts: None: joints have no efforts.
        held: What the robot holds.
    """

    wrist: WristOptions | None = None
    efforts: EffortOptions | None = field(default_factory=EffortOptions)
    held: HeldObject | None = None


@dataclass(frozen=True)
class ForceReadings:
    """What is measured at one time.

    Attributes:
        efforts: (D,) of the actuated joints (N m or N); None where there are none.
        wrench: (6,) force (N) and torque (N m) of the load on the sensor, about its origin, in its
            frame; None where there is no sensor.
    """

    efforts: Array | None
    wrench: Array | None


_MOTIONS = 200  # random ones that show typical efforts: they are known to about 5 %


class ForceSensing:
    """Measures the forces of a driven robot."""

    def __init__(
        self,
        robot: SimulatedRobot,
        limits: DriveLimits,
        options: ForceOptions,
        rng: np.random.Generator,
    ) -> None:
        """Prepare the sensors. Raise InputError where a link is unknown or does not move.

        Args:
            robot: The robot.
            limits: Of its motors.
            options: What is measured.
            rng: Of noise.
        """
        self._options, self._rng = options, rng
        sensor = None if options.wrist is None else options.wrist.link
        self._dynamics = DrivenDynamics(robot, options.held, sensor)
        self._friction = None
        if options.efforts is not None and DrivenDynamics(robot).has_mass:
            self._friction = JointFriction.of(robot, limits, options.efforts)

    def read(self, state: DriveState) -> ForceReadings:
        """Return what the sensors measure in a state."""
        efforts, wrench = self._dynamics.forces(state.position, state.velocity, state.acceleration)
        friction, wrist = self._friction, self._options.wrist
        measured = None
        if friction is not None:
            measured = efforts + friction.at(state.velocity) + self._rng.normal(0, friction.noise)
        if wrist is None or wrench is None:
            return ForceReadings(measured, None)
        noise = np.repeat([wrist.force_noise, wrist.torque_noise], 3)
        return ForceReadings(measured, wrench + wrist.bias + self._rng.normal(0, noise))

    def sensor_pose(self, position: Array) -> Array:
        """Return the sensor's pose (4, 4) in the fixed frame at positions (D,)."""
        return self._dynamics.sensor_pose(position)

    def truth(self) -> dict[str, Any]:
        """Return what the sensors' readings consist of, for the truth file."""
        found: dict[str, Any] = {}
        wrist, held = self._options.wrist, self._options.held
        if wrist is not None:
            noise = [wrist.force_noise] * 3 + [wrist.torque_noise] * 3
            found["wrench"] = {"link": wrist.link, "noise": noise, "bias": list(wrist.bias)}
        if held is not None:
            mass, centre, inertia = mass_centre_inertia(held.parameters)
            found["held_object"] = {
                "link": held.link,
                "mass": mass,
                "centre_of_mass": centre.tolist(),
                "inertia": inertia.tolist(),
                "parameters": held.parameters.tolist(),
            }
        if self._friction is not None:
            own = self._friction
            found["efforts"] = {
                name: getattr(own, name).tolist() for name in ("coulomb", "viscous", "noise")
            }
        return found


@dataclass(frozen=True)
class JointFriction:
    """What a joint's effort has beside the robot's dynamics; all (D,).

    Attributes:
        coulomb: N m or N.
        viscous: N m s/rad or N s/m.
        noise: Standard deviation of a reading (N m or N).
    """

    coulomb: Array
    viscous: Array
    noise: Array

    @staticmethod
    def of(robot: SimulatedRobot, limits: DriveLimits, options: EffortOptions) -> JointFriction:
        """Return the friction of a robot that holds nothing."""
        typical = _typical_efforts(DrivenDynamics(robot), robot, limits)
        mean = limits.velocity / np.sqrt(3)  # root mean square of velocities up to the limit
        return JointFriction(
            options.coulomb * typical, options.viscous * typical / mean, options.noise * typical
        )

    def at(self, velocity: Array) -> Array:
        """Return the friction (D,) that the motors overcome at velocities (D,)."""
        return np.asarray(self.coulomb * np.sign(velocity) + self.viscous * velocity)


def _typical_efforts(dynamics: DrivenDynamics, robot: SimulatedRobot, limits: DriveLimits) -> Array:
    """(D,) root mean square at random motions within all limits; the same in every cell."""
    rng, driven = np.random.default_rng(0), robot.driven
    low, high = robot.lower[driven], robot.upper[driven]
    found = [
        dynamics.forces(
            rng.uniform(low, high),
            rng.uniform(-limits.velocity, limits.velocity),
            rng.uniform(-limits.acceleration, limits.acceleration),
        )[0]
        for _ in range(_MOTIONS)
    ]
    return np.asarray(np.sqrt(np.mean(np.square(found), axis=0)))
