"""Builds the model of a real robot cell: capture, reconstruction, publisher, and RViz on request.

    ros2 launch autourdf_ros self_model.launch.py limits:=my_robot.yaml \
        cameras:="[/front/points, /left/points]" allow_motion:=true

Nothing starts unless everything that it needs is there, and when one node ends, all end. Nothing
moves unless `allow_motion` is true; then `ros2 service call /capture/start std_srvs/srv/Trigger`
begins a capture, and `/capture/stop` ends it at once.
"""

from typing import List  # noqa: UP035 - launch knows only this form of a list's type

from launch import LaunchContext, LaunchDescription
from launch.actions import DeclareLaunchArgument, OpaqueFunction
from launch.conditions import IfCondition
from launch.substitutions import LaunchConfiguration

from autourdf_ros.ros.launching.joined_node import JoinedNode, found
from autourdf_ros.ros.launching.launch_arguments import (
    TRUTH_VALUES,
    argument,
    autostart_argument,
    cameras_argument,
    given_numbers,
    lifecycle,
    publisher,
    publisher_arguments,
    share,
    shared_arguments,
    shared_parameters,
    topic,
)


def generate_launch_description() -> LaunchDescription:
    """Return the arguments and the nodes."""
    arguments = [
        DeclareLaunchArgument(
            "limits",
            description="YAML file with the joints' limits (see config/robots); the capture node "
            "requires it, and the model adopts it",
        ),
        cameras_argument(),
        DeclareLaunchArgument(
            "base_frame",
            default_value="base_link",
            description="frame of the recorded points, its z up; TF connects the cameras to it",
        ),
        DeclareLaunchArgument(
            "command_interface",
            default_value="joint_trajectory",
            choices=["joint_trajectory", "follow_joint_trajectory", "forward_position"],
            description="kind of controller that moves the robot",
        ),
        DeclareLaunchArgument(
            "command_topic",
            default_value="",
            description="topic or action of that controller; empty: the default of its kind",
        ),
        DeclareLaunchArgument(
            "model",
            default_value="",
            description="result folder or URDF whose links are screened in every motion",
        ),
        DeclareLaunchArgument(
            "allow_motion",
            default_value="false",
            choices=TRUTH_VALUES,
            description="whether the robot may move; otherwise the plan is only published",
        ),
        DeclareLaunchArgument(
            "recordings",
            default_value="recordings",
            description="folder in which recordings are written",
        ),
        DeclareLaunchArgument(
            "results", default_value="results", description="folder in which results are written"
        ),
        DeclareLaunchArgument(
            "name",
            default_value="",
            description="name of the robot, of its recordings and in its URDF; empty: the "
            "namespace, or robot",
        ),
        DeclareLaunchArgument(
            "sequences", default_value="", description="number of sequences; empty: as configured"
        ),
        DeclareLaunchArgument(
            "frames",
            default_value="",
            description="number of frames of a sequence; empty: as configured",
        ),
        autostart_argument(),
        *shared_arguments(),
        *publisher_arguments(),
        DeclareLaunchArgument(
            "rviz", default_value="false", choices=TRUTH_VALUES, description="whether to show RViz"
        ),
    ]
    return LaunchDescription([*arguments, OpaqueFunction(function=nodes)])


def nodes(context: LaunchContext) -> list[JoinedNode]:
    """Return the nodes of a real cell, and RViz on request."""
    capture = JoinedNode(
        executable="capture_node",
        name="capture",
        namespace=LaunchConfiguration("namespace"),
        output="screen",
        remappings=[("joint_states", LaunchConfiguration("joint_states"))],
        parameters=[
            share("config", "capture.yaml"),
            {"model": argument("model", str)},  # before the file, which may override it
            LaunchConfiguration("limits"),
            {
                "cameras": argument("cameras", List[str]),  # noqa: UP006
                "base_frame": argument("base_frame", str),
                "command_interface": argument("command_interface", str),
                "command_topic": argument("command_topic", str),
                "recording": argument("recordings", str),
                "name": argument("name", str),
                **given_numbers(context, ["sequences", "frames"]),
            },
            *lifecycle(context),
            *shared_parameters(context),
            {"allow_motion": argument("allow_motion", bool)},  # no file permits motion
        ],
    )
    reconstruction = JoinedNode(
        executable="reconstruction_node",
        name="reconstruction",
        namespace=LaunchConfiguration("namespace"),
        output="screen",
        parameters=[
            share("config", "reconstruction.yaml"),
            {
                "output": argument("results", str),
                "name": argument("name", str),
                "limits": argument("limits", str),
                "capture_topic": topic(context, "capture/completed"),
                "begun_topic": topic(context, "capture/begun"),
            },
            *lifecycle(context),
            *shared_parameters(context),
        ],
    )
    rviz = JoinedNode(
        package="rviz2",
        executable="rviz2",
        arguments=["-d", share("rviz", "self_model.rviz"), "-f", LaunchConfiguration("base_frame")],
        condition=IfCondition(LaunchConfiguration("rviz")),
        without="rviz:=false",
    )
    return found(
        context, [capture, reconstruction, publisher(context, "results"), rviz], paths=["model"]
    )
