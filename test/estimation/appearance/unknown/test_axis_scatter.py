"""Axes that are found again: how they are compared, and splats that change their frame."""

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy.spatial.transform import Rotation

from autourdf_ros.estimation.appearance.joints.image_joints import AxisCorrections, ImageJoints
from autourdf_ros.estimation.appearance.splats.first_splats import first_splats
from autourdf_ros.estimation.appearance.splats.splat_model import posed
from autourdf_ros.estimation.appearance.unknown.axis_scatter import corrections_between
from autourdf_ros.estimation.appearance.unknown.color_refinement import moved_splats
from autourdf_ros.model.kinematic_tree import KinematicTree
from autourdf_ros.model.tree_joint import TreeJoint


def arm():
    """One joint that turns and one that slides."""
    rng = np.random.default_rng(0)
    axes = rng.normal(size=(2, 3))
    axes /= np.linalg.norm(axes, axis=1, keepdims=True)
    joints = tuple(
        TreeJoint(child, kind, parent, child, axis, rng.normal(size=3), -1, 1)
        for kind, parent, child, axis in zip(
            ("revolute", "prismatic"), ("root", "a"), ("a", "b"), axes, strict=True
        )
    )
    return ImageJoints(KinematicTree(("root", "a", "b"), joints), np.zeros((3, 2)))


def test_small_corrections_are_found_between_the_trees():
    joints, rng = arm(), np.random.default_rng(1)
    given = AxisCorrections(rng.normal(0, 0.01, (2, 2)), rng.normal(0, 0.01, (2, 2)))

    found = corrections_between(joints, joints.corrected(given))

    assert_allclose(found.turns, given.turns, atol=2e-4)
    assert_allclose(found.shifts[0], given.shifts[0], atol=2e-4)
    assert (found.shifts[1] == 0).all()


@pytest.mark.parametrize("along", [-0.7, 0.4])
def test_a_point_elsewhere_on_the_axis_is_no_shift(along):
    joints = arm()
    first, second = joints.tree.joints
    slid = TreeJoint(
        "a", "revolute", "root", "a", first.axis, first.point + along * first.axis, -1, 1
    )

    found = corrections_between(joints, KinematicTree(joints.tree.links, (slid, second)))

    assert_allclose(found.shifts, 0, atol=1e-12)
    assert_allclose(found.turns, 0, atol=1e-12)


def test_splats_in_other_frames_look_the_same():
    rng = np.random.default_rng(2)
    normals = rng.normal(size=(6, 3))
    splats = first_splats(rng.normal(size=(6, 3)), normals, rng.uniform(size=(6, 3)))
    motion = np.eye(4)
    motion[:3, :3] = Rotation.from_rotvec([0.3, -0.5, 0.9]).as_matrix()
    motion[:3, 3] = [0.1, 0.2, -0.3]
    labels = np.zeros(6, np.int64)

    before = posed(splats, labels, motion[None])
    after = posed(moved_splats(splats, np.tile(motion, (6, 1, 1))), labels, np.eye(4)[None])

    for name in ("means", "covariances", "colors", "opacities"):
        assert_allclose(getattr(after, name), getattr(before, name), atol=2e-5)
