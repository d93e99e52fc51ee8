"""Names that ROS accepts."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from autourdf_ros.assessment.checks.legal_names import LEGAL
from autourdf_ros.model.names import legal_names, package_name


@pytest.mark.parametrize(
    ("robot", "package"),
    [("panda", "panda"), ("UR5_Gripper", "ur5_gripper"), ("a__b_", "a_b"), ("3dof", "robot_3dof")],
)
def test_names_of_packages(robot, package):
    assert package_name(robot) == package


@pytest.mark.slow
@given(st.text())
def test_any_name_gives_a_package_that_rep_144_allows(name):
    (legal,) = legal_names([name]).values()
    assert re.fullmatch(r"[a-z](_?[a-z0-9])*", package_name(legal))


@given(st.lists(st.text(), unique=True))
def test_names_are_unique_and_what_the_checks_accept(names):
    legal = legal_names(names).values()
    assert len(set(legal)) == len(names)
    assert all(LEGAL.fullmatch(name) for name in legal)


def test_motors_that_are_only_numbered_keep_their_numbers():
    assert legal_names(["1", "_1", "7th axis"]) == {
        "1": "_1",
        "_1": "_1_2",
        "7th axis": "_7th_axis",
    }
