"""The keys that MoveIt and ros2_control read, as their sources name them."""

from xml.etree import ElementTree

import pytest
import yaml
from jointed_models import arm_with_gripper, jointed, serial
from test_semantics import meaning

from autourdf_ros.export.formats.srdf import write_srdf
from autourdf_ros.export.packages.moveit_config import write_moveit_config
from autourdf_ros.model.limits.drive_limits import DriveLimits

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
                "robot.urdf.xacro",
                "robot.ros2_control.xacro",
                "initial_positions.yaml",
                "joint_limits.yaml",
                "kinematics.yaml",
                "moveit.rviz",
                "moveit_controllers.yaml",
                "pilz_cartesian_limits.yaml",
                "ros2_controllers.yaml",
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
    assert system.findtext("hardware/plugin") == "mock_components/GenericSystem"
    commanded = {
        joint.get("name")
        for joint in system.iter("joint")
        if joint.find("command_interface") is not None
    }
    assert {joint.get("name") for joint in system.iter("joint")} == set(positions)
    assert set(positions) - commanded == {"to_right"}


def test_the_robot_xacro_joins_urdf_and_drives(package):
    text = (package / "config" / "robot.urdf.xacro").read_text()
    root = ElementTree.fromstring(text)
    xacro = "{http://www.ros.org/wiki/xacro}"
    files = [element.get("filename") for element in root.iter(f"{xacro}include")]
    assert files == ["$(find robot_description)/urdf/robot.urdf", "robot.ros2_control.xacro"]
    assert root.find(f"{xacro}robot_ros2_control") is not None


def test_a_robot_that_does_not_move_has_a_package_too(tmp_path):
    package = written(jointed(), tmp_path)
    manager = config(package, "moveit_controllers")["moveit_simple_controller_manager"]
    assert manager["controller_names"] == []
