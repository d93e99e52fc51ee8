"""Monitors a robot with its own model and publishes the model; nothing moves.

    ros2 launch autourdf_ros monitor.launch.py result:=results/my_robot \
        cameras:="[/front/points, /left/points]"

`ros2 service call /monitor/repair std_srvs/srv/Trigger` repairs the reported change, and
`/monitor/rollback` restores the previous model. A monitor that may move its robot for a repair is
not launched, but run with limits of its own (docs/repair.md).
"""

from typing import List  # noqa: UP035 - launch knows only this form of a list's type

from launch import LaunchContext, LaunchDescription
from launch.actions import DeclareLaunchArgument, OpaqueFunction
from launch.substitutions import LaunchConfiguration
from launch_ros.parameter_descriptions import ParameterValue

from autourdf_ros.ros.launching.joined_node import JoinedNode, found
from autourdf_ros.ros.launching.launch_arguments import (
    argument,
    autostart_argument,
    cameras_argument,
    lifecycle,
    publisher,
    publisher_arguments,
    share,
    shared_arguments,
    shared_parameters,
)


def generate_launch_description() -> LaunchDescription:
    """Return the arguments and the nodes."""
    arguments = [
        DeclareLaunchArgument(
            "history",
            default_value="models",
            description="folder of all models, with the current one",
        ),
        DeclareLaunchArgument(
            "result",
            default_value="",
            description="result folder with which an empty history begins",
        ),
        cameras_argument(),
        DeclareLaunchArgument(
            "image_topics",
            default_value="[]",
            description="topics of colour images to watch by, too, as a YAML list",
        ),
        DeclareLaunchArgument(
            "base_frame",
            default_value="base_link",
            description="frame of the model's base; TF connects the cameras to it",
        ),
        DeclareLaunchArgument(
            "policy",
            default_value="ask",
            choices=["ask", "auto"],
            description="whether changes are repaired on ~/repair only, or at once",
        ),
        autostart_argument(),
        *shared_arguments(),
        *publisher_arguments(),
    ]
    return LaunchDescription([*arguments, OpaqueFunction(function=nodes)])


def nodes(context: LaunchContext) -> list[JoinedNode]:
    """Return the monitor and the publisher."""
    images: dict[str, ParameterValue] = {}
    if context.launch_configurations["image_topics"].strip() != "[]":  # no parameter is empty
        images["image_topics"] = argument("image_topics", List[str])  # noqa: UP006
    monitor = JoinedNode(
        executable="monitor_node",
        name="monitor",
        namespace=LaunchConfiguration("namespace"),
        output="screen",
        parameters=[
            share("config", "monitor.yaml"),
            {
                "history": argument("history", str),
                "result": argument("result", str),
                "cameras": argument("cameras", List[str]),  # noqa: UP006
                "base_frame": argument("base_frame", str),
                "policy": argument("policy", str),
                "joint_states_topic": argument("joint_states", str),
                "frame_prefix": argument("frame_prefix", str),
                **images,
            },
            *lifecycle(context),
            *shared_parameters(context),
        ],
    )
    return found(context, [monitor, publisher(context, "history")], paths=["result"])
