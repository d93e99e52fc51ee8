import numpy as np
import pytest
import yaml

from autourdf_ros.demo.parameters import (
    DemoOptions,
    capture_parameters,
    config_folder,
    joint_limits,
    node_parameters,
    reach,
    write_limits,
    write_parameters,
)
from autourdf_ros.model.limits.motion_limits import read_limits
from autourdf_ros.model.urdf.robot_library import find_urdf
from autourdf_ros.model.urdf.simulated_robot import SimulatedRobot
from autourdf_ros.simulation.live.live_cell import LiveCell, MotorOptions
from autourdf_ros.simulation.simulated_cell import CellOptions


@pytest.fixture(scope="module")
def robot():
    return SimulatedRobot(find_urdf("panda"))


def test_the_limits_are_those_of_the_motors(robot, tmp_path):
    limits = read_limits(write_limits(tmp_path, robot))
    assert limits.keys() == joint_limits(robot).keys()
    assert "panda_finger_joint1" in limits
    assert "panda_finger_joint2" not in limits  # it mimics the first
    assert limits["panda_joint2"].lower == pytest.approx(-1.7628)


@pytest.mark.slow
def test_the_box_holds_the_robot_wherever_it_may_go(robot):
    start = robot.neutral
    lower, upper = reach(robot, start, seed=0)
    points = robot.vertices(start)
    assert np.all(points > lower)
    assert np.all(points < upper)
    rng = np.random.default_rng(1)
    for _ in range(20):
        step = np.clip(start + rng.uniform(-0.3, 0.3, len(start)), robot.lower, robot.upper)
        points = robot.vertices(robot.follow_mimics(step))
        assert np.all(points > lower)
        assert np.all(points < upper)


def test_the_box_is_around_the_place_where_the_cell_stands(tmp_path):
    """Of this seed, the first random configurations would reach into the ground."""
    robot = SimulatedRobot(find_urdf("ur5_gripper"))
    values = node_parameters(DemoOptions(seed=3), robot, tmp_path)["capture"][-1]
    cell = LiveCell(robot, CellOptions(1, 32, 24, ground=True), MotorOptions(), seed=3)
    start = cell.truth()["start_configuration"]
    lower, upper = reach(robot, np.array([start[name] for name in robot.names]), 3)
    assert values["box_lower"] == lower.tolist()
    assert values["box_upper"] == upper.tolist()


def test_every_override_is_in_the_config_file(robot, tmp_path):
    start = dict(zip(robot.names, robot.neutral, strict=True))
    values = capture_parameters(DemoOptions(cameras=2), robot, start, tmp_path)
    assert values["cameras"] == ["/camera_0/points", "/camera_1/points"]
    path = write_parameters(tmp_path, "capture", values)
    written = yaml.safe_load(path.read_text())["capture"]["ros__parameters"]
    defaults = yaml.safe_load((config_folder() / "capture.yaml").read_text())
    assert written.keys() <= defaults["/**/capture"]["ros__parameters"].keys()
