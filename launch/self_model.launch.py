"""A real robot cell describes itself: capture, reconstruction, publisher, and RViz if wanted.

    ros2 launch autourdf_ros self_model.launch.py limits:=my_robot.yaml \
        cameras:="[/front/points, /left/points]" allow_motion:=true

Nothing starts unless all is there that it needs, and the end of one node is the end of all.
Nothing moves unless `allow_motion` is true; then `ros2 service call /capture/start
std_srvs/srv/Trigger` begins, and `/capture/stop` ends it at once.
"""

from typing import List  # noqa: UP035 - launch knows only this form of a list's type

from launch import LaunchContext, LaunchDescription
from launch.actions import DeclareLaunchArgument, OpaqueFunction
from launch.conditions import IfCondition
from launch.substitutions import LaunchConfiguration
from launch_ros.parameter_descriptions import ParameterValue

from autourdf_ros.ros.common.launching import JoinedNode, found, share

TRUTH_VALUES = ["true", "false"]


def argument(name: str, kind: type) -> ParameterValue:
    """The value of a launch argument, of the type that the node's parameter has."""
    return ParameterValue(LaunchConfiguration(name), value_type=kind)


def generate_launch_description() -> LaunchDescription:
    """The arguments and the nodes."""
    arguments = [
        DeclareLaunchArgument(
            "limits",
            description="YAML file with the joints' limits (see config/robots); "
            "the capture node does not start without it; the model gets them",
        ),
        DeclareLaunchArgument(
            "cameras",
            default_value="[/camera_0/points, /camera_1/points]",
            description="topics of the depth cameras' PointCloud2, as a YAML list",
        ),
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
            description="topic or action of that controller; empty: the usual one of its kind",
        ),
        DeclareLaunchArgument(
            "model",
            default_value="",
            description="result folder or URDF with whose links every motion is screened",
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
            description="folder below which recordings are written",
        ),
        DeclareLaunchArgument(
            "results", default_value="results", description="folder below which results are written"
        ),
        DeclareLaunchArgument(
            "name",
            default_value="",
            description="name of the robot in its URDF; empty: the recording's",
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
        DeclareLaunchArgument(
            "rviz", default_value="false", choices=TRUTH_VALUES, description="whether to show RViz"
        ),
    ]
    return LaunchDescription([*arguments, OpaqueFunction(function=nodes)])


def nodes(context: LaunchContext) -> list[JoinedNode]:
    """The nodes; those of a real cell, and RViz if wanted."""
    capture = JoinedNode(
        executable="capture_node",
        name="capture",
        output="screen",
        parameters=[
            share("config", "capture.yaml"),
            {"model": argument("model", str)},  # before the file, so that its own holds
            LaunchConfiguration("limits"),
            {
                "allow_motion": argument("allow_motion", bool),
                "cameras": argument("cameras", List[str]),  # noqa: UP006
                "base_frame": argument("base_frame", str),
                "command_interface": argument("command_interface", str),
                "command_topic": argument("command_topic", str),
                "recording": argument("recordings", str),
            },
        ],
    )
    reconstruction = JoinedNode(
        executable="reconstruction_node",
        name="reconstruction",
        output="screen",
        parameters=[
            share("config", "reconstruction.yaml"),
            {
                "output": argument("results", str),
                "name": argument("name", str),
                "limits": argument("limits", str),
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
                "results_root": argument("results", str),
                "frame_prefix": argument("frame_prefix", str),
                "parent_frame": argument("base_frame", str),
            },
        ],
    )
    rviz = JoinedNode(
        package="rviz2",
        executable="rviz2",
        arguments=["-d", share("rviz", "self_model.rviz"), "-f", LaunchConfiguration("base_frame")],
        condition=IfCondition(LaunchConfiguration("rviz")),
        without="rviz:=false",
    )
    return found(context, [capture, reconstruction, publisher, rviz], paths=["model"])
