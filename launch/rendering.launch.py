"""Predicts what a camera sees of the robot; nothing moves.

    ros2 launch autourdf_ros rendering.launch.py model:=OUT camera_info:=/camera_0/camera_info \
        cloud:=/camera_0/points

publishes /rendering/image, depth and mask, and the cloud without the robot on
/rendering/other_points.
"""

from launch import LaunchContext, LaunchDescription
from launch.actions import DeclareLaunchArgument, OpaqueFunction

from autourdf_ros.ros.launching.joined_node import JoinedNode, found
from autourdf_ros.ros.launching.launch_arguments import argument, share


def generate_launch_description() -> LaunchDescription:
    """Return the arguments and the node."""
    arguments = [
        DeclareLaunchArgument("model", description="result folder of the robot"),
        DeclareLaunchArgument(
            "camera_info",
            default_value="/camera_0/camera_info",
            description="topic of the CameraInfo of the camera whose view is predicted",
        ),
        DeclareLaunchArgument(
            "cloud",
            default_value="",
            description="topic of the camera's PointCloud2 to take the robot from",
        ),
        DeclareLaunchArgument(
            "image",
            default_value="",
            description="topic of the camera's Image, depth or colour, to take the robot from",
        ),
        DeclareLaunchArgument(
            "base_frame",
            default_value="base_link",
            description="frame of the model's base; TF connects the camera to it",
        ),
    ]
    return LaunchDescription([*arguments, OpaqueFunction(function=nodes)])


def nodes(context: LaunchContext) -> list[JoinedNode]:
    """Return the node."""
    rendering = JoinedNode(
        executable="rendering_node",
        name="rendering",
        output="screen",
        parameters=[
            share("config", "rendering.yaml"),
            {
                "model": argument("model", str),
                "camera_info_topic": argument("camera_info", str),
                "cloud_topic": argument("cloud", str),
                "image_topic": argument("image", str),
                "base_frame": argument("base_frame", str),
            },
        ],
    )
    return found(context, [rendering], paths=["model"])
