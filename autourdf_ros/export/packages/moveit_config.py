"""The ROS package with which MoveIt plans for a robot, in the layout of its setup assistant.

Keys are those of MoveIt 2.15 (moveit_setup_assistant, robot_model_loader,
moveit_simple_controller_manager, kdl_kinematics_plugin) and of ros2_controllers 6.9.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import yaml
from lxml import etree

from autourdf_ros.export.formats.end_frames import EndFrame
from autourdf_ros.export.formats.planning_groups import PlanningGroup
from autourdf_ros.export.formats.semantics import Semantics
from autourdf_ros.export.formats.srdf import WORLD
from autourdf_ros.export.formats.urdf import BASE_LINK
from autourdf_ros.export.formats.xacro import srdf_macro, write_xml, xacro_file
from autourdf_ros.export.packages.package_templates import render_package
from autourdf_ros.export.packages.planning_files import (
    INDUSTRIAL_PLANNER,
    planning_srdf,
    sampling_planner,
    sensors,
)
from autourdf_ros.model.names import package_name
from autourdf_ros.model.result_files import SRDF, description_package, moveit_package

LEAST_SOLVED = 3
"""Joints from which on inverse kinematics can place a tip in space."""
TO_ACCELERATE = 0.1
"""Seconds in which a joint reaches its full acceleration: an assumption, as no jerk is measured."""
FULL_POSE = 6
"""Joints from which on it can turn the tip as well."""


def write_moveit_config(
    semantics: Semantics, folder: Path, frames: Sequence[EndFrame] = ()
) -> Path:
    """Write the package beside the SRDF in `folder`; returns its path.

    Its SRDF is that of the folder with `frames`, at which chains end, and a virtual joint.
    """
    robot, package = semantics.robot, moveit_package(semantics.robot)
    out = folder / package
    render_package(
        "moveit_package",
        out,
        robot=robot,
        package=package,
        description=description_package(robot),
        macro=f"{package_name(robot)}_ros2_control",
        group=semantics.groups[0].name if semantics.groups else "",
        base_link=BASE_LINK,
        world=WORLD,
        cameras=bool(semantics.cameras),
        tools=[frame.tool for frame in frames],
        joints=semantics.joints,
    )
    config = out / "config"
    _write_srdf(planning_srdf(folder / SRDF, frames, semantics.floating), robot, config)
    controllers = _controllers(semantics)
    _write(out / ".setup_assistant", _setup_assistant(semantics))
    _write(config / "initial_positions.yaml", _initial_positions(semantics))
    _write(config / "joint_limits.yaml", _joint_limits(semantics))
    _write(config / "ompl_planning.yaml", sampling_planner(semantics))
    _write(config / "pilz_industrial_motion_planner_planning.yaml", INDUSTRIAL_PLANNER)
    _write(config / "sensors_3d.yaml", sensors(semantics.cameras))
    _write(config / "kinematics.yaml", _kinematics(semantics))
    _write(config / "moveit_controllers.yaml", _moveit_controllers(controllers))
    _write(config / "pilz_cartesian_limits.yaml", _CARTESIAN_LIMITS)
    _write(config / "ros2_controllers.yaml", _ros2_controllers(controllers))
    return out


_CARTESIAN_LIMITS = {
    "cartesian_limits": {
        "max_trans_vel": 0.25,
        "max_trans_acc": 0.5,
        "max_trans_dec": -0.5,
        "max_rot_vel": 0.5,
    }
}
"""m/s, m/s², rad/s: of the tip in straight and circular motions; deliberately slow."""


class _Plain(yaml.SafeDumper):
    """Repeats what occurs twice: the parser of parameter files reads no alias."""

    def ignore_aliases(self, data: Any) -> bool:
        return True


def _write(path: Path, content: Mapping[str, Any]) -> None:
    path.write_text(yaml.dump(dict(content), Dumper=_Plain, sort_keys=False))


def _write_srdf(srdf: etree._Element, robot: str, config: Path) -> None:
    """Write the SRDF as it is, and as a macro with a file that calls it."""
    macro, file = f"{package_name(robot)}_srdf", f"{robot}.srdf.macro.xacro"
    write_xml(srdf, config / f"{robot}.srdf")
    write_xml(srdf_macro(srdf, macro, WORLD), config / file)
    call = xacro_file(robot, macro, file, {"prefix": "", "parent_frame": WORLD})
    write_xml(call, config / f"{robot}.srdf.xacro")


def _setup_assistant(semantics: Semantics) -> dict[str, Any]:
    robot = semantics.robot
    return {
        "moveit_setup_assistant_config": {
            "urdf": {
                "package": description_package(robot),
                "relative_path": f"urdf/{robot}.urdf",
            },
            "srdf": {"relative_path": f"config/{robot}.srdf"},
            "package_settings": {
                "author_name": "TODO: Maintainer",
                "author_email": "user@todo.todo",
                # Older than all files: the assistant then asks before it replaces one.
                "generated_timestamp": 0,
            },
            "control_xacro": {"command": ["position"], "state": ["position", "velocity"]},
            "modified_urdf": {"xacros": ["control_xacro"]},
        }
    }


def _initial_positions(semantics: Semantics) -> dict[str, Any]:
    values = {joint.name: round(joint.home, 6) for joint in semantics.joints}
    return {"initial_positions": values}


def _joint_limits(semantics: Semantics) -> dict[str, Any]:
    return {
        "default_velocity_scaling_factor": 0.1,
        "default_acceleration_scaling_factor": 0.1,
        "joint_limits": {
            joint.name: {
                "has_velocity_limits": True,
                "max_velocity": float(joint.drive.velocity),
                "has_acceleration_limits": True,
                "max_acceleration": float(joint.drive.acceleration),
                "has_jerk_limits": True,
                "max_jerk": float(joint.drive.acceleration) / TO_ACCELERATE,
            }
            for joint in semantics.joints
        },
    }


def _kinematics(semantics: Semantics) -> dict[str, Any]:
    return {
        group.name: {
            "kinematics_solver": "kdl_kinematics_plugin/KDLKinematicsPlugin",
            "kinematics_solver_search_resolution": 0.005,
            "kinematics_solver_timeout": 0.05,
            "position_only_ik": len(semantics.of(group)) < FULL_POSE,
        }
        for group in semantics.groups
        if group.is_chain and len(semantics.of(group)) >= LEAST_SOLVED
    }


def _controllers(semantics: Semantics) -> dict[str, list[str]]:
    """Joints by the name of their controller: one for each group that is made of no others."""
    return {
        _controller(group): [joint.name for joint in semantics.of(group)]
        for group in semantics.groups
        if not group.subgroups and semantics.of(group)
    }


def _controller(group: PlanningGroup) -> str:
    return f"{group.name}_controller"


def _moveit_controllers(controllers: dict[str, list[str]]) -> dict[str, Any]:
    handles = {
        name: {
            "type": "FollowJointTrajectory",
            "action_ns": "follow_joint_trajectory",
            "default": True,
            "joints": joints,
        }
        for name, joints in controllers.items()
    }
    return {
        "trajectory_execution": {
            "allowed_execution_duration_scaling": 1.2,
            "allowed_goal_duration_margin": 0.5,
            "allowed_start_tolerance": 0.01,
        },
        "moveit_controller_manager": "moveit_simple_controller_manager/"
        "MoveItSimpleControllerManager",
        "moveit_simple_controller_manager": {"controller_names": list(controllers), **handles},
    }


def _ros2_controllers(controllers: dict[str, list[str]]) -> dict[str, Any]:
    types = {
        name: {"type": "joint_trajectory_controller/JointTrajectoryController"}
        for name in controllers
    }
    broadcaster = {"type": "joint_state_broadcaster/JointStateBroadcaster"}
    parameters = {"update_rate": 100, **types, "joint_state_broadcaster": broadcaster}
    return {
        "controller_manager": {"ros__parameters": parameters},
        **{
            name: {
                "ros__parameters": {
                    "joints": joints,
                    "command_interfaces": ["position"],
                    "state_interfaces": ["position", "velocity"],
                    "allow_nonzero_velocity_at_trajectory_end": True,
                }
            }
            for name, joints in controllers.items()
        },
    }
