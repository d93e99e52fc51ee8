"""The keys that MoveIt and ros2_control read, as their sources name them."""

from dataclasses import replace
from xml.etree import ElementTree

import numpy as np
import pytest
import yaml
from jointed_models import arm_with_gripper, jointed, serial
from test_semantics import meaning

from autourdf_ros.export.formats.end_frames import EndFrame
from autourdf_ros.export.formats.srdf import write_srdf
from autourdf_ros.export.packages.moveit_config import write_moveit_config
from autourdf_ros.model.limits.drive_limits import DriveLimits

PIPELINE = ("planning_plugins", "request_adapters", "response_adapters")
FAST = DriveLimits(velocity=2, effort=30, acceleration=5)


def written(model, folder, **drives):
    found = meaning(model, **drives)
    write_srdf(found, (), folder / "robot.srdf")
    return write_moveit_config(found, folder)


@pytest.fixture(scope="module")
def package(tmp_path_factory):
    return written(arm_with_gripper(), tmp_path_factory.mktemp("moveit"), to_a=FAST)


def config(package, name):
    return yaml.safe_load((package / "config" / f"{name}.yaml").read_text())


def test_it_is_named_and_laid_out_as_moveit_finds_it(package):
    assert package.name == "robot_moveit_config"
    there = {path.relative_to(package).as_posix() for path in package.rglob("*") if path.is_file()}
    assert there == {
        ".setup_assistant",
        "CMakeLists.txt",
        "README.md",
        "package.xml",
        *(
            f"config/{name}"
            for name in (
                "robot.srdf",
                "robot.srdf.macro.xacro",
                "robot.srdf.xacro",
                "robot.urdf.xacro",
                "robot.ros2_control.xacro",
                "initial_positions.yaml",
                "joint_limits.yaml",
                "kinematics.yaml",
                "moveit.rviz",
                "moveit_controllers.yaml",
                "ompl_planning.yaml",
                "pilz_cartesian_limits.yaml",
                "pilz_industrial_motion_planner_planning.yaml",
                "ros2_controllers.yaml",
                "sensors_3d.yaml",
            )
        ),
        *(
            f"launch/{name}.launch.py"
            for name in (
                "demo",
                "move_group",
                "moveit_rviz",
                "rsp",
                "setup_assistant",
                "spawn_controllers",
                "static_virtual_joint_tfs",
            )
        ),
    }
    assistant = yaml.safe_load((package / ".setup_assistant").read_text())
    found = assistant["moveit_setup_assistant_config"]
    assert found["urdf"] == {"package": "robot_description", "relative_path": "urdf/robot.urdf"}
    assert (package / found["srdf"]["relative_path"]).is_file()


def test_limits_are_floating_point_and_hold_the_acceleration(package):
    limits = config(package, "joint_limits")["joint_limits"]
    assert len(limits) == 8
    assert limits["to_a"] == {
        "has_velocity_limits": True,
        "max_velocity": 2.0,
        "has_acceleration_limits": True,
        "max_acceleration": 5.0,
        "has_jerk_limits": True,
        "max_jerk": 50.0,
    }
    # move_group declares them as doubles and refuses integers.
    assert all(isinstance(value["max_velocity"], float) for value in limits.values())
    assert all(isinstance(value["max_acceleration"], float) for value in limits.values())


def test_kinematics_of_chains(package, tmp_path):
    (name, solver), *others = config(package, "kinematics").items()
    assert not others and name == "manipulator"
    assert solver["kinematics_solver"] == "kdl_kinematics_plugin/KDLKinematicsPlugin"
    assert solver["position_only_ik"] is False
    five = config(written(jointed(*serial(5)), make(tmp_path, "five")), "kinematics")
    assert five["manipulator"]["position_only_ik"] is True
    two = config(written(jointed(*serial(2)), make(tmp_path, "two")), "kinematics")
    assert two == {}


def make(folder, name):
    (folder / name).mkdir()
    return folder / name


def test_controllers_agree_and_command_no_coupled_joint(package):
    moveit = config(package, "moveit_controllers")
    assert moveit["trajectory_execution"]["allowed_start_tolerance"] == 0.01
    manager = moveit["moveit_simple_controller_manager"]
    assert moveit["moveit_controller_manager"] == (
        "moveit_simple_controller_manager/MoveItSimpleControllerManager"
    )
    assert manager["controller_names"] == ["manipulator_controller", "gripper_controller"]
    control = config(package, "ros2_controllers")
    loaded = control["controller_manager"]["ros__parameters"]
    for name in manager["controller_names"]:
        assert manager[name]["type"] == "FollowJointTrajectory"
        assert manager[name]["action_ns"] == "follow_joint_trajectory"
        assert loaded[name] == {"type": "joint_trajectory_controller/JointTrajectoryController"}
        parameters = control[name]["ros__parameters"]
        assert parameters["joints"] == manager[name]["joints"]
        assert parameters["command_interfaces"] == ["position"]
    assert manager["gripper_controller"]["joints"] == ["to_left"]
    assert "joint_state_broadcaster" in loaded


def test_simulated_drives_start_at_home_and_move_no_coupled_joint(package):
    positions = config(package, "initial_positions")["initial_positions"]
    assert len(positions) == 8
    text = (package / "config" / "robot.ros2_control.xacro").read_text()
    system = ElementTree.fromstring(text).find(".//ros2_control")
    by_type = {choice.get("value"): choice.findtext("plugin") for choice in system.find("hardware")}
    assert by_type["${hardware_type == 'mock_components'}"] == "mock_components/GenericSystem"
    assert list(by_type.values())[-1] == "${hardware_type}"  # the plugin of a driver
    commanded = {
        joint.get("name")
        for joint in system.iter("joint")
        if joint.find("command_interface") is not None
    }
    commanded = {name.removeprefix("${prefix}") for name in commanded}
    names = {joint.get("name") for joint in system.iter("joint")}
    assert names == {f"${{prefix}}{name}" for name in positions}
    assert set(positions) - commanded == {"to_right"}


def test_the_robot_xacro_joins_urdf_and_drives(package):
    text = (package / "config" / "robot.urdf.xacro").read_text()
    root = ElementTree.fromstring(text)
    xacro = "{http://www.ros.org/wiki/xacro}"
    files = [element.get("filename") for element in root.iter(f"{xacro}include")]
    assert files == ["$(find robot_description)/urdf/robot.urdf", "robot.ros2_control.xacro"]
    call = root.find(f"{xacro}robot_ros2_control")
    assert call.get("hardware_type") == "$(arg ros2_control_hardware_type)"
    declared = {arg.get("name") for arg in root.iter(f"{xacro}arg")}
    assert {word[6:-1] for word in call.attrib.values() if "$(arg" in word} == declared


def test_planners_know_all_groups_and_their_joints(package):
    sampling = config(package, "ompl_planning")
    assert set(sampling) - set(PIPELINE) == {
        "planner_configs",
        "manipulator",
        "gripper",
        "whole_robot",
    }
    for group in ("manipulator", "gripper", "whole_robot"):
        assert set(sampling[group]["planner_configs"]) <= set(sampling["planner_configs"])
        assert sampling[group]["default_planner_config"] in sampling["planner_configs"]
    assert sampling["manipulator"]["projection_evaluator"] == "joints(to_a,to_b)"
    # A joint that follows is planned for by none.
    assert sampling["gripper"]["projection_evaluator"] == "joints(to_left)"
    industrial = config(package, "pilz_industrial_motion_planner_planning")
    assert set(PIPELINE) <= set(industrial) and industrial["default_planner_config"] == "PTP"
    for file in (package / "config").glob("*.yaml"):
        assert "&id" not in file.read_text(), f"{file.name}: an alias, which rcl does not read"


def test_cameras_of_the_recording_show_the_obstacles(package, tmp_path):
    assert config(package, "sensors_3d") == {"sensors": []}
    found = replace(meaning(jointed(*serial(3))), cameras=("/front/points", "/left-1/points"))
    write_srdf(found, (), tmp_path / "robot.srdf")
    with_cameras = write_moveit_config(found, tmp_path)
    sensors = config(with_cameras, "sensors_3d")
    assert sensors["sensors"] == ["front_points", "left_1_points"]
    assert [sensors[name]["point_cloud_topic"] for name in sensors["sensors"]] == [*found.cameras]
    assert sensors["octomap_frame"] == "base_link"
    assert "moveit_ros_perception" in (with_cameras / "package.xml").read_text()


def test_the_base_stands_in_the_world_and_chains_end_where_tools_are(tmp_path):
    found = meaning(arm_with_gripper())
    write_srdf(found, (), tmp_path / "robot.srdf")
    frame = EndFrame("manipulator", "f", "", np.eye(4))
    package = write_moveit_config(found, tmp_path, [frame])
    (virtual,) = ElementTree.parse(package / "config" / "robot.srdf").iter("virtual_joint")
    assert dict(virtual.attrib) == {
        "name": "virtual_joint",
        "type": "fixed",
        "parent_frame": "world",
        "child_link": "base_link",
    }
    plain = ElementTree.parse(tmp_path / "robot.srdf").getroot()
    assert plain.find("virtual_joint") is None
    own = ElementTree.parse(package / "config" / "robot.srdf").getroot()
    tips = [root.find("group[@name='manipulator']/chain").get("tip_link") for root in (plain, own)]
    assert tips == ["f", "tool0"]
    assert "`tool0`: where the axis" in (package / "README.md").read_text()


def test_the_macro_of_the_srdf_prefixes_what_stands_in_a_scene(package):
    own = ElementTree.parse(package / "config" / "robot.srdf").getroot()
    (macro,) = ElementTree.parse(package / "config" / "robot.srdf.macro.xacro").getroot()
    assert macro.get("params") == "prefix:='' parent_frame:='world'"
    text = ElementTree.tostring(macro, encoding="unicode")
    plain = text.replace("${prefix}", "").replace("${parent_frame}", "world")
    assert [child.attrib for child in ElementTree.fromstring(plain).iter()][1:] == [
        child.attrib for child in own.iter()
    ][1:]
    named = {"link", "joint", "group", "chain", "disable_collisions", "passive_joint"}
    for element in macro.iter():
        if element.tag in named:
            assert all(
                "${prefix}" in value or value == "home" or key in ("value", "reason")
                for key, value in element.attrib.items()
            ), element.attrib


def test_a_robot_that_does_not_move_has_a_package_too(tmp_path):
    package = written(jointed(), tmp_path)
    manager = config(package, "moveit_controllers")["moveit_simple_controller_manager"]
    assert manager["controller_names"] == []
