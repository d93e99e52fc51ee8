"""Joint values of a result folder's robot from images of it."""

import json

import numpy as np
import pytest
from robot_images import robot_images
from sample_results import write_small_arm

from autourdf_ros.cli.main import main
from autourdf_ros.data.images.image_folder import read_image_folder, write_image_folder
from autourdf_ros.data.images.posed_camera import PinholeCamera
from autourdf_ros.data.images.robot_images import RobotImage, RobotImages
from autourdf_ros.data.images.transforms_file import TRANSFORMS_FILE
from autourdf_ros.errors import InputError
from autourdf_ros.estimation.appearance.appearance_options import AppearanceOptions
from autourdf_ros.estimation.appearance.axis_check import AxisCheckOptions
from autourdf_ros.estimation.appearance.fitting.fit_options import SplatFitOptions
from autourdf_ros.estimation.appearance.pose.estimate_pose import ExpectedErrors
from autourdf_ros.workflows.appearance import robot_pose as robot_pose_module
from autourdf_ros.workflows.appearance.robot_pose import (
    even_background,
    expected_errors,
)
from autourdf_ros.workflows.appearance.splat_result import splat_result

QUICK = AppearanceOptions(
    splats=900, held_out=4, good=2.0, fit=SplatFitOptions(60, 60), axes=AxisCheckOptions(0.0)
)


def without_positions(folder):
    """Remove the joints' positions of a folder of images."""
    content = json.loads((folder / TRANSFORMS_FILE).read_text())
    for frame in content["frames"]:
        del frame["joint_positions"]
    (folder / TRANSFORMS_FILE).write_text(json.dumps(content))


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    """A result folder with splats, and a folder of two images of one configuration."""
    folder = tmp_path_factory.mktemp("pose")
    write_small_arm(folder / "arm")
    splat_result(folder / "arm", robot_images(folder / "arm", 16), QUICK)
    return folder


def printed_pose(made, folder, capfd, seed):
    """What is printed of two images of one configuration, and its joint values."""
    images = robot_images(made / "arm", 2, size=48, seed=seed, same=True)
    write_image_folder(images, folder)
    without_positions(folder)
    code = main(["pose", str(made / "arm"), str(folder), "--json"])
    printed = json.loads(capfd.readouterr().out)
    assert code == (printed["verdict"]["trust"] != "trusted")
    return printed, images.images[0].joint_positions


@pytest.mark.slow
def test_images_without_positions_show_the_values(made, tmp_path, capfd):
    printed, true = printed_pose(made, tmp_path, capfd, seed=24)
    assert set(printed["joints"]) == set(true)
    assert printed["joints"]["arm_lift"]["shown"]
    for name, one in printed["joints"].items():
        assert one["recorded"] is None
        assert not one["shown"] or abs(one["value"] - true[name]) < 0.15


@pytest.mark.slow
def test_a_configuration_beyond_the_limits_is_not_met(made, tmp_path, capfd):
    printed, true = printed_pose(made, tmp_path, capfd, seed=5)
    assert true["slide"] < -0.1  # the model's slide ends at -0.05 m
    assert printed["verdict"]["trust"] == "doubtful"
    assert not any(one["shown"] for one in printed["joints"].values())
    assert "this is not the configuration" in printed["verdict"]["reasons"][0]
    assert len(printed["verdict"]["reasons"]) <= 2


def test_folders_without_positions_are_read_where_none_are_needed(tmp_path):
    rng = np.random.default_rng(0)
    image = robot_image(rng.integers(0, 255, (8, 8, 3)))
    write_image_folder(RobotImages((image,)), tmp_path)
    without_positions(tmp_path)
    assert read_image_folder(tmp_path, joints=False).images[0].joint_positions == {}
    with pytest.raises(InputError, match="joint_positions of frame 0 is missing"):
        read_image_folder(tmp_path)


def test_a_background_of_one_colour_is_a_mask_and_another_is_refused():
    pixels = np.full((12, 16, 3), 250, np.uint8)
    pixels[4:8, 5:9] = (200, 30, 40)
    pixels[0, 0] = 0  # a speck on the border
    mask = even_background(pixels, "images: frame 0")
    assert mask[4:8, 5:9].min() == 255 and (mask > 0).sum() == 17
    mixed = np.random.default_rng(0).integers(0, 255, (12, 16, 3)).astype(np.uint8)
    with pytest.raises(InputError, match=r"images: frame 0 has no mask, and only .* one colour"):
        even_background(mixed, "images: frame 0")


def test_what_is_expected_comes_from_the_fit_or_its_means(tmp_path, monkeypatch):
    section = {"robot_psnr": 28.0, "mask_overlap": 0.98}
    monkeypatch.setattr(robot_pose_module, "result_document", lambda folder: {"images": section})
    assert expected_errors(tmp_path) == ExpectedErrors(25.0, pytest.approx(0.95))
    section |= {"least_robot_psnr": 26.5, "least_mask_overlap": 0.97}
    assert expected_errors(tmp_path) == ExpectedErrors(26.5, 0.97)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["--start", "knee=1"], "joint 'knee' is none of the model; accepted are"),
        (["--start", "knee"], "--start: 'knee'; accepted is NAME=VALUE"),
    ],
)
def test_bad_starts_are_named(made, tmp_path, capfd, arguments, words):
    (tmp_path / "images").mkdir()
    write_image_folder(robot_images(made / "arm", 1, size=32), tmp_path / "images")
    assert main(["pose", str(made / "arm"), str(tmp_path / "images"), *arguments]) == 2
    assert words in capfd.readouterr().err


def robot_image(pixels):
    """An image of these colours by some camera."""
    height, width, _ = pixels.shape
    camera = PinholeCamera(width, height, (9.0, 9.0), (3.5, 3.5), np.eye(4))
    return RobotImage(camera, pixels.astype(np.uint8), {"a": 0.0})
