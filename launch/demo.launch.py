"""Runs the whole chain on a simulated robot cell, on an unused ROS domain.

    ros2 launch autourdf_ros demo.launch.py robot:=panda rviz:=true

`autourdf demo` does the same without `ros2 launch`, and compares the result with the truth.
"""

import tempfile
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

from autourdf_ros.ros.common.launching import JoinedNode, found, share


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
    """Return the four nodes, and RViz on request; the capture has the limits of the URDF."""
    from autourdf_ros.demo.parameters import write_limits
    from autourdf_ros.model.urdf.robot_library import find_urdf
    from autourdf_ros.model.urdf.simulated_robot import SimulatedRobot
    from autourdf_ros.simulation.workspace import ground_height

    name = LaunchConfiguration("robot").perform(context)
    output = Path(LaunchConfiguration("output").perform(context)).resolve()
    robot = SimulatedRobot(find_urdf(name))
    limits = write_limits(Path(tempfile.mkdtemp()), robot)
    capture = {
        "allow_motion": True,
        "autostart": True,
        "recording": str(output / "recordings"),
        "ground_height": ground_height(robot),
    }
    parameters = {
        "sim_cell": [{"robot": name, "truth_file": str(output / "truth.json")}],
        "capture": [str(limits), capture],
        "reconstruction": [
            {"output": str(output / "results"), "name": robot.name, "limits": str(limits)}
        ],
        "publisher": [{"results_root": str(output / "results")}],
    }
    joined = [
        JoinedNode(
            executable=f"{node}_node",
            name=node,
            output="screen",
            parameters=[share("config", f"{node}.yaml"), *more],
        )
        for node, more in parameters.items()
    ]
    rviz = JoinedNode(
        package="rviz2",
        executable="rviz2",
        arguments=["-d", share("rviz", "self_model.rviz")],
        condition=IfCondition(LaunchConfiguration("rviz")),
        without="rviz:=false",
    )
    return found(context, [*joined, rviz])


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
                description="folder of everything that is written",
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
            OpaqueFunction(function=private_domain),
            OpaqueFunction(function=nodes),
        ]
    )
