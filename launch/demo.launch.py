"""Runs the whole chain on a simulated robot cell, on an unused ROS domain.

    ros2 launch autourdf_ros demo.launch.py robot:=panda rviz:=true

It ends with the result, compared with the truth, unless `stay` is true; its exit code is 0 where
there is a model. `autourdf demo` does the same without `ros2 launch`, with the same parameters.
"""

from pathlib import Path

from launch import LaunchContext, LaunchDescription
from launch.actions import (
    DeclareLaunchArgument,
    LogInfo,
    OpaqueFunction,
    SetEnvironmentVariable,
)
from launch.conditions import IfCondition
from launch.substitutions import LaunchConfiguration

from autourdf_ros.ros.launching.joined_node import JoinedNode, found
from autourdf_ros.ros.launching.launch_arguments import (
    autostart_argument,
    lifecycle,
    share,
    whole_number,
)


def private_domain(context: LaunchContext) -> list:
    """Return the domain settings, which keep commands away from any real robot."""
    from autourdf_ros.domain import free_domain, private_environment

    given = LaunchConfiguration("domain").perform(context)
    domain = int(given) if given else free_domain()
    environment = private_environment(domain)
    names = ("ROS_DOMAIN_ID", "ROS_AUTOMATIC_DISCOVERY_RANGE", "ROS_LOCALHOST_ONLY")
    actions = [
        SetEnvironmentVariable(name, environment[name]) for name in names if name in environment
    ]
    return [*actions, LogInfo(msg=f"simulated cell on ROS_DOMAIN_ID {domain}, this machine only")]


def nodes(context: LaunchContext) -> list[JoinedNode]:
    """Return the four nodes, what follows them to the result, and RViz on request."""
    from autourdf_ros.demo.parameters import FIRST, TRUTH, DemoOptions, node_parameters
    from autourdf_ros.demo.run import new_folder
    from autourdf_ros.model.urdf.robot_library import find_urdf
    from autourdf_ros.model.urdf.simulated_robot import SimulatedRobot

    given = context.launch_configurations
    counts = {name: whole_number(context, name) for name in ("seed", "sequences", "frames")}
    options = DemoOptions(given["robot"], **counts, cameras=whole_number(context, "cameras"))
    robot = SimulatedRobot(find_urdf(options.robot))
    output = new_folder(Path(given["output"]))
    joined = [
        JoinedNode(
            executable=f"{node}_node",
            name=node,
            output="screen",
            parameters=[
                share("config", f"{node}.yaml"),
                *([] if node == "sim_cell" else lifecycle(context)),
                *(str(entry) if isinstance(entry, Path) else entry for entry in more),
            ],
            after=None if node in FIRST else output / TRUTH,
        )
        for node, more in node_parameters(options, robot, output).items()
    ]
    stay = given["stay"] == "true"
    follower = JoinedNode(
        executable="demo_follower",
        output="screen",
        arguments=[str(output), *(["--stay"] if stay else [])],
    )
    rviz = JoinedNode(
        package="rviz2",
        executable="rviz2",
        arguments=["-d", share("rviz", "self_model.rviz")],
        condition=IfCondition(LaunchConfiguration("rviz")),
        without="rviz:=false",
    )
    return found(context, [follower, *joined, rviz])


def generate_launch_description() -> LaunchDescription:
    """Return the arguments, the private domain and the nodes."""
    return LaunchDescription(
        [
            DeclareLaunchArgument(
                "robot",
                default_value="ur5_gripper",
                description="a URDF file, or a name of example-robot-data",
            ),
            DeclareLaunchArgument(
                "output",
                default_value="demo_out",
                description="folder of everything that is written; where it holds something, "
                "the folder NAME_2",
            ),
            DeclareLaunchArgument("seed", default_value="0", description="of everything random"),
            DeclareLaunchArgument(
                "sequences", default_value="2", description="number of sequences to record"
            ),
            DeclareLaunchArgument(
                "frames", default_value="10", description="number of frames of a sequence"
            ),
            DeclareLaunchArgument(
                "cameras", default_value="4", description="number of depth cameras"
            ),
            DeclareLaunchArgument(
                "domain", default_value="", description="ROS_DOMAIN_ID; empty: a free one"
            ),
            DeclareLaunchArgument(
                "rviz",
                default_value="false",
                choices=["true", "false"],
                description="whether to show RViz",
            ),
            DeclareLaunchArgument(
                "stay",
                default_value=LaunchConfiguration("rviz"),
                choices=["true", "false"],
                description="whether all remains after the result, to look at; as rviz by default",
            ),
            autostart_argument(),
            OpaqueFunction(function=private_domain),
            OpaqueFunction(function=nodes),
        ]
    )
