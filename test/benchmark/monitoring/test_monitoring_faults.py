"""What the suite lets happen to robots is what it says."""

from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pytest
import watched_arm

from autourdf_ros.benchmark.monitoring.monitoring_faults import (
    FaultDrawer,
    SaggingRobot,
    with_tool,
)
from autourdf_ros.model.urdf.simulated_robot import SimulatedRobot
from autourdf_ros.monitoring.observing.watched_model import Transmission
from autourdf_ros.simulation import damage

# The frame of the last link is at its far end, as that of many flanges.
ARM = """<robot name="arm">
  <link name="base"><visual><geometry><box size=".2 .2 .2"/></geometry></visual></link>
  <link name="arm"><visual><origin xyz="0.25 0 0"/><geometry><box size=".5 .06 .06"/></geometry>
  </visual></link>
  <link name="flange"><visual><origin xyz="-0.02 0 0"/><geometry><box size=".04 .06 .06"/>
  </geometry></visual></link>
  <joint name="lift" type="revolute"><parent link="base"/><child link="arm"/>
    <axis xyz="0 1 0"/><limit lower="-1" upper="1" effort="1" velocity="1"/></joint>
  <joint name="roll" type="revolute"><parent link="arm"/><child link="flange"/>
    <origin xyz="0.54 0 0"/><axis xyz="1 0 0"/>
    <limit lower="-1" upper="1" effort="1" velocity="1"/></joint>
</robot>
"""


@pytest.fixture(scope="module")
def robot(tmp_path_factory):
    path = tmp_path_factory.mktemp("arm") / "arm.urdf"
    path.write_text(ARM)
    return SimulatedRobot(path)


def test_the_link_of_a_body_is_that_of_its_motor(robot):
    """A joint's name that no URDF may have is another one in the model: joint_0.0, joint_0_0."""
    unlike = replace(
        watched_arm.model(),
        joints=("pan_0", "lift_0", "roll_0"),
        transmission=Transmission(("pan", "lift", "roll"), np.eye(3), np.zeros(3), np.zeros(3)),
    )
    drawer = FaultDrawer(SimpleNamespace(robot=robot), unlike, range(1), seed=0)
    assert drawer.tool().truths == (("attachment", "hand"),)


def test_a_tool_is_on_the_free_side_of_a_link(robot):
    before = robot.surfaces[2].vertices
    tool = with_tool(robot, 2, 0.1).surfaces[2].vertices[len(before) :]
    np.testing.assert_allclose(tool.min(axis=0), [-0.005, -0.1 / 6, -0.1 / 6], atol=1e-6)
    assert tool[:, 0].max() == pytest.approx(0.095)


@pytest.mark.parametrize("lift", [0.0, 0.6])
def test_a_loaded_arm_sags_with_its_lever(robot, lift):
    whole = damage.undamaged(robot)
    most = np.radians([0.5, 0.2])
    sagging = SaggingRobot(robot, whole.surfaces, whole.zeros, {}, 2, most, 0.52)
    values = np.array([lift, 0.3])
    straight, sunk = robot.body_poses(values), sagging.body_poses(values)
    sag = most * np.cos(lift) * np.array([1.0, 0.0])
    expected = robot.body_poses(values + sag)
    np.testing.assert_allclose(sunk, expected, atol=1e-4)
    assert sunk[2][2, 3] < straight[2][2, 3]
