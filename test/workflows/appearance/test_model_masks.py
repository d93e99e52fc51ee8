"""Masks of images by the model's meshes."""

from dataclasses import replace

import numpy as np
import pytest
from robot_images import robot_images
from sample_results import write_small_arm

from autourdf_ros.data.images.robot_images import RobotImages
from autourdf_ros.model.document.self_model_reading import read_self_model
from autourdf_ros.workflows.appearance.model_masks import with_model_masks

pytestmark = pytest.mark.slow  # a result folder is written by processes


@pytest.fixture(scope="module")
def arm(tmp_path_factory):
    folder = tmp_path_factory.mktemp("results") / "arm"
    write_small_arm(folder)
    return folder, read_self_model(folder), robot_images(folder, 3)


def without(images, **changes):
    return RobotImages(tuple(replace(image, mask=None, **changes) for image in images.images))


def test_the_masks_are_those_of_the_meshes(arm):
    folder, model, images = arm
    for changes in ({}, {"depth": None}):
        found = with_model_masks(folder, model, without(images, **changes))
        for one, two in zip(found.images, images.images, strict=True):
            assert (one.mask != two.mask).mean() < 1e-3
            assert one.mask.any()


def test_what_stands_before_the_robot_is_left_out_where_depth_shows_it(arm):
    folder, model, images = arm
    hidden = images.images[0].mask.copy() > 0
    hidden[:, : hidden.shape[1] // 2] = False
    depth = np.where(hidden, images.images[0].depth - 0.1, images.images[0].depth)
    (found,) = with_model_masks(
        folder, model, RobotImages((replace(images.images[0], mask=None, depth=depth),))
    ).images
    assert hidden.any() and not found.mask[hidden].any()
    assert (found.mask[~hidden] == images.images[0].mask[~hidden]).mean() > 0.999


def test_masks_that_are_given_stay(arm):
    folder, model, images = arm
    given = RobotImages(
        tuple(replace(image, mask=np.zeros_like(image.mask)) for image in images.images)
    )
    found = with_model_masks(folder, model, given)
    assert not any(image.mask.any() for image in found.images)
