"""What held-out images say of joints."""

from dataclasses import replace

import numpy as np
import pytest
from sphere_images import CENTRE, cameras_at

from autourdf_ros.estimation.appearance.fitting.posed_image import PosedImage
from autourdf_ros.estimation.appearance.rasterizer.rasterize import rasterize
from autourdf_ros.estimation.appearance.splats.first_splats import first_splats
from autourdf_ros.estimation.appearance.splats.splat_model import posed
from autourdf_ros.estimation.appearance.unknown.color_refinement import ColoredRobot
from autourdf_ros.estimation.appearance.unknown.joint_support import joint_support
from autourdf_ros.estimation.common.structure.likelihood import StructureState
from autourdf_ros.model.forward_kinematics import link_poses
from autourdf_ros.model.kinematic_tree import KinematicTree
from autourdf_ros.model.tree_joint import TreeJoint


class EvenLikelihood:
    """Cannot distinguish parents."""

    def score(self, state):
        return 0.0


def robot():
    """Twelve splats on two links; the first joint bears the second."""
    rng = np.random.default_rng(0)
    joints = tuple(
        TreeJoint(child, "revolute", parent, child, axis, CENTRE, -1, 1)
        for child, parent, axis in (("a", "root", np.eye(3)[2]), ("b", "a", np.eye(3)[0]))
    )
    state = StructureState(KinematicTree(("root", "a", "b"), joints), np.zeros((1, 2)))
    splats = first_splats(
        rng.normal(0, 0.1, (12, 3)), rng.normal(size=(12, 3)), rng.uniform(0.3, 1, (12, 3))
    )
    return ColoredRobot(state, splats, np.repeat([1, 2], 6), np.zeros(1))


def drawn(own, values):
    """Images of the robot at values (F, J)."""
    images = []
    for view, poses in zip(
        cameras_at(len(values)), link_poses(own.state.tree, values), strict=True
    ):
        pixels = rasterize(posed(own.splats, own.labels, poses), view).pixels
        images.append(PosedImage(view, poses, pixels[..., :3].clip(0, 1), 1 - pixels[..., 3]))
    return images


def test_joints_that_images_show_move_exist_and_one_that_they_do_not_does_not():
    own, rng = robot(), np.random.default_rng(1)
    said = rng.uniform(0.3, 1, (8, 2))
    true = said * [1, 0]  # the second one does not move what hangs on it

    found = joint_support(own, drawn(own, true), said, EvenLikelihood(), own.state)

    assert found.exists[0] > 0.99
    assert found.exists[1] < 0.01


def test_parents_that_data_do_not_distinguish_are_even():
    own = robot()
    still = np.zeros((4, 2))

    found = joint_support(own, drawn(own, still), still, EvenLikelihood(), own.state)

    assert found.parents[1] == pytest.approx(0.5)
    assert (found.exists == 0.5).all()  # joints that no image shows move


def test_a_parent_that_data_favour_is_sure():
    own = robot()

    class Chain:
        def score(self, state):
            return 20.0 * (state.tree.joints[1].parent == "a")

    still = np.zeros((3, 2))
    assert joint_support(own, drawn(own, still), still, Chain(), own.state).parents[1] > 0.999
    other = replace(
        own.state, tree=own.state.tree.change_parent("b", "root"), values=own.state.values
    )
    assert joint_support(own, drawn(own, still), still, Chain(), other).parents[1] < 0.001
