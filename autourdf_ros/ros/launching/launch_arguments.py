"""Arguments of the launch files, and what they give the nodes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from launch import LaunchContext
from launch.actions import DeclareLaunchArgument
from launch.substitutions import LaunchConfiguration, PathJoinSubstitution
from launch_ros.parameter_descriptions import ParameterValue
from launch_ros.substitutions import FindPackageShare

from autourdf_ros.model.limits.motion_limits import limit_entries
from autourdf_ros.ros.launching.joined_node import PACKAGE, JoinedNode

TRUTH_VALUES = ["true", "false"]


def share(*path: str) -> PathJoinSubstitution:
    """Return the path of a file that the package has installed."""
    return PathJoinSubstitution([FindPackageShare(PACKAGE), *path])


def argument(name: str, kind: type) -> ParameterValue:
    """Return the value of a launch argument with the type of a node's parameter."""
    return ParameterValue(LaunchConfiguration(name), value_type=kind)


def cameras_argument() -> DeclareLaunchArgument:
    """Return the argument `cameras`."""
    return DeclareLaunchArgument(
        "cameras",
        default_value="[/camera_0/points, /camera_1/points]",
        description="topics of the depth cameras' PointCloud2, as a YAML list",
    )


def publisher_arguments() -> list[DeclareLaunchArgument]:
    """Return the arguments `description_namespace` and `frame_prefix` of a publisher."""
    return [
        DeclareLaunchArgument(
            "description_namespace",
            default_value="self_model",
            description="namespace of robot_description within that of all nodes, beside the "
            "robot's own description",
        ),
        DeclareLaunchArgument(
            "frame_prefix",
            default_value="self_model/",
            description="is put before the model's frames, so that two TF trees do not mix",
        ),
    ]


def limits_of(context: LaunchContext, name: str) -> dict[str, Any]:
    """Return the joint limits in a launch argument's file as parameters of any node.

    The file names the capture node, which alone would read it. A file that is not there gives none:
    `found` names it.

    Raises:
        InputError: the file holds no limits.
    """
    file = Path(context.launch_configurations[name]).expanduser()
    return _flat(limit_entries(file)) if file.exists() else {}


def _flat(entries: Mapping[str, Any], prefix: str = "") -> dict[str, Any]:
    flat: dict[str, Any] = {}
    for name, value in entries.items():
        flat |= _flat(value, f"{prefix}{name}.") if isinstance(value, Mapping) else {}
        flat |= {} if isinstance(value, Mapping) else {prefix + name: value}
    return flat


def shared_arguments() -> list[DeclareLaunchArgument]:
    """Return the arguments that count for every node of a launch file."""
    return [
        DeclareLaunchArgument(
            "namespace", default_value="", description="namespace of all nodes; empty: none"
        ),
        DeclareLaunchArgument(
            "params_file",
            default_value="",
            description="YAML file of parameters of any of the nodes, which win; empty: none",
        ),
        DeclareLaunchArgument(
            "use_sim_time",
            default_value="false",
            choices=TRUTH_VALUES,
            description="whether the nodes take their time from /clock",
        ),
        DeclareLaunchArgument(
            "joint_states",
            default_value="/joint_states",
            description="topic of the robot's JointState messages",
        ),
    ]


def autostart_argument() -> DeclareLaunchArgument:
    """Return the argument `autostart`."""
    return DeclareLaunchArgument(
        "autostart",
        default_value="true",
        choices=TRUTH_VALUES,
        description="whether the managed nodes configure and activate themselves; otherwise they "
        "wait, unconfigured, for a manager or `ros2 lifecycle set`",
    )


def lifecycle(context: LaunchContext) -> list[dict[str, bool]]:
    """Return what the argument `autostart` gives each managed node."""
    waits = context.launch_configurations["autostart"] != "true"
    return [{"use_lifecycle_manager": True}] if waits else []


def shared_parameters(context: LaunchContext) -> list[Any]:
    """Return what the arguments of all nodes give each of them, after its own parameters."""
    file = context.launch_configurations["params_file"]
    return [{"use_sim_time": argument("use_sim_time", bool)}, *([file] if file else [])]


def topic(context: LaunchContext, name: str) -> str:
    """Return the full name of a topic in the namespace of all nodes."""
    namespace = context.launch_configurations["namespace"].strip("/")
    return "/".join(["", *filter(None, [namespace]), name])


def given_numbers(context: LaunchContext, names: Sequence[str]) -> dict[str, int]:
    """Return the whole numbers among launch arguments that may be empty."""
    given = context.launch_configurations
    return {name: whole_number(context, name) for name in names if given[name].strip()}


def whole_number(context: LaunchContext, name: str) -> int:
    """Return the value of a launch argument. Raise RuntimeError unless it is a positive integer."""
    text = context.launch_configurations[name].strip()
    if not (text.isascii() and text.isdigit()):
        raise RuntimeError(f"nothing is started. {name}:={text}: accepted is a number like 10")
    return int(text)


def publisher(context: LaunchContext, results_root: str) -> JoinedNode:
    """Return a publisher of the results in the folder of a launch argument.

    It needs the arguments `shared_arguments`, `publisher_arguments`, `autostart` and `base_frame`.
    """
    given = context.launch_configurations
    within = [given[name].strip("/") for name in ("namespace", "description_namespace")]
    return JoinedNode(
        executable="publisher_node",
        name="publisher",
        namespace="/".join(filter(None, within)),
        output="screen",
        parameters=[
            share("config", "publisher.yaml"),
            {
                "results_root": argument(results_root, str),
                "frame_prefix": argument("frame_prefix", str),
                "parent_frame": argument("base_frame", str),
                "joint_states_topic": argument("joint_states", str),
                "completed_topic": topic(context, "reconstruction/completed"),
            },
            *lifecycle(context),
            *shared_parameters(context),
        ],
    )
