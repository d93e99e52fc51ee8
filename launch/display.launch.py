"""Shows a result in RViz without a robot, with joints moved by sliders or through their ranges.

ros2 launch autourdf_ros display.launch.py model:=results/20260101_120000_000000
"""

from launch import LaunchContext, LaunchDescription
from launch.actions import DeclareLaunchArgument, OpaqueFunction
from launch.conditions import IfCondition
from launch.substitutions import LaunchConfiguration
from launch_ros.parameter_descriptions import ParameterValue

from autourdf_ros.ros.launching.joined_node import JoinedNode, found
from autourdf_ros.ros.launching.launch_arguments import (
    autostart_argument,
    lifecycle,
    share,
)

NAMESPACE = "display"
# A TF tree of its own, since a robot on the network may broadcast frames of the same names.
OWN_TF = [("/tf", "tf"), ("/tf_static", "tf_static")]


def publisher(context: LaunchContext) -> list[JoinedNode]:
    """Return the publisher, which broadcasts TF or leaves it to robot_state_publisher."""
    other = LaunchConfiguration("robot_state_publisher").perform(context) == "true"
    return [
        JoinedNode(
            executable="publisher_node",
            name="publisher",
            namespace=NAMESPACE,
            output="screen",
            parameters=[
                share("config", "publisher.yaml"),
                {
                    "result": ParameterValue(LaunchConfiguration("model"), value_type=str),
                    "publish_failed": True,
                    "publish_tf": not other,
                    "joint_states_topic": "joint_states",
                },
                *lifecycle(context),
            ],
            remappings=OWN_TF,
        )
    ]


def sliders(context: LaunchContext) -> list[JoinedNode]:
    """Return the node that generates the joint states."""
    kind = LaunchConfiguration("sliders").perform(context)
    if kind == "none":
        return []
    if kind == "window":
        package = "joint_state_publisher_gui"
        return [
            JoinedNode(
                package=package,
                executable=package,
                namespace=NAMESPACE,
                without="sliders:=parameters",
            )
        ]
    return [
        JoinedNode(
            executable="slider_node",
            name="sliders",
            namespace=NAMESPACE,
            output="screen",
            parameters=[share("config", "slider.yaml"), {"sweep": kind == "sweep"}],
        )
    ]


def generate_launch_description() -> LaunchDescription:
    """Return the arguments and the nodes, in a namespace of their own."""
    return LaunchDescription(
        [
            DeclareLaunchArgument("model", description="result folder of a reconstruction"),
            DeclareLaunchArgument(
                "sliders",
                default_value="window",
                choices=["window", "parameters", "sweep", "none"],
                description="what moves the joints: a window (joint_state_publisher_gui), the "
                "parameters joints.NAME of /display/sliders, or a slow sweep of every joint in "
                "turn; none leaves them at their reference",
            ),
            DeclareLaunchArgument(
                "robot_state_publisher",
                default_value="false",
                choices=["true", "false"],
                description="whether robot_state_publisher broadcasts TF, and not the publisher",
            ),
            DeclareLaunchArgument(
                "rviz",
                default_value="true",
                choices=["true", "false"],
                description="whether to show RViz; without it for another viewer, as Foxglove",
            ),
            autostart_argument(),
            OpaqueFunction(function=nodes),
        ]
    )


def nodes(context: LaunchContext) -> list[JoinedNode]:
    """Return all nodes, with RViz and the other broadcaster of TF."""
    broadcaster = JoinedNode(
        package="robot_state_publisher",
        executable="robot_state_publisher",
        namespace=NAMESPACE,
        parameters=[{"description_from_topic": True}],
        remappings=OWN_TF,
        condition=IfCondition(LaunchConfiguration("robot_state_publisher")),
        without="robot_state_publisher:=false",
    )
    rviz = JoinedNode(
        package="rviz2",
        executable="rviz2",
        namespace=NAMESPACE,
        arguments=["-d", share("rviz", "self_model.rviz")],
        remappings=OWN_TF,
        condition=IfCondition(LaunchConfiguration("rviz")),
        without="rviz:=false",
    )
    return found(
        context, [*publisher(context), *sliders(context), broadcaster, rviz], paths=["model"]
    )
