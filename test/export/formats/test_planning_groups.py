"""Chains and grippers are found from the tree alone."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from jointed_models import arm_with_gripper, joint, jointed, serial

from autourdf_ros.export.formats.planning_groups import planning_groups


def described(model):
    """Each group as (name, base, last link, joints), which is easy to compare."""
    return [
        (group.name, group.base, group.links[-1], len(group.joints))
        for group in planning_groups(model)
    ]


def test_a_serial_arm_is_one_group():
    (group,) = planning_groups(jointed(*serial(6)))
    assert group.name == "manipulator"
    assert group.is_chain and group.parent is None
    assert (group.base, group.links[-1]) == ("base", "f")
    assert group.joints == ("to_a", "to_b", "to_c", "to_d", "to_e", "to_f")


@pytest.mark.parametrize("coupled_joint", [True, False])
def test_sliding_fingers_are_a_gripper_on_the_arm(coupled_joint):
    arm, gripper, whole = planning_groups(arm_with_gripper(coupled_joint))
    assert (arm.name, arm.links[-1], len(arm.joints)) == ("manipulator", "f", 6)
    assert (gripper.name, gripper.base, gripper.parent) == ("gripper", "f", "manipulator")
    assert gripper.links == ("left", "right") and not gripper.is_chain
    assert whole.subgroups == ("manipulator", "gripper")
    assert len(whole.joints) == 8


def test_turning_fingers_are_a_gripper_where_one_follows_the_other():
    free = jointed(*serial(2), joint("b", "left"), joint("b", "right"))
    tied = jointed(*serial(2), joint("b", "left"), joint("b", "right", follows="to_left"))
    names = [name for name, *_ in described(free)]
    assert names == ["chain_1", "chain_2", "chain_3", "whole_robot"]
    assert [name for name, *_ in described(tied)] == ["manipulator", "gripper", "whole_robot"]


def test_long_branches_are_no_fingers():
    legs = [
        joint("a", "b", "prismatic"),
        joint("b", "c", "prismatic"),
        joint("c", "d", "prismatic"),
    ]
    model = jointed(joint("base", "a"), *legs, joint("a", "other", "prismatic"))
    assert "gripper" not in [name for name, *_ in described(model)]


def test_slides_at_the_root_are_a_gripper_only_where_tied():
    drawers = jointed(joint("base", "top", "prismatic"), joint("base", "low", "prismatic"))
    hand = jointed(
        joint("base", "top", "prismatic"), joint("base", "low", "prismatic", follows="to_top")
    )
    assert described(drawers) == [
        ("chain_1", "base", "top", 1),
        ("chain_2", "base", "low", 1),
        ("whole_robot", "base", "low", 2),
    ]
    (gripper,) = planning_groups(hand)
    assert gripper.name == "gripper" and gripper.parent is None


def test_legs_and_arms_hang_on_the_link_that_branches():
    torso = [joint("base", "torso"), joint("torso", "left"), joint("torso", "right")]
    model = jointed(*torso, joint("left", "left_hand"), joint("right", "right_hand"))
    assert described(model) == [
        ("chain_1", "base", "torso", 1),
        ("chain_2", "torso", "left_hand", 2),
        ("chain_3", "torso", "right_hand", 2),
        ("whole_robot", "base", "right_hand", 5),
    ]


def test_two_arms_have_a_gripper_each():
    model = jointed(
        joint("base", "left"),
        joint("base", "right"),
        *(joint(arm, f"{arm}_{i}", "prismatic") for arm in ("left", "right") for i in (1, 2)),
    )
    parents = {group.name: group.parent for group in planning_groups(model)}
    assert parents["gripper_1"] == "chain_1" and parents["gripper_2"] == "chain_2"


def test_what_is_fixed_makes_no_branch():
    model = jointed(*serial(2), joint("b", "camera", "fixed"), joint("b", "c"))
    (group,) = planning_groups(model)
    assert group.links == ("a", "b", "c")


def test_a_chain_that_only_follows_has_no_group_of_its_own():
    model = jointed(*serial(3), joint("base", "shade", follows="to_a"))
    arm, *rest = planning_groups(model)
    assert arm.name == "manipulator" and not rest


def test_nothing_moves():
    assert planning_groups(jointed(joint("base", "lamp", "fixed"))) == ()
    assert planning_groups(jointed()) == ()


@st.composite
def trees(draw):
    """Any tree: the parent of each link is one before it."""
    joints = []
    for index in range(draw(st.integers(1, 9))):
        parent = "base" if index == 0 else draw(st.sampled_from(["base", *"abcdefghi"[:index]]))
        kind = draw(st.sampled_from(["revolute", "prismatic", "fixed"]))
        joints.append(joint(parent, "abcdefghi"[index], kind))
    return jointed(*joints)


@given(trees())
def test_every_moving_joint_is_in_one_group_and_chains_hold_together(model):
    groups = planning_groups(model)
    parents = {joint.child: joint.parent for joint in model.joints}
    moving = [joint.name for joint in model.joints if joint.type != "fixed"]
    own = [name for group in groups if not group.subgroups for name in group.joints]
    assert sorted(own) == sorted(moving)
    for group in groups:
        if group.is_chain:
            above = [group.base, *group.links]
            assert [parents[link] for link in group.links] == above[:-1]
    if len(groups) > 1:
        assert set(groups[-1].joints) == set(moving)
