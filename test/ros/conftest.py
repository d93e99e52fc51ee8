"""Fixtures of the tests of the capture node."""

import pytest
import rclpy
from capture_rig import URDF, Cell, Forks, Robot, reset


@pytest.fixture(scope="module")
def ros():
    rclpy.init()
    yield
    rclpy.shutdown()


@pytest.fixture(scope="module")
def robot_process(ros):
    robot = Robot()
    yield robot
    robot.end()


@pytest.fixture(scope="module")
def forks():
    forks = Forks()
    yield forks
    forks.end()


@pytest.fixture
def cell(ros, tmp_path):
    cell = Cell(tmp_path)
    yield cell
    cell.close()


@pytest.fixture
def robot(robot_process, cell):
    reset(cell, robot_process)
    cell.until(lambda: cell.node.count_publishers("/camera_0/points") > 0)
    return robot_process


@pytest.fixture
def urdf(tmp_path):
    (tmp_path / "robot.urdf").write_text(URDF)
    return str(tmp_path / "robot.urdf")
