"""The parameters of the simulated cell."""

from __future__ import annotations

from dataclasses import fields
from typing import Any

from rcl_interfaces.msg import FloatingPointRange, IntegerRange, ParameterDescriptor
from rclpy.exceptions import ParameterException
from rclpy.node import Node

from autourdf_ros.errors import InputError
from autourdf_ros.simulation.noise import REAL_CAMERA, CameraNoise

# name: (default, lowest, highest, description)
_NUMBERS: dict[str, tuple[int | float, float, float, str]] = {
    "seed": (0, 0, 2**31 - 1, "Seed of everything random."),
    "cameras": (4, 1, 32, "Depth cameras, evenly around the robot."),
    "width": (640, 16, 4096, "Columns of a cloud."),
    "height": (480, 16, 4096, "Rows of a cloud."),
    "lowest_elevation": (15.0, -89.0, 89.0, "Of the cameras above the robot's centre (degrees)."),
    "highest_elevation": (60.0, -89.0, 89.0, "Of the cameras above the robot's centre (degrees)."),
    "camera_rate": (2.0, 0.05, 60.0, "Clouds a second of every camera (Hz)."),
    "clutter": (8, 0, 100, "Things standing on the ground around the robot."),
    "joint_state_rate": (100.0, 1.0, 1000.0, "Joint states a second (Hz)."),
    "velocity_scale": (1.0, 0.01, 1.0, "Share of the URDF's velocity limits that is used."),
    "default_velocity": (1.0, 0.001, 100.0, "Limit where the URDF has none (rad/s, m/s)."),
    "acceleration": (3.0, 0.01, 1000.0, "Limit of revolute joints (rad/s²)."),
    "linear_acceleration": (1.0, 0.001, 100.0, "Limit of prismatic joints (m/s²)."),
    "encoder_noise": (1e-4, 0.0, 1.0, "Standard deviation of revolute joints' readings (rad)."),
    "linear_encoder_noise": (1e-5, 0.0, 1.0, "Standard deviation of prismatic joints' (m)."),
}
# name: (default, accepted values or None for any, description)
_TEXTS: dict[str, tuple[str, tuple[str, ...] | None, str]] = {
    "robot": ("ur5_gripper", None, "A URDF file, or the name of one of example-robot-data."),
    "start": ("random", ("random", "neutral"), "Where the robot stands at first."),
    "base_frame": ("base_link", None, "Frame of the robot's root link and of the calibration."),
    "reliability": ("reliable", ("reliable", "best_effort"), "Quality of service of the clouds."),
    "truth_file": ("", None, "JSON file to write the truth to; empty: none."),
}
_GROUND = "Whether the robot stands on the ground."


def declare_parameters(node: Node) -> dict[str, Any]:
    """Declare all parameters, read-only once set, and return their values by name.

    The noise parameters `noise.*` are those of `CameraNoise`; `noise` among the values is one.
    Raises InputError naming a parameter whose value is not accepted.
    """
    values: dict[str, Any] = {name: _number(node, name, *entry) for name, entry in _NUMBERS.items()}
    for name, (default, accepted, description) in _TEXTS.items():
        listed = f" One of: {', '.join(accepted)}." if accepted else ""
        descriptor = ParameterDescriptor(description=description + listed, read_only=True)
        values[name] = _declare(node, name, default, descriptor)
        if accepted and values[name] not in accepted:
            raise InputError(
                f"parameter {name} is '{values[name]}'; accepted is one of {', '.join(accepted)}"
            )
    descriptor = ParameterDescriptor(description=_GROUND, read_only=True)
    values["ground"] = _declare(node, "ground", True, descriptor)
    description = "Part of the depth cameras' noise; 0 switches it off (see CameraNoise)."
    noise = {
        field.name: _number(
            node, f"noise.{field.name}", getattr(REAL_CAMERA, field.name), 0.0, 1e6, description
        )
        for field in fields(CameraNoise)
    }
    values["noise"] = CameraNoise(**noise)
    return values


def _number(
    node: Node, name: str, default: float, low: float, high: float, description: str
) -> Any:
    """Declare a number; where it is a float, an integer in a YAML file is taken too."""
    whole = isinstance(default, int)
    descriptor = ParameterDescriptor(description=description, read_only=True)
    if whole:
        descriptor.integer_range = [IntegerRange(from_value=int(low), to_value=int(high))]
    else:
        descriptor.floating_point_range = [FloatingPointRange(from_value=low, to_value=high)]
        descriptor.dynamic_typing = True
    value = _declare(node, name, default, descriptor)
    number = isinstance(value, int | float) and not isinstance(value, bool)
    if not number or not low <= value <= high:
        raise InputError(f"parameter {name} is {value!r}; accepted is {low:g} to {high:g}")
    return value if whole else float(value)


def _declare(node: Node, name: str, default: Any, descriptor: ParameterDescriptor) -> Any:
    try:
        return node.declare_parameter(name, default, descriptor).value
    except ParameterException as error:
        raise InputError(f"parameter {name}: {error}") from error
