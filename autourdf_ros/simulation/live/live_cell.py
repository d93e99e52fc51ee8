"""The simulated cell in operation: motors that follow commands, encoders, cameras."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from autourdf_ros.errors import InputError
from autourdf_ros.model.urdf.simulated_robot import SimulatedRobot
from autourdf_ros.simulation.live.command_lookahead import full_values, screen
from autourdf_ros.simulation.live.controller_commands import (
    Reference,
    TrajectoryPoint,
    driven_names,
    position_reference,
    trajectory_reference,
)
from autourdf_ros.simulation.live.force_sensing import ForceOptions, ForceReadings, ForceSensing
from autourdf_ros.simulation.live.held_object import show_held
from autourdf_ros.simulation.live.motor_drive import DriveLimits, advance, at_rest
from autourdf_ros.simulation.random_motion import configurations_near, start_configuration
from autourdf_ros.simulation.simulated_cell import Cell, CellOptions, Image, workspace_of
from autourdf_ros.simulation.truth_file import truth_of
from autourdf_ros.simulation.workspace import Workspace

DEFAULT_REACH = 1.0
NO_FORCES = ForceOptions(efforts=None)
_CONFIGURATIONS = 40  # random ones that the cameras are placed to see


@dataclass(frozen=True)
class MotorOptions:
    """Motors and encoders.

    Attributes:
        velocity_scale: share of the URDF's velocity limits.
        default_velocity: limit where the URDF has none (rad/s or m/s).
        acceleration: limit of rotating joints (rad/s²).
        linear_acceleration: limit of prismatic joints (m/s²).
        encoder_noise: standard deviation of a reading (rad).
        linear_encoder_noise: standard deviation of a reading of a prismatic joint (m).
    """

    velocity_scale: float = 1.0
    default_velocity: float = 1.0
    acceleration: float = 3.0
    linear_acceleration: float = 1.0
    encoder_noise: float = 1e-4
    linear_encoder_noise: float = 1e-5


class LiveCell:
    """A robot with motors, encoders and force sensors among its cameras.

    Times are seconds since the start.

    Three threads may use it at once: one for `advance`, `readings` and `forces`, one for the
    commands, one for `measure`.
    """

    def __init__(
        self,
        robot: SimulatedRobot,
        cell: CellOptions,
        motors: MotorOptions,
        start: Literal["random", "neutral"] = "random",
        seed: int = 0,
        reach: float = DEFAULT_REACH,
        forces: ForceOptions = NO_FORCES,
    ) -> None:
        """Start the cell at rest.

        Args:
            reach: the cameras, which are as near as possible, see all of the robot where every
                joint is within this distance (rad) of its start.
            forces: force sensors, and what the robot holds.

        Raises:
            InputError: the robot cannot stand at its start configuration, or has no such link.
        """
        if forces.held is not None:
            show_held(robot, forces.held)
        self.robot, self._seed, self._workspace = robot, seed, workspace_of(robot, cell)
        streams = np.random.SeedSequence(seed).spawn(4 + cell.cameras)
        motion, placing, encoders, *cameras, sensing = map(np.random.default_rng, streams)
        self._encoder_rng, self._camera_rngs = encoders, cameras
        self._start = _start(self._workspace, start, motion)
        seen = configurations_near(self._workspace, self._start, reach, _CONFIGURATIONS, motion)
        self.cell = Cell(self._workspace, seen, cell, placing)
        self.names = driven_names(robot)
        driven = robot.driven
        self._limits = _limits(robot, motors)
        self._encoder_sigma = np.where(
            _is_prismatic(robot), motors.linear_encoder_noise, motors.encoder_noise
        )[driven]
        self._state = at_rest(self._start[driven])
        self._sensing = ForceSensing(robot, self._limits, forces, sensing)
        self._reference = Reference(np.zeros(1), self._start[driven][None])

    @property
    def is_moving(self) -> bool:
        """Whether any joint has a velocity."""
        return bool(np.any(self._state.velocity != 0))

    def advance(self, time: float) -> None:
        """Run the motors until `time`."""
        self._state = advance(self._state, self._reference, self._limits, time)

    def readings(self) -> tuple[dict[str, float], dict[str, float]]:
        """Return positions and velocities of the actuated joints by name, as encoders read them."""
        state = self._state
        read = state.position + self._encoder_rng.normal(0.0, self._encoder_sigma)
        return (
            dict(zip(self.names, read.tolist(), strict=True)),
            dict(zip(self.names, state.velocity.tolist(), strict=True)),
        )

    def forces(self) -> ForceReadings:
        """Return what the force sensors read."""
        return self._sensing.read(self._state)

    def sensor_pose(self, readings: Mapping[str, float]) -> NDArray[np.float64]:
        """Return the pose (4, 4) of the wrist's sensor, by positions as encoders read them."""
        return self._sensing.sensor_pose(np.array([readings[name] for name in self.names]))

    def follow_trajectory(
        self,
        names: Sequence[str],
        points: Sequence[TrajectoryPoint],
        clock: Callable[[], float],
        start: float | None = None,
    ) -> None:
        """Follow a trajectory, unless its motion is refused.

        Without a start it begins once it is checked, as a controller's does in the cycle that takes
        it up: motors that were late by the check's duration would hurry after the reference, past
        it and back. The motors' last cycle may be long before, where the machine was busy.

        Args:
            names: Of the joints.
            points: Of the trajectory.
            clock: Returns the time (s).
            start: When it begins (s); None: as soon as possible.

        Raises:
            RefusedError: the trajectory is not executed.
        """
        here, now = self._state.position, clock()
        begins = now if start is None else start
        reference = trajectory_reference(self.robot, names, points, here, now, begins)
        self._screen(reference)
        self._reference = reference if start is not None else reference.delayed(clock() - now)

    def go_to(self, positions: Sequence[float]) -> None:
        """Go to positions (D,) of the actuated joints. Raise RefusedError."""
        reference = position_reference(self.robot, positions, self._state.time)
        self._screen(reference)
        self._reference = reference

    def hold(self) -> None:
        """Stop, and stay at the present positions."""
        state = self._state
        self._reference = Reference(np.array([state.time]), state.position[None])

    def measure(self, camera: int) -> tuple[float, Image]:
        """Return the time, and the image of camera number `camera` at that time."""
        state = self._state
        values = full_values(self._workspace, state.position)
        return state.time, self.cell.measure(values, camera, self._camera_rngs[camera])

    def truth(self) -> dict[str, Any]:
        """Return `truth_of` the start configuration, with seed, noise and the cameras' poses.

        `cameras` holds nominal and true pose (4, 4) of every optical frame in the fixed frame.
        `wrench`, `held_object` and `efforts` hold what the force sensors' readings consist of.
        """
        truth = truth_of(self.robot, self._start) | self._sensing.truth()
        pairs = zip(self.cell.cameras, self.cell.true_cameras, strict=True)
        return truth | {
            "start_configuration": truth["reference_configuration"],
            "seed": self._seed,
            "noise": asdict(self.cell.options.noise),
            "cameras": [
                {"nominal": nominal.pose.tolist(), "true": true.pose.tolist()}
                for nominal, true in pairs
            ],
        }

    def _screen(self, reference: Reference) -> None:
        screen(self._workspace, reference, self._state, self._limits)


def random_start(robot: SimulatedRobot, cell: CellOptions, seed: int) -> NDArray[np.float64]:
    """Return the (J,) joint values (rad or m) at which a cell of this seed stands first."""
    stream = np.random.SeedSequence(seed).spawn(1)[0]  # the first one, as the cell takes it
    return start_configuration(workspace_of(robot, cell), np.random.default_rng(stream))


def _start(
    workspace: Workspace, start: Literal["random", "neutral"], rng: np.random.Generator
) -> NDArray[np.float64]:
    if start == "random":
        return start_configuration(workspace, rng)
    obstacle = workspace.obstacle(workspace.robot.neutral)
    if obstacle is not None:
        raise InputError(f"{workspace.robot.urdf}: cannot start in its neutral pose: {obstacle}")
    return workspace.robot.neutral


def _is_prismatic(robot: SimulatedRobot) -> NDArray[np.bool_]:
    return np.array([joint.kind == "prismatic" for joint in robot.joints])


def _limits(robot: SimulatedRobot, motors: MotorOptions) -> DriveLimits:
    velocity = np.array([joint.velocity for joint in robot.joints])
    velocity = np.where(np.isfinite(velocity), velocity, motors.default_velocity)
    acceleration = np.where(_is_prismatic(robot), motors.linear_acceleration, motors.acceleration)
    return DriveLimits(velocity[robot.driven] * motors.velocity_scale, acceleration[robot.driven])
