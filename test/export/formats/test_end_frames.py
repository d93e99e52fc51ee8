"""Where the frames of tools are, by the last joint's axis and the last link's shape."""

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

from autourdf_ros.export.formats.end_frames import end_frames
from autourdf_ros.export.formats.planning_groups import PlanningGroup

ARM = """<robot name="arm"><link name="base_link"/><link name="hand"><collision>
<origin xyz="0 {y} 0.01"/><geometry><box size="0.04 0.3 0.1"/></geometry></collision></link>
<joint name="turn" type="{type}"><parent link="base_link"/><child link="{child}"/>
<axis xyz="0 2 0"/><limit lower="-1" upper="1" velocity="1" effort="1"/></joint>{more}</robot>"""
GROUPS = [PlanningGroup("manipulator", "base_link", ("hand",), ("turn",))]


def written(folder, y=0.1, kind="revolute", child="hand", more=""):
    path = folder / "robot.urdf"
    path.write_text(ARM.format(y=y, type=kind, child=child, more=more))
    return path


@pytest.mark.parametrize(("y", "outwards"), [(0.1, 1.0), (-0.1, -1.0)])
def test_the_flange_is_where_the_axis_leaves_the_longer_side(tmp_path, y, outwards):
    (frame,) = end_frames(written(tmp_path, y), GROUPS)
    assert (frame.group, frame.link, frame.tool) == ("manipulator", "hand", "tool0")
    np.testing.assert_allclose(frame.pose[:3, 3], (0, 0.25 * outwards, 0), atol=1e-12)
    np.testing.assert_allclose(frame.pose[:3, 0], (0, outwards, 0), atol=1e-12)
    np.testing.assert_allclose(frame.pose[:3, 2], (0, 0, 1), atol=1e-12)
    np.testing.assert_allclose(np.linalg.det(frame.pose), 1.0)
    flange, mount, tool, turned = frame.elements()
    assert (flange.get("name"), tool.get("name")) == ("flange", "tool0")
    assert mount.find("parent").get("link") == "hand"
    assert turned.find("child").get("link") == "tool0"
    rotation = np.eye(3)
    for joint in (mount, turned):
        angles = [float(value) for value in joint.find("origin").get("rpy").split()]
        rotation = rotation @ Rotation.from_euler("xyz", angles).as_matrix()
    # z of the tool points away from the arm (REP 199).
    np.testing.assert_allclose(rotation[:, 2], (0, outwards, 0), atol=1e-8)


def test_a_slide_and_a_link_without_shape_have_none(tmp_path):
    assert end_frames(written(tmp_path, kind="prismatic"), GROUPS) == ()
    bare = '<link name="bare"/>'
    assert end_frames(written(tmp_path, child="bare", more=bare), GROUPS) == ()


def test_a_robot_that_has_such_links_keeps_its_own(tmp_path):
    own = '<link name="tool0"/>'
    assert end_frames(written(tmp_path, more=own), GROUPS) == ()


def test_several_arms_have_names_of_their_own(tmp_path):
    second = PlanningGroup("left", "base_link", ("hand",), ("turn",))
    found = end_frames(written(tmp_path), [*GROUPS, second])
    assert [frame.tool for frame in found] == ["manipulator_tool0", "left_tool0"]
