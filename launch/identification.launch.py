"""Starts the node that weighs what the robot holds.

    ros2 launch autourdf_ros identification.launch.py limits:=my_robot.yaml \
        model:=results/my_robot allow_motion:=true
    ros2 action send_goal --feedback /identification/identify autourdf_msgs/action/Identify \
        "{shape: held_object.ply}"

Nothing moves unless `allow_motion` is true and a goal comes; `ros2 service call
/identification/stop std_srvs/srv/Trigger` stops at once, and so does cancelling the goal.
"""

from launch import LaunchContext, LaunchDescription
from launch.actions import DeclareLaunchArgument, OpaqueFunction
from launch.substitutions import LaunchConfiguration

from autourdf_ros.ros.launching.joined_node import JoinedNode, found
from autourdf_ros.ros.launching.launch_arguments import (
    argument,
    limits_of,
    share,
    shared_arguments,
    shared_parameters,
)


def generate_launch_description() -> LaunchDescription:
    """Return the arguments and the node."""
    arguments = [
        DeclareLaunchArgument(
            "limits", description="YAML file with the joints' limits (see config/robots)"
        ),
        DeclareLaunchArgument(
            "model",
            description="result folder or URDF whose links are screened in every motion",
        ),
        DeclareLaunchArgument(
            "base_frame",
            default_value="base_link",
            description="frame that does not move, its z up; TF connects the sensor to it",
        ),
        DeclareLaunchArgument(
            "minimum_height",
            default_value="",
            description="z in base_frame below which no link may go (m), as of the ground that the "
            "robot stands on; empty: none",
        ),
        DeclareLaunchArgument(
            "source",
            default_value="wrench",
            choices=["wrench", "efforts"],
            description="what shows the load: a sensor at the wrist, or the joints' efforts",
        ),
        DeclareLaunchArgument(
            "wrench_topic",
            default_value="/force_torque_sensor_broadcaster/wrench",
            description="WrenchStamped of the sensor",
        ),
        DeclareLaunchArgument(
            "sensor_link",
            default_value="",
            description="link of the model that holds the sensor; empty: the wrenches' frame",
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
            "allow_motion",
            default_value="false",
            choices=["true", "false"],
            description="whether the robot may move; otherwise the plan is only published",
        ),
        DeclareLaunchArgument(
            "payloads",
            default_value="payloads",
            description="folder in which records and payloads are written",
        ),
        *shared_arguments(),
    ]
    return LaunchDescription([*arguments, OpaqueFunction(function=nodes)])


def nodes(context: LaunchContext) -> list[JoinedNode]:
    """Return the identification node."""
    names = (
        *("model", "base_frame", "source", "wrench_topic", "sensor_link", "command_interface"),
        *("command_topic", "payloads"),
    )
    height = context.launch_configurations["minimum_height"]
    lowest = {"minimum_height": argument("minimum_height", float)} if height else {}
    identification = JoinedNode(
        executable="identification_node",
        name="identification",
        namespace=LaunchConfiguration("namespace"),
        remappings=[("joint_states", LaunchConfiguration("joint_states"))],
        output="screen",
        parameters=[
            share("config", "identification.yaml"),
            limits_of(context, "limits"),
            {
                **{name: argument(name, str) for name in names},
                **lowest,
            },
            *shared_parameters(context),
            {"allow_motion": argument("allow_motion", bool)},  # no file permits motion
        ],
    )
    return found(context, [identification], paths=["limits", "model"])
