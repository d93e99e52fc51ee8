"""Who drives which joint, and where home is."""

from dataclasses import replace

import numpy as np
from jointed_models import arm_with_gripper, joint, jointed
from synthetic_robot import arm_model

from autourdf_ros.export.formats.semantics import semantics
from autourdf_ros.export.formats.urdf import urdf_names
from autourdf_ros.model.layers.kinematics import Confidence, JointEstimate, MotorMatch
from autourdf_ros.model.limits.drive_limits import SLIDING, TURNING, DriveLimits


def meaning(model, base="fixed", **drives):
    return semantics(model, urdf_names(model), drives, base)


def estimate(motor):
    match = None if motor is None else MotorMatch(motor, 1.0, 0.0, 0.0)
    return JointEstimate(np.eye(4), np.eye(3)[:2], Confidence(1.0, 1.0, 1.0), match)


def test_a_coupled_joint_follows_and_all_others_are_driven():
    found = meaning(arm_with_gripper())
    roles = {joint.name: joint.role for joint in found.joints}
    assert roles.pop("to_right") == "following"
    assert set(roles.values()) == {"driven"}
    gripper = found.groups[1]
    assert [joint.name for joint in found.of(gripper)] == ["to_left"]
    assert [joint.name for joint in found.of(gripper, "following")] == ["to_right"]


def test_a_joint_without_motor_is_passive_where_others_have_one():
    driven = joint("base", "a", estimate=estimate("m"))
    loose = joint("a", "b", estimate=estimate(None))
    assert [joint.role for joint in meaning(jointed(driven, loose)).joints] == ["driven", "passive"]
    assert [joint.role for joint in meaning(jointed(joint("base", "a"))).joints] == ["driven"]


def test_home_is_the_reference_within_the_limits():
    inside = replace(joint("base", "a"), reference=0.4)
    outside = replace(joint("a", "b"), reference=1.2)
    endless = replace(joint("b", "c", "continuous"), lower=-np.inf, upper=np.inf, reference=9.0)
    found = meaning(jointed(inside, outside, endless))
    assert [joint.home for joint in found.joints] == [0.4, 1.0, 9.0]


def test_known_drives_come_before_assumed_ones():
    known = DriveLimits(velocity=2.0, effort=30.0, acceleration=5.0)
    drives = {joint.name: joint.drive for joint in meaning(arm_with_gripper(), to_a=known).joints}
    assert drives["to_a"] == known
    assert drives["to_b"] == TURNING and drives["to_left"] == SLIDING


def test_names_are_those_of_the_urdf():
    model = arm_model()
    (group,) = meaning(model).groups
    assert group.joints == ("shoulder_pan", "arm_lift", "slide", "spin")
    assert group.base == "base_link"
    assert {joint.name for joint in meaning(model).joints} == set(group.joints)
