"""Names that ROS accepts."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from autourdf_ros.description.names import legal_names, package_name


@pytest.mark.parametrize(
    ("robot", "package"),
    [("panda", "panda"), ("UR5_Gripper", "ur5_gripper"), ("a__b_", "a_b"), ("3dof", "robot_3dof")],
)
def test_names_of_packages(robot, package):
    assert package_name(robot) == package


@given(st.text())
def test_any_name_gives_a_package_that_rep_144_allows(name):
    (legal,) = legal_names([name]).values()
    assert re.fullmatch(r"[a-z](_?[a-z0-9])*", package_name(legal))
