"""Watches a robot with its own model and publishes it; nothing moves.

    ros2 launch autourdf_ros monitor.launch.py result:=results/my_robot \
        cameras:="[/front/points, /left/points]"

`ros2 service call /monitor/repair std_srvs/srv/Trigger` repairs what is told to have changed, and
`/monitor/rollback` goes back to the model before. A monitor that may move its robot for a repair
is not launched, but run with limits of its own (docs/repair.md).
"""

from typing import List  # noqa: UP035 - launch knows only this form of a list's type

from launch import LaunchContext, LaunchDescription
from launch.actions import DeclareLaunchArgument, OpaqueFunction
from launch.substitutions import LaunchConfiguration
from launch_ros.parameter_descriptions import ParameterValue

from autourdf_ros.ros.common.launching import JoinedNode, found, share


def argument(name: str, kind: type) -> ParameterValue:
    """The value of a launch argument, of the type that the node's parameter has."""
    return ParameterValue(LaunchConfiguration(name), value_type=kind)


def generate_launch_description() -> LaunchDescription:
    """The arguments and the nodes."""
    arguments = [
        DeclareLaunchArgument(
            "history", default_value="models", description="folder of all models, the current too"
        ),
        DeclareLaunchArgument(
            "result",
            default_value="",
            description="result folder that an empty history begins with",
        ),
        DeclareLaunchArgument(
            "cameras",
            default_value="[/camera_0/points, /camera_1/points]",
            description="topics of the depth cameras' PointCloud2, as a YAML list",
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
        DeclareLaunchArgument(
            "namespace",
            default_value="self_model",
            description="namespace of robot_description, beside the robot's own description",
        ),
        DeclareLaunchArgument(
            "frame_prefix",
            default_value="self_model/",
            description="put before the model's frames, so that two TF trees do not mix",
        ),
    ]
    return LaunchDescription([*arguments, OpaqueFunction(function=nodes)])


def nodes(context: LaunchContext) -> list[JoinedNode]:
    """The monitor and the publisher."""
    monitor = JoinedNode(
        executable="monitor_node",
        name="monitor",
        output="screen",
        parameters=[
            share("config", "monitor.yaml"),
            {
                "history": argument("history", str),
                "result": argument("result", str),
                "cameras": argument("cameras", List[str]),  # noqa: UP006
                "base_frame": argument("base_frame", str),
                "policy": argument("policy", str),
                "frame_prefix": argument("frame_prefix", str),
            },
        ],
    )
    publisher = JoinedNode(
        executable="publisher_node",
        name="publisher",
        namespace=LaunchConfiguration("namespace"),
        output="screen",
        parameters=[
            share("config", "publisher.yaml"),
            {
                "results_root": argument("history", str),
                "frame_prefix": argument("frame_prefix", str),
                "parent_frame": argument("base_frame", str),
            },
        ],
    )
    return found(context, [monitor, publisher], paths=["result"])
