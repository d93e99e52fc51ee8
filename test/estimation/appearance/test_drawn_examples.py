"""The held-out images that are shown, and the part of them around the robot."""

import numpy as np
import pytest
from splat_arm import drawn_images, splat_arm, without_mask

from autourdf_ros.estimation.appearance.drawn_examples import around_robot, drawn_examples
from autourdf_ros.estimation.appearance.held_out_images import held_out_errors, psnr


def test_the_part_around_the_robot_is_square_and_ends_with_the_image():
    mask = np.zeros((100, 200))
    mask[40:60, 5:15] = 1
    rows, columns = around_robot(mask)
    assert mask[rows, columns].sum() == mask.sum()
    assert (rows.stop - rows.start) == 26 and columns.start == 0 and columns.stop == 23
    assert mask[around_robot(np.zeros_like(mask))].shape == mask.shape


def test_examples_go_from_the_best_to_the_worst_and_leave_out_images_without_the_robot():
    robot = splat_arm()
    images = drawn_images(robot, [0.2, 0.4, 0.02], eyes=((1.2, -0.5, 0.7), (0.1, 1.3, 0.6)) * 3)
    for number, image in enumerate(images):
        image.color[:] += np.float32(0.02 * ((number * 4) % 7)) * image.mask[..., None]
    images[2] = without_mask(images[2])
    errors = held_out_errors(robot.splats, robot.links, images)
    numbered = {10 * number: image for number, image in enumerate(images)}
    found = drawn_examples(robot.splats, robot.links, numbered, errors)
    assert [one.frame for one in found] == [0, 40, 30, 50]
    ratios = [float(psnr(one.error)) for one in found]
    assert ratios == sorted(ratios, reverse=True)
    worst = found[-1]
    off = np.abs(worst.recorded - worst.drawn) / worst.mask.clip(0.1)[..., None]
    assert off[worst.mask > 0.5].mean() == pytest.approx(0.02 * ((5 * 4) % 7), abs=1e-3)
