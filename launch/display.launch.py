"""Looks at a result in RViz, its joints moved by sliders.

ros2 launch autourdf_ros display.launch.py model:=results/20260101_120000_000000
"""

from launch import LaunchDescription
from launch.actions import DeclareLaunchArgument
from launch.conditions import IfCondition
from launch.substitutions import LaunchConfiguration, PathJoinSubstitution
from launch_ros.actions import Node
from launch_ros.parameter_descriptions import ParameterValue
from launch_ros.substitutions import FindPackageShare

PACKAGE = "autourdf_ros"
NAMESPACE = "display"
# A TF tree of its own: on the same network a robot may broadcast frames of the same names.
OWN_TF = [("/tf", "tf"), ("/tf_static", "tf_static")]


def generate_launch_description() -> LaunchDescription:
    """The arguments and the nodes, in a namespace of their own."""
    share = FindPackageShare(PACKAGE)
    return LaunchDescription(
        [
            DeclareLaunchArgument("model", description="result folder of a reconstruction"),
            DeclareLaunchArgument(
                "gui",
                default_value="true",
                choices=["true", "false"],
                description="sliders for the joints; otherwise they stand at their reference",
            ),
            Node(
                package=PACKAGE,
                executable="publisher_node",
                name="publisher",
                namespace=NAMESPACE,
                output="screen",
                parameters=[
                    PathJoinSubstitution([share, "config", "publisher.yaml"]),
                    {
                        "result": ParameterValue(LaunchConfiguration("model"), value_type=str),
                        "publish_failed": True,
                        "joint_states_topic": "joint_states",
                    },
                ],
                remappings=OWN_TF,
            ),
            Node(
                package="joint_state_publisher_gui",
                executable="joint_state_publisher_gui",
                namespace=NAMESPACE,
                condition=IfCondition(LaunchConfiguration("gui")),
            ),
            Node(
                package="rviz2",
                executable="rviz2",
                namespace=NAMESPACE,
                arguments=["-d", PathJoinSubstitution([share, "rviz", "self_model.rviz"])],
                remappings=OWN_TF,
            ),
        ]
    )
