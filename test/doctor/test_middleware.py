import os
import subprocess
import sys
from collections.abc import Iterator

import pytest

from autourdf_ros.doctor import middleware
from autourdf_ros.doctor.machine_finding import Status
from autourdf_ros.subprocesses import end

pytestmark = pytest.mark.slow

TALKER = """
import rclpy
from sensor_msgs.msg import JointState
rclpy.init()
node = rclpy.create_node("driver")
publisher = node.create_publisher(JointState, "/arm/joint_states", 10)
print("ready", flush=True)
rclpy.spin(node)
"""


@pytest.fixture
def talker() -> Iterator[None]:
    process = subprocess.Popen(
        [sys.executable, "-c", TALKER], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL
    )
    assert process.stdout is not None and process.stdout.readline() == b"ready\n"
    yield
    end(process)


def test_ros_is_found_and_named() -> None:
    finding = middleware.check_ros()
    assert finding.status is Status.GOOD
    assert "wheels" in finding.detail or "distribution" in finding.detail


def test_ros_that_does_not_load_is_bad(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PYTHONPATH", os.devnull)
    monkeypatch.setattr(sys, "executable", sys._base_executable)  # type: ignore[attr-defined]
    finding = middleware.check_ros()
    assert finding.status is Status.BAD
    assert "No module named 'rclpy'" in finding.detail
    assert "setup.bash" in finding.remedy


def test_missing_packages_are_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ROS_DISTRO", "jazzy")
    monkeypatch.setattr(middleware, "PACKAGES", ("rclpy", "tf2_nonsense"))
    finding = middleware.check_packages()
    assert finding.status is Status.BAD
    assert finding.detail == "missing: tf2_nonsense"
    assert "ros-jazzy-tf2-nonsense" in finding.remedy


def test_all_packages_are_here() -> None:
    finding = middleware.check_packages()
    assert finding.status is Status.GOOD, str(finding)


def test_a_cloud_makes_the_round_trip() -> None:
    finding = middleware.check_round_trip()
    assert finding.status is Status.GOOD, str(finding)
    assert "3.7 MB" in finding.detail


def test_a_broken_middleware_is_bad(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("RMW_IMPLEMENTATION", "rmw_of_nobody")
    finding = middleware.check_round_trip()
    assert finding.status is Status.BAD
    assert "RMW_IMPLEMENTATION" in finding.remedy


@pytest.mark.usefixtures("talker")
def test_topics_of_other_processes_are_seen() -> None:
    finding = middleware.check_topics()
    assert finding.status is Status.GOOD
    assert "joint states: /arm/joint_states" in finding.detail
    assert "point clouds: none" in finding.detail
