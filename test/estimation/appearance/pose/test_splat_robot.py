"""Splats in a configuration, and what a loss of their image changes with the joints."""

import numpy as np
import pytest
from numpy.testing import assert_allclose
from splat_arm import drawn_images, splat_arm

from autourdf_ros.estimation.appearance.pose.pose_loss import pose_loss, pose_slope
from autourdf_ros.model.forward_kinematics import link_poses

FREE = np.array([0.4, -0.3, 0.04])


def test_followers_follow_and_the_poses_are_those_of_the_tree():
    robot = splat_arm(10)
    assert robot.names == ("turn", "bend", "slide")
    assert robot.slides.tolist() == [False, False, True]
    values = robot.values(FREE)
    assert values.tolist() == [0.4, -0.3, 0.04, 0.04]
    assert_allclose(robot.gaussians(FREE)[2], link_poses(robot.tree, values), atol=1e-12)


@pytest.mark.parametrize("number", [0, 1, 2])
def test_the_gradient_is_that_of_finite_differences(number):
    robot = splat_arm()
    images = drawn_images(robot, FREE + np.array([0.1, 0.12, 0.01]))
    _, slope = pose_slope(robot, images, FREE)
    step = 2e-3 * np.eye(3)[number]
    ahead, back = (pose_loss(robot, images, FREE + sign * step) for sign in (1, -1))
    # What fades at the edge of splats, and which is before which, has no gradient.
    assert slope[number] == pytest.approx((ahead - back) / 4e-3, rel=0.1, abs=3e-3)


def test_fewer_and_larger_splats_cover_as_much():
    robot = splat_arm()
    (image,) = drawn_images(robot, FREE, eyes=((1.2, -0.5, 0.7),))
    few = robot.thinned(4)
    assert len(few.links) == -(-len(robot.links) // 4)
    drawn = 1 - few.draw(FREE, image.camera).pixels[..., 3]
    assert drawn.sum() == pytest.approx(image.mask.sum(), rel=0.1)
