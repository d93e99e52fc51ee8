"""From a result folder and images to splats, and back to images."""

import json
import shutil
from dataclasses import replace

import numpy as np
import pytest
from robot_images import robot_images
from sample_results import write_small_arm

from autourdf_ros.data.images.robot_images import RobotImages
from autourdf_ros.errors import InputError
from autourdf_ros.estimation.appearance.appearance_options import AppearanceOptions
from autourdf_ros.estimation.appearance.axis_check import AxisCheckOptions
from autourdf_ros.estimation.appearance.fitting.fit_options import SplatFitOptions
from autourdf_ros.estimation.appearance.held_out_images import psnr
from autourdf_ros.model.document.self_model_reading import read_self_model
from autourdf_ros.workflows.appearance.drawn_robot import DrawnRobot
from autourdf_ros.workflows.appearance.splat_result import splat_result

pytestmark = pytest.mark.slow  # a result folder is written by processes

# The last link of the arm is three pixels long: its edges are all that is seen of it.
QUICK = AppearanceOptions(
    splats=900, held_out=4, good=2.0, fit=SplatFitOptions(60, 60), axes=AxisCheckOptions(0.3)
)


@pytest.fixture(scope="module")
def arm(tmp_path_factory):
    folder = tmp_path_factory.mktemp("results") / "arm"
    write_small_arm(folder)
    return folder


@pytest.fixture(scope="module")
def images(arm):
    return robot_images(arm, 16)


@pytest.fixture(scope="module")
def fitted(arm, images, tmp_path_factory):
    folder = tmp_path_factory.mktemp("fitted") / "arm"
    shutil.copytree(arm, folder)
    return folder, splat_result(folder, images, QUICK)


def test_held_out_images_are_predicted(fitted):
    _, found = fitted
    assert found.held_out == (0, 4, 8, 12)
    assert np.mean(psnr(found.errors.robot)) > 22 and np.mean(found.errors.overlap) > 0.85
    assert found.losses[-10:].mean() < 0.4 * found.losses[:3].mean()
    assert found.verdict.trust == "trusted", found.verdict


def test_the_folder_has_the_layer_and_draws_what_was_recorded(fitted, images):
    folder, found = fitted
    layer = read_self_model(folder).appearance
    assert layer.verdict == found.verdict and set(layer.rests_on) == {"kinematics", "shape"}
    assert layer.provenance.method == "appearance/splats"
    document = json.loads((folder / "reconstruction.json").read_text())
    assert document["images"]["robot_psnr"] == pytest.approx(np.mean(psnr(found.errors.robot)))
    robot, image = DrawnRobot(folder), images.images[8]
    drawn = robot.draw(image.joint_positions, image.camera)
    error = (drawn.color / 255.0 - image.color / 255.0) ** 2
    assert psnr(error.mean()) == pytest.approx(psnr(found.errors.whole[2]), abs=0.3)
    both = (image.mask > 0) & (drawn.link >= 0)
    assert np.median(np.abs(drawn.depth - image.depth)[both]) < 0.03 * np.nanmedian(image.depth)
    owners = [found.names[number] for number in np.unique(drawn.link[drawn.link >= 0])]
    assert set(owners) <= set(layer.links)


def test_images_of_other_joint_positions_are_doubted(arm, tmp_path):
    shutil.copytree(arm, tmp_path / "arm")
    wrong = robot_images(arm, 12, shift=0.6)
    options = replace(QUICK, fit=SplatFitOptions(20, 20))
    found = splat_result(tmp_path / "arm", wrong, options)
    assert found.verdict.trust == "doubtful"
    assert "cameras, joint positions or masks are not those" in found.verdict.reasons[0]


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"mask": None}, "frame 3 has no mask; accepted are images with mask_path"),
        ({"joint_positions": {"knee": 0.1}}, "joint 'knee' is none of the model; accepted are"),
    ],
)
def test_images_that_cannot_be_used_are_named(arm, images, changes, words):
    before = sorted(arm.rglob("*"))
    several = list(images.images)
    several[3] = replace(several[3], **changes)
    with pytest.raises(InputError, match=words):
        splat_result(arm, RobotImages(tuple(several)), QUICK)
    with pytest.raises(InputError, match="2 images; accepted are 8 or more"):
        splat_result(arm, RobotImages(images.images[:2]), QUICK)
    assert sorted(arm.rglob("*")) == before


def test_a_folder_without_splats_is_not_drawn(arm):
    with pytest.raises(InputError, match="has no splats; accepted is a folder that"):
        DrawnRobot(arm)
