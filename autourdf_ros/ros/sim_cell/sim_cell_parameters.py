"""The parameters of the simulated cell."""

from __future__ import annotations

import math
from dataclasses import dataclass, fields
from typing import Literal, cast

from rclpy.node import Node

from autourdf_ros.ros.common.parameters import Parameters
from autourdf_ros.ros.sim_cell.force_parameters import force_options, wrist_frame
from autourdf_ros.ros.sim_cell.wrist_topic import WristFrame
from autourdf_ros.simulation.cameras.noise import REAL_CAMERA, CameraNoise
from autourdf_ros.simulation.live.force_sensing import ForceOptions
from autourdf_ros.simulation.live.live_cell import DEFAULT_REACH, MotorOptions
from autourdf_ros.simulation.simulated_cell import CellOptions

_MOTORS = {
    "velocity_scale": (0.01, 1.0, "Share of the URDF's velocity limits in use."),
    "default_velocity": (0.001, 100.0, "Velocity limit where the URDF has none (rad/s, m/s)."),
    "acceleration": (0.01, 1000.0, "Acceleration limit of revolute joints (rad/s²)."),
    "linear_acceleration": (0.001, 100.0, "Acceleration limit of prismatic joints (m/s²)."),
    "encoder_noise": (0.0, 1.0, "Standard deviation of revolute joints' readings (rad)."),
    "linear_encoder_noise": (0.0, 1.0, "Standard deviation of prismatic joints' readings (m)."),
}
_NOISE = "Part of the depth cameras' noise (see CameraNoise); 0 switches it off."


@dataclass(frozen=True)
class SimCellParameters:
    """Values of all parameters, see config/sim_cell.yaml.

    Attributes:
        robot: URDF file or name.
        seed: of everything random.
        start: where the robot stands at first.
        base_frame: frame of the root link.
        truth_file: JSON file for the truth; empty: none.
        reliable: whether the clouds are reliable.
        camera_rate: clouds a second of every camera (Hz).
        camera_reach: largest distance of joints from their start for which all cameras see the
            whole robot (rad).
        joint_state_rate: joint states a second (Hz).
        images: whether the cameras publish colour images and CameraInfo, too.
        cell: cameras and surroundings.
        motors: limits and noise.
        forces: force sensors, and what the robot holds.
        wrist: topic and frame of the force-torque sensor; None: there is none.
    """

    robot: str
    seed: int
    start: Literal["random", "neutral"]
    base_frame: str
    truth_file: str
    reliable: bool
    camera_rate: float
    camera_reach: float
    joint_state_rate: float
    images: bool
    cell: CellOptions
    motors: MotorOptions
    forces: ForceOptions
    wrist: WristFrame | None


def declare_parameters(node: Node) -> SimCellParameters:
    """Declare all parameters. Raise InputError where a value is not accepted."""
    declare = Parameters(node)
    start = declare.text("start", "random", "Configuration at the start.", ("random", "neutral"))
    reliability = declare.text(
        "reliability", "reliable", "Quality of service of the clouds.", ("reliable", "best_effort")
    )
    forces = force_options(declare)
    return SimCellParameters(
        robot=declare.text(
            "robot", "ur5_gripper", "A URDF file, or the name of one of example-robot-data."
        ),
        seed=declare.integer("seed", 0, "Seed of everything random.", 0, 2**31 - 1),
        start=cast(Literal["random", "neutral"], start),
        base_frame=declare.text("base_frame", "base_link", "Frame of the robot's root link."),
        truth_file=declare.text("truth_file", "", "JSON file for the truth; empty: none."),
        reliable=reliability == "reliable",
        camera_rate=declare.number(
            "camera_rate", 2.0, "Clouds a second of every camera.", 0.05, 60.0
        ),
        camera_reach=declare.number(
            "camera_reach",
            DEFAULT_REACH,
            "Distance of joints from their start up to which cameras see the whole robot (rad).",
            0.0,
            math.pi,
        ),
        joint_state_rate=declare.number(
            "joint_state_rate", 100.0, "Joint states a second.", 1.0, 1000.0
        ),
        images=declare.flag(
            "images", False, "Whether the cameras publish colour images and CameraInfo, too."
        ),
        cell=_cell_options(declare),
        motors=_motor_options(declare),
        forces=forces,
        wrist=wrist_frame(declare, forces.wrist),
    )


def _cell_options(declare: Parameters) -> CellOptions:
    elevation = "elevation of the cameras above the robot's centre (degrees)."
    noise = {
        field.name: declare.number(
            f"noise.{field.name}", getattr(REAL_CAMERA, field.name), _NOISE, 0.0, math.inf
        )
        for field in fields(CameraNoise)
    }
    return CellOptions(
        cameras=declare.integer("cameras", 4, "Depth cameras, evenly around the robot.", 1, 32),
        width=declare.integer("width", 640, "Columns of a cloud.", 16, 4096),
        height=declare.integer("height", 480, "Rows of a cloud.", 16, 4096),
        elevations=(
            declare.number("lowest_elevation", 15.0, f"Lowest {elevation}", -89.0, 89.0),
            declare.number("highest_elevation", 60.0, f"Highest {elevation}", -89.0, 89.0),
        ),
        noise=CameraNoise(**noise),
        ground=declare.flag("ground", True, "Whether the robot stands on the ground."),
        clutter=declare.integer("clutter", 8, "Number of objects around the robot.", 0, 100),
    )


def _motor_options(declare: Parameters) -> MotorOptions:
    values = {
        name: declare.number(name, getattr(MotorOptions, name), text, low, high)
        for name, (low, high, text) in _MOTORS.items()
    }
    return MotorOptions(**values)
