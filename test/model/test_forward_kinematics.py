"""Forward kinematics, against scipy's matrix exponential and against its own definitions."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from scipy.linalg import expm
from synthetic_robot import arm_model

from autourdf_ros.model.forward_kinematics import (
    configuration,
    link_frames,
    link_motions,
    link_poses,
)
from autourdf_ros.model.self_model import Joint, SelfModel
from autourdf_ros.model.tree_joint import joint_motion

MODEL = arm_model(count=20)
REFERENCE = np.array([joint.reference for joint in MODEL.joints])
VALUES = arrays(float, (4,), elements=st.floats(-3, 3))


def exponential(joint, value):
    """exp of the joint's screw, by the definition."""
    twist = np.zeros((4, 4))
    if joint.type == "prismatic":
        twist[:3, 3] = joint.axis
    else:
        twist[:3, :3] = np.cross(np.eye(3), joint.axis)
        twist[:3, 3] = -np.cross(joint.axis, joint.point)
    return expm(twist * (value - joint.reference))


@given(VALUES)
def test_motions_are_the_product_of_exponentials(values):
    expected = np.eye(4)
    motions = link_motions(MODEL.tree, values)
    for joint, value, motion in zip(MODEL.joints, values, motions[1:], strict=True):
        expected = expected @ exponential(joint, value)
        np.testing.assert_allclose(motion, expected, atol=1e-12)


def test_nothing_has_moved_at_the_reference_configuration():
    np.testing.assert_allclose(link_motions(MODEL.tree, REFERENCE), np.tile(np.eye(4), (5, 1, 1)))


@given(arrays(float, (2, 3, 4), elements=st.floats(-3, 3)))
def test_batches_equal_single_configurations(values):
    batch = link_poses(MODEL.tree, values)
    assert batch.shape == (2, 3, 5, 4, 4)
    np.testing.assert_allclose(batch[1, 2], link_poses(MODEL.tree, values[1, 2]), atol=1e-14)


def test_frames_are_parallel_to_the_base_when_every_joint_is_at_zero():
    poses = link_poses(MODEL.tree, np.zeros(4))
    np.testing.assert_allclose(poses[:, :3, :3], np.tile(np.eye(3), (5, 1, 1)), atol=1e-12)


def test_frame_origins_lie_at_the_joints():
    frames = link_frames(MODEL.tree)
    np.testing.assert_array_equal(frames[0], np.eye(4))
    np.testing.assert_array_equal(frames[1:, :3, 3], [joint.point for joint in MODEL.joints])


def test_a_fixed_joint_does_not_move():
    joint = Joint("weld", "fixed", "a", "b", np.array([0, 0, 1.0]), np.zeros(3), 0, 0)
    np.testing.assert_array_equal(joint_motion(joint, [0.0, 2.0]), np.tile(np.eye(4), (2, 1, 1)))


def test_joints_may_be_listed_in_any_order():
    shuffled = SelfModel.of(MODEL.name, MODEL.links, MODEL.joints[::-1])
    values = np.array([0.1, -0.7, 0.03, 2.0])
    np.testing.assert_allclose(
        link_motions(shuffled.tree, values[::-1]), link_motions(MODEL.tree, values)
    )


def test_configuration_fills_in_the_reference():
    values = configuration(MODEL.tree, {"slide": 0.05})
    np.testing.assert_array_equal(values, [REFERENCE[0], REFERENCE[1], 0.05, REFERENCE[3]])
    assert configuration(MODEL.tree, {"foreign": 1.0}) == pytest.approx(REFERENCE)
