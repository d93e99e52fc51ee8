from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from skeletons import X, Y, Z, arm, gripper, joint, quadruped, skeleton

from autourdf_ros.assessment.metrics.assignment import MAX_ANGLE, assign_joints


def shuffled(robot, random):
    joints = list(robot.joints)
    random.shuffle(joints)
    return replace(robot, joints=tuple(joints))


@given(st.randoms(use_true_random=False), st.sampled_from([arm, quadruped, gripper]))
def test_the_order_of_the_joints_does_not_matter(random, robot):
    true, estimate = robot(), shuffled(robot(), random)
    assignment = assign_joints(estimate, true)
    assert not assignment.missed
    assert not assignment.spurious
    for e, t in assignment.pairs:
        if true.joints[t].type == "revolute":
            assert estimate.joints[e].name == true.joints[t].name


@pytest.mark.slow
@given(st.integers(0, 2**32 - 1))
def test_joints_on_one_line_are_distinguished_by_what_hangs_on_them(seed):
    # An estimate may have a hip's origin elsewhere on its axis.
    random = np.random.default_rng(seed)
    true = quadruped()
    estimate = replace(
        true,
        joints=tuple(
            replace(j, point=j.point + random.uniform(-0.15, 0.15) * j.axis) for j in true.joints
        ),
    )
    for e, t in assign_joints(estimate, true).pairs:
        assert e == t


def test_joints_of_a_stretched_arm_are_distinguished_by_their_order():
    true = skeleton(
        [
            joint("q1", Z, [0, 0, 0], 0, 1),
            joint("q2", Y, [0, 0, 0.3], 1, 2),
            joint("q3", Z, [0, 0, 0.4], 2, 3),
            joint("q4", Y, [0, 0, 0.7], 3, 4),
            joint("q5", Z, [0, 0, 0.8], 4, 5),
        ]
    )
    estimate = replace(
        true, joints=tuple(replace(j, point=j.point * [1, 1, j.axis[1]]) for j in true.joints)
    )
    assert assign_joints(estimate, true).pairs == tuple((i, i) for i in range(5))


def test_a_bad_axis_is_still_paired_and_a_wrong_one_is_not():
    def tilted(degrees):
        angle = np.radians(degrees)
        joints = list(arm().joints)
        joints[3] = replace(joints[3], axis=np.array([np.cos(angle), 0, np.sin(angle)]))
        return replace(arm(), joints=tuple(joints))

    assert len(assign_joints(tilted(MAX_ANGLE - 1), arm()).pairs) == 4
    lost = assign_joints(tilted(MAX_ANGLE + 1), arm())
    assert lost.missed == lost.spurious == (3,)


def test_no_joint_may_stand_for_two():
    joints = [*arm().joints, joint("copy", X, [0.9, 0, 0.2], 4, 5)]
    assignment = assign_joints(skeleton(joints), arm())
    assert len(assignment.pairs) == 4
    assert assignment.spurious == (4,)


def test_a_slide_taken_for_a_turn_is_named():
    joints = list(gripper().joints)
    joints[1] = replace(joints[1], type="revolute", axis=Z, point=np.array([3.0, 0, 0]))
    assignment = assign_joints(skeleton(joints), gripper())
    assert len(assignment.pairs) == 2
    assert assignment.spurious == (1,)
    assert assignment.confused in (((1, 1),), ((1, 2),))


def test_an_empty_estimate_misses_everything():
    assignment = assign_joints(skeleton([]), arm())
    assert assignment.missed == (0, 1, 2, 3)
    assert assign_joints(arm(), skeleton([])).spurious == (0, 1, 2, 3)


def test_errors_of_a_good_estimate_do_not_swap_joints_on_one_line():
    random = np.random.default_rng(0)
    true = quadruped()
    for _ in range(20):
        joints = []
        for j in true.joints:
            axis = j.axis + random.normal(0, 0.015, 3)
            point = j.point + random.normal(0, 0.003, 3) + random.uniform(-0.03, 0.03) * j.axis
            joints.append(replace(j, axis=axis / np.linalg.norm(axis), point=point))
        estimate = replace(true, joints=tuple(joints))
        assert all(e == t for e, t in assign_joints(estimate, true).pairs)


def test_no_good_pair_is_torn_apart_for_two_bad_ones():
    """An invented joint near a knee stood for the knee, and the knee found for a wrist."""

    def tilted(degrees):
        angle = np.radians(degrees)
        return [np.sin(angle), 0, np.cos(angle)]

    true = skeleton(
        [joint("knee", Z, [0, 0, 0], 0, 1), joint("wrist", tilted(20), [0, 0, 0], 0, 2)]
    )
    estimate = skeleton(
        [joint("found", Z, [0, 0, 0], 0, 1), joint("invented", tilted(-25), [0, 0, 0], 0, 2)]
    )
    assignment = assign_joints(estimate, true)
    assert assignment.pairs == ((0, 0),)
    assert assignment.missed == (1,)
    assert assignment.spurious == (1,)


def test_an_origin_far_along_the_axis_keeps_no_joint_from_its_only_partner():
    true = skeleton([joint("a", Z, [0, 0, 0], 0, 1), joint("b", X, [0.3, 0, 0.3], 1, 2)])
    tilt = np.radians(MAX_ANGLE - 1)
    axis = [np.sin(tilt), 0, np.cos(tilt)]
    estimate = skeleton([joint("far", axis, np.multiply(3.0, axis), 0, 1)])
    assert assign_joints(estimate, true).pairs == ((0, 0),)
