"""Joint values from images: found, and doubted where they cannot be known."""

from dataclasses import replace

import numpy as np
import pytest
from splat_arm import drawn_images, splat_arm, without_mask

from autourdf_ros.errors import InputError
from autourdf_ros.estimation.appearance.pose.estimate_pose import ExpectedErrors, estimate_pose
from autourdf_ros.estimation.appearance.pose.pose_options import PoseOptions

TRUE = np.array([0.7, -0.5, 0.05])
EXPECTED = ExpectedErrors(30.0, 0.9)
FEW = PoseOptions(starts=24, kept=(3, 1), smallest=24, thinned=2, redrawn=4, refined=1, steps=20)


@pytest.fixture(scope="module")
def robot():
    return splat_arm()


@pytest.mark.slow
def test_two_images_show_all_joints(robot):
    found = estimate_pose(robot, drawn_images(robot, TRUE), EXPECTED, FEW)
    assert np.abs(found.free - TRUE).max() < 0.005, found
    assert found.shown.all() and found.verdict.trust == "trusted", found.verdict
    assert (np.abs(found.free - TRUE) < 5 * found.stds + 1e-3).all()


@pytest.mark.slow
def test_a_start_that_is_far_off_is_enough(robot):
    images = drawn_images(robot, TRUE, eyes=((1.2, -0.5, 0.7),))
    options = replace(FEW, starts=10, near=1.0)
    found = estimate_pose(robot, images, EXPECTED, options, TRUE + np.array([0.5, -0.5, 0.03]))
    assert np.abs(found.free - TRUE).max() < 0.01


@pytest.mark.slow
def test_images_of_another_robot_are_doubted(robot):
    other = splat_arm(seed=1)
    other.splats.albedos[:] = other.splats.albedos[:, ::-1]
    found = estimate_pose(robot, drawn_images(other, TRUE), EXPECTED, FEW)
    assert found.verdict.trust == "doubtful"
    assert "or not this robot, camera or light" in found.verdict.reasons[0]


@pytest.mark.slow
def test_a_joint_behind_the_robot_is_not_determined(robot):
    hidden = robot.links >= 3
    robot = replace(robot, splats=replace(robot.splats, logits=robot.splats.logits - 40 * hidden))
    found = estimate_pose(robot, drawn_images(robot, TRUE), EXPECTED, FEW)
    assert found.shown.tolist() == [True, True, False]
    assert found.verdict.reasons == ("the images do not determine slide",)


@pytest.mark.slow
def test_joints_whose_links_have_no_splats_are_not_determined(robot):
    ball = replace(robot, splats=replace(robot.splats, albedos=robot.splats.albedos * 0 + 0.5))
    ball.splats.logits[ball.links != 1] = -40
    images = drawn_images(ball, TRUE, eyes=((0, 0, 2.0),))
    found = estimate_pose(ball, images, EXPECTED, FEW)
    assert not found.shown[1:].any() and found.verdict.trust == "doubtful"


def test_images_that_show_no_robot_are_refused(robot):
    images = [without_mask(one) for one in drawn_images(robot, TRUE)]
    with pytest.raises(InputError, match="the robot is in no mask; accepted are images that show"):
        estimate_pose(robot, images, EXPECTED, FEW)
