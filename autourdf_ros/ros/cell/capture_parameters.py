"""The parameters of motions and of the capture. All functions raise InputError."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, cast

from autourdf_ros.commanding.session.settings import SessionSettings
from autourdf_ros.commanding.targets.excitation import EXCITATIONS, ExcitationName
from autourdf_ros.errors import InputError
from autourdf_ros.model.limits.motion_limits import FIELDS, JointLimits, Limits, parse_limits
from autourdf_ros.model.limits.urdf_limits import complete_limits
from autourdf_ros.ros.cell.commander import INTERFACES
from autourdf_ros.ros.common.parameters import Parameters

SPEED_RANGE = (0.01, 1.0)


def declare_urdf(parameters: Parameters) -> str:
    """Declare the URDF whose joint limits complete the given ones; empty: none."""
    return parameters.text(
        "urdf", "", "URDF file; its joint limits apply where none are given here; empty: none"
    )


def declare_name(parameters: Parameters, namespace: str) -> str:
    """Declare the name of the robot; by default that of the namespace, or `robot` without one."""
    name = parameters.text(
        "name", "", "of the robot and of its recordings; empty: the node's namespace, or robot"
    )
    return name or namespace.strip("/").replace("/", "_") or "robot"


def declare_limits(parameters: Parameters, urdf: str, where: str) -> dict[str, JointLimits]:
    """Declare the limits of the joints that parameter `joints` names.

    Args:
        parameters: of the node.
        urdf: file that completes the limits (`complete_limits`); empty: none.
        where: name of the node in errors.
    """
    names = parameters.texts("joints", [], "names of the joints that move")
    if not names:
        node = where.rpartition("/")[2]
        raise InputError(
            f"{where}: joints is []; accepted is a list of joint names (of a --params-file, a node "
            f"takes what is below {node}: or /**: only)"
        )
    texts = {
        "lower": "lowest position (rad or m)",
        "upper": "highest position (rad or m)",
        "velocity": "largest velocity (rad/s or m/s)",
        "acceleration": "largest acceleration (rad/s^2 or m/s^2)",
    }
    if names and urdf:
        given = {
            name: {field: parameters.optional(f"{name}.{field}", texts[field]) for field in FIELDS}
            for name in names
        }
        return complete_limits(given, Path(urdf).expanduser(), where)
    entries: dict[str, Any] = {"joints": names}
    for name in names:
        entries[name] = {
            field: parameters.number(f"{name}.{field}", None, texts[field]) for field in FIELDS
        }
    return parse_limits(entries, where)


def declare_efforts(parameters: Parameters, joints: Sequence[str], where: str) -> dict[str, float]:
    """Declare the efforts (N m or N) above which the robot stops; return those that are given."""
    efforts = {}
    for name in joints:
        effort = parameters.optional(
            f"{name}.stop_effort", "effort above which the robot stops (N m or N); not given: none"
        )
        if effort is not None and effort <= 0:
            raise InputError(f"{where}: {name}.stop_effort: is {effort}; accepted is above 0")
        if effort is not None:
            efforts[name] = effort
    return efforts


def declare_home(parameters: Parameters, limits: Limits, where: str) -> dict[str, float]:
    """Declare the target of `~/home` (rad or m by joint); empty where nothing is given."""
    text = (
        "target of ~/home, in the order of joints (rad or m); empty: where the latest recording "
        "began"
    )
    return home_of(parameters.numbers("home", text), limits, where)


def home_of(values: Sequence[float], limits: Limits, where: str) -> dict[str, float]:
    """Return the target of `~/home` by joint. Raise InputError unless it is within the limits."""
    if values and len(values) != len(limits):
        raise InputError(
            f"{where}: home has {len(values)} numbers; accepted is one for each of joints: "
            f"{', '.join(limits)}"
        )
    home = dict(zip(limits, values, strict=False))
    for name, value in home.items():
        limit = limits[name]
        if not limit.lower <= value <= limit.upper:
            raise InputError(
                f"{where}: home is {value} for {name}; accepted is {limit.lower} .. {limit.upper}"
            )
    return home


def refuse_unknown(
    parameters: Parameters, limits: Limits, where: str, file: str = "config/capture.yaml"
) -> None:
    """Refuse values that were given but belong to no parameter; call it after all declarations.

    A misspelt name would leave the default in force. Limits of a joint that `joints` lacks mean
    that somebody expects it to move.

    Args:
        parameters: of the node.
        limits: of the joints that move.
        where: name of the node in errors.
        file: that documents the parameters, for errors.
    """
    accepted = (*FIELDS, "stop_effort", "effort")  # the last is the model's
    for name in parameters.unknown():
        joint, _, field = name.rpartition(".")
        if joint in limits and field not in accepted:
            raise InputError(f"{where}: {name}: unknown; accepted is {', '.join(accepted)}")
        if joint not in limits and field in accepted:
            raise InputError(
                f"{where}: limits of {joint!r}, which is not among joints: {', '.join(limits)}"
            )
        if joint not in limits:
            raise InputError(f"{where}: parameter {name} is unknown; accepted are those of {file}")


def declare_timeouts(parameters: Parameters) -> tuple[float, float]:
    """Declare the longest silence of a joint and of a camera (s); 0: see `Heartbeat`."""
    text = "longest silence of a {} (s); 0: derived from its measured period"
    return (
        parameters.number("joint_state_timeout", 0.0, text.format("joint"), 0.0, 10.0),
        parameters.number("cloud_timeout", 0.0, text.format("camera"), 0.0, 60.0),
    )


def declare_command(parameters: Parameters) -> tuple[str, str]:
    """Declare the interface of the controller, and its topic or action."""
    interface = parameters.text(
        "command_interface", "joint_trajectory", "interface of the controller", tuple(INTERFACES)
    )
    topic = parameters.text(
        "command_topic", "", "topic or action of the controller; empty: the interface's default"
    )
    return interface, topic or INTERFACES[interface]


def declare_following(parameters: Parameters) -> SessionSettings:
    """Declare how motions are made and watched; all other settings keep their defaults."""
    default = SessionSettings()
    number = parameters.number
    return SessionSettings(
        speed=number("speed", default.speed, "share of the velocity limits in use", *SPEED_RANGE),
        still_velocity=number(
            "still_velocity",
            default.still_velocity,
            "velocity below which a joint rests (rad/s)",
            1e-4,
            1,
        ),
        still_window=number(
            "still_window",
            default.still_window,
            "time for which the robot has to stand still (s)",
            0.05,
            10,
        ),
        still_timeout=number(
            "still_timeout",
            default.still_timeout,
            "longest wait for the robot to rest (s)",
            0.5,
            60,
        ),
        view_timeout=number(
            "view_timeout", default.view_timeout, "longest wait for the clouds (s)", 0.5, 60
        ),
        tolerance=number(
            "following_tolerance",
            default.tolerance,
            "largest distance to the command (rad)",
            0.002,
            0.5,
        ),
        lag=number(
            "following_lag",
            default.lag,
            "time by which the robot may lag behind its command (s)",
            0.02,
            2,
        ),
    )


def declare_settings(parameters: Parameters) -> SessionSettings:
    """Declare all settings of a capture session."""
    default = declare_following(parameters)
    number, integer = parameters.number, parameters.integer
    settings = replace(
        default,
        sequences=integer("sequences", default.sequences, "number of sequences to record", 1, 1000),
        frames=integer("frames", default.frames, "number of frames of a sequence", 2, 1000),
        step_min=number(
            "step_min", default.step_min, "smallest step of a joint between frames (rad)", 0.005, 1
        ),
        step_max=number(
            "step_max", default.step_max, "largest step of a joint between frames (rad)", 0.005, 1
        ),
        excitation=cast(
            ExcitationName,
            parameters.text(
                "excitation",
                default.excitation,
                "policy that chooses which joints move next",
                EXCITATIONS,
            ),
        ),
        move_share=number(
            "move_share", default.move_share, "share of the joints that move at random", 0.0, 1.0
        ),
        retakes=integer(
            "retakes",
            default.retakes,
            "number of times that a rejected frame is taken again",
            0,
            100,
        ),
        max_refusals=integer(
            "max_refusals",
            default.max_refusals,
            "refused targets in a row after which it stops",
            1,
            100,
        ),
        target_axis_std=number(
            "target_axis_std",
            default.target_axis_std,
            "standard deviation of all axis directions at which informative targets end (rad)",
            1e-5,
            1.0,
        ),
        target_line_std=number(
            "target_line_std",
            default.target_line_std,
            "standard deviation of all axes across themselves, the same (m)",
            1e-6,
            1.0,
        ),
        seed=integer("seed", default.seed, "seed of the random targets", 0, 2**31 - 1),
    )
    if settings.step_min > settings.step_max:
        raise InputError(
            f"parameter step_min is {settings.step_min}; accepted is at most step_max, "
            f"{settings.step_max}"
        )
    return settings
