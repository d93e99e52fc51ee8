"""A known robot, read from a URDF."""

import numpy as np
import pytest

from autourdf_ros.errors import InputError
from autourdf_ros.workflows.prior_reading import read_prior

GRIPPER = """<robot name="gripper">
  <link name="base"><visual><geometry><box size="1 1 1"/></geometry></visual></link>
  <link name="arm"><visual><geometry><box size=".2 .2 1"/></geometry></visual></link>
  <link name="left"><visual><geometry><box size=".1 .1 .1"/></geometry></visual></link>
  <link name="right"><visual><geometry><box size=".1 .1 .1"/></geometry></visual></link>
  <joint name="turn" type="continuous"><parent link="base"/><child link="arm"/>
    <origin xyz="0 0 1"/><axis xyz="1 0 0"/></joint>
  <joint name="open" type="prismatic"><parent link="arm"/><child link="left"/>
    <origin xyz="0 0.1 0.5"/><axis xyz="0 1 0"/>
    <limit lower="0" upper="0.1" effort="1" velocity="1"/></joint>
  <joint name="other" type="prismatic"><parent link="arm"/><child link="right"/>
    <origin xyz="0 -0.1 0.5"/><axis xyz="0 1 0"/><mimic joint="open" multiplier="-1" offset="0.02"/>
    <limit lower="-0.1" upper="0" effort="1" velocity="1"/></joint>
</robot>
"""


def test_a_urdf_becomes_joints_and_surfaces_where_it_stands(tmp_path):
    path = tmp_path / "gripper.urdf"
    path.write_text(GRIPPER)
    robot = read_prior(path)
    assert robot.links == ("base", "arm", "left", "right")
    assert set(robot.joints) == {"turn", "open", "other"}
    assert robot.model.parents.tolist() == [0, 1, 1]
    assert robot.model.revolute.tolist() == [True, False, False]
    np.testing.assert_allclose(robot.model.anchors[0], [0, 0, 1])
    heights = [robot.points[robot.labels == body, 2].mean() for body in range(4)]
    np.testing.assert_allclose(heights, [0, 1, 1.5, 1.5], atol=0.05)
    # The second finger is read by the motor that it mimics.
    moved = dict(zip(robot.joints, robot.moved_by({"open": 0.05}), strict=True))
    assert moved["open"] == pytest.approx(0.05)
    assert moved["other"] + robot.values[robot.joints.index("other")] == pytest.approx(-0.03)


@pytest.mark.parametrize(
    ("joints", "text"),
    [("", "has no joint that moves"), ("turn", "no mesh of its links can be read")],
)
def test_a_robot_that_shows_nothing_is_refused(tmp_path, joints, text):
    bare = '<link name="a"/><link name="b"/>'
    kind = "continuous" if joints else "fixed"
    path = tmp_path / "bare.urdf"
    path.write_text(
        f'<robot name="bare">{bare}<joint name="turn" type="{kind}">'
        '<parent link="a"/><child link="b"/><axis xyz="1 0 0"/></joint></robot>'
    )
    with pytest.raises(InputError, match=text):
        read_prior(path)
