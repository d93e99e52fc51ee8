"""Swings a simulated cart-pole up with an identified model, on an unused ROS domain.

    ros2 launch autourdf_ros cart_pole.launch.py model:=OUT mjcf:=VIDEO/driven_cart_pole.xml

`ros2 service call /swing_up/start std_srvs/srv/Trigger` begins, with the domain that it names.
"""

from launch import LaunchContext, LaunchDescription
from launch.actions import DeclareLaunchArgument, LogInfo, OpaqueFunction, SetEnvironmentVariable
from launch.substitutions import LaunchConfiguration

from autourdf_ros.ros.launching.joined_node import JoinedNode, found
from autourdf_ros.ros.launching.launch_arguments import argument, share

LIMITS = {"lower": -0.8, "upper": 0.8, "velocity": 4.0, "effort": 10.0, "effort_rate": 400.0}
"""Of the simulated cart (m, m/s, N, N/s): its rail is 1.8 m long, less half the cart."""
HANGING = 3.141592653589793


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
    return [*actions, LogInfo(msg=f"cart-pole on ROS_DOMAIN_ID {domain}, this machine only")]


def nodes(context: LaunchContext) -> list[JoinedNode]:
    """Return the simulated cart-pole and its control."""
    cell = JoinedNode(
        executable="mechanism_cell_node",
        name="mechanism_cell",
        output="screen",
        parameters=[
            share("config", "mechanism_cell.yaml"),
            {"mjcf": argument("mjcf", str), "start": [HANGING], "effort": LIMITS["effort"]},
        ],
    )
    control = JoinedNode(
        executable="swing_up_node",
        name="swing_up",
        output="screen",
        parameters=[
            share("config", "swing_up.yaml"),
            {
                "model": argument("model", str),
                "allow_motion": argument("allow_motion", bool),
                **{f"limits.{name}": value for name, value in LIMITS.items()},
            },
        ],
    )
    return found(context, [cell, control], paths=["model", "mjcf"])


def generate_launch_description() -> LaunchDescription:
    """Return the arguments, the private domain and the nodes."""
    return LaunchDescription(
        [
            DeclareLaunchArgument(
                "model", description="result folder of the cart-pole, of autourdf mechanism"
            ),
            DeclareLaunchArgument(
                "mjcf", description="MJCF of the true cart-pole, of autourdf simulate --mechanism"
            ),
            DeclareLaunchArgument(
                "allow_motion",
                default_value="true",
                choices=["true", "false"],
                description="whether the simulated cart may move",
            ),
            DeclareLaunchArgument(
                "domain", default_value="", description="ROS_DOMAIN_ID; empty: a free one"
            ),
            OpaqueFunction(function=private_domain),
            OpaqueFunction(function=nodes),
        ]
    )
