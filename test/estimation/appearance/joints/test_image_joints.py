"""Corrections of joints: what they move, and the gradients by them."""

from dataclasses import fields

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose

from autourdf_ros.estimation.appearance.joints.image_joints import AxisCorrections, ImageJoints
from autourdf_ros.geometry.rigid_motion import inverse, log_se3
from autourdf_ros.model.forward_kinematics import link_poses
from autourdf_ros.model.kinematic_tree import KinematicTree
from autourdf_ros.model.tree_joint import TreeJoint

TYPES = ("revolute", "prismatic", "continuous", "revolute")
PARENTS = ("base", "a", "a", "b")
LINKS = ("base", "a", "b", "c", "d")


def joints_of(seed):
    """A branched robot with all kinds of joints, in three images."""
    rng = np.random.default_rng(seed)
    axes = rng.normal(size=(4, 3))
    axes /= np.linalg.norm(axes, axis=1, keepdims=True)
    tree = KinematicTree(
        LINKS,
        tuple(
            TreeJoint(
                f"to_{child}", kind, parent, child, axis, rng.normal(size=3), -9, 9, 0.2 * index
            )
            for index, (kind, parent, child, axis) in enumerate(
                zip(TYPES, PARENTS, LINKS[1:], axes, strict=True)
            )
        ),
    )
    values = np.array([[-0.5], [0], [0.5]]) + rng.uniform(-0.2, 0.2, (3, 4))
    return ImageJoints(tree, values), rng


def changed(corrections, name, at, step):
    arrays = {key: value.copy() for key, value in corrections.arrays().items()}
    arrays[name][at] += step
    return AxisCorrections(**arrays)


def test_without_corrections_the_poses_are_those_of_the_tree():
    joints, _ = joints_of(0)
    none = AxisCorrections.none(4)
    for image, values in enumerate(joints.values):
        assert_allclose(joints.poses(image, none), link_poses(joints.tree, values), atol=1e-12)


@settings(max_examples=15, deadline=None)
@given(seed=st.integers(0, 10_000))
def test_gradients_are_those_of_finite_differences(seed):
    joints, rng = joints_of(seed)
    twists = rng.normal(size=(5, 6))
    none = AxisCorrections.none(4)
    found = joints.gradients(1, none, twists)
    before = joints.poses(1, none)
    for field in fields(none):
        for at in np.ndindex(getattr(none, field.name).shape):
            step = 1e-6
            after, back = (
                joints.poses(1, changed(none, field.name, at, sign * step)) for sign in (1, -1)
            )
            moved = log_se3(after @ inverse(before)) - log_se3(back @ inverse(before))
            expected = np.sum(twists * moved) / (2 * step)
            assert getattr(found, field.name)[at] == pytest.approx(expected, abs=1e-5)


def test_a_joint_that_does_not_move_has_no_gradient():
    joints, rng = joints_of(1)
    values = joints.values.copy()
    values[:, 0] = 0.3
    still = ImageJoints(joints.tree, values)
    assert still.moved.tolist() == [False, True, True, True]
    found = still.gradients(1, AxisCorrections.none(4), rng.normal(size=(5, 6)))
    assert not found.turns[0].any() and found.turns[1:].all()
    assert not found.shifts[:2].any() and found.shifts[2:].all()  # joint 1 slides


def test_a_corrected_tree_moves_as_the_corrected_images():
    joints, rng = joints_of(2)
    some = AxisCorrections(rng.normal(0, 0.05, (4, 2)), rng.normal(0, 0.02, (4, 2)))
    tree = joints.corrected(some)
    for before, after, turn in zip(joints.tree.joints, tree.joints, some.turns, strict=True):
        assert np.arccos(before.axis @ after.axis) == pytest.approx(np.linalg.norm(turn))
    home = joints.poses(0, some) @ inverse(joints.poses(0, AxisCorrections.none(4)))
    assert np.abs(log_se3(home)[1:]).max() > 1e-3
    still = ImageJoints(joints.tree, joints.tree.reference_values[None])
    assert_allclose(
        still.poses(0, some), still.poses(0, AxisCorrections.none(4)), atol=1e-12
    )  # where the joints are at their references, nothing moves
