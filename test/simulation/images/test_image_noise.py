"""Images as a real camera makes them: every error is as large as it says, and the truth is kept."""

import json
from dataclasses import replace

import numpy as np
import pytest

from autourdf_ros.data.images.image_folder import read_image_folder
from autourdf_ros.data.images.posed_camera import PinholeCamera, look_at
from autourdf_ros.data.images.robot_images import RobotImage, RobotImages
from autourdf_ros.data.images.transforms_file import OPENGL
from autourdf_ros.simulation.images.image_noise import ImageNoise, with_noise
from autourdf_ros.simulation.images.image_set_files import write_noisy_image_set

SIZE, COUNT, GREY = 96, 40, 120
NONE = ImageNoise(0, 0, 0, 0, 0, 6, 0, 0, (2, 3), 0, 0)


class Joint:
    def __init__(self, name, kind):
        self.name, self.kind = name, kind


class Robot:
    """As far as noise needs it."""

    joints = (Joint("turn", "revolute"), Joint("slide", "prismatic"))


@pytest.fixture(scope="module")
def clean():
    """A grey disc of 30 pixels, 2 m away."""
    rows, columns = np.indices((SIZE, SIZE)) - (SIZE - 1) / 2
    disc = rows**2 + columns**2 <= 30**2
    camera = PinholeCamera(
        SIZE, SIZE, (150.0, 150.0), (47.5, 47.5), look_at(np.array([2.0, 0, 0]), np.zeros(3))
    )
    image = RobotImage(
        camera,
        np.where(disc[..., None], GREY, 0).astype(np.uint8).repeat(3, axis=2),
        {"turn": 0.1, "slide": 0.2},
        disc.astype(np.uint8) * np.uint8(255),
        np.where(disc, 2, np.nan).astype(np.float32),
    )
    return RobotImages((image,) * COUNT)


def only(clean, count=COUNT, **given):
    return with_noise(RobotImages(clean.images[:count]), Robot, replace(NONE, **given), 3)


def test_without_noise_nothing_changes(clean):
    for one, two in zip(only(clean, 2).images.images, clean.images, strict=False):
        assert np.array_equal(one.color, two.color)
        assert np.array_equal(one.mask, two.mask)
        assert np.allclose(one.camera.pose, two.camera.pose)
        assert one.joint_positions == two.joint_positions


def test_cameras_are_off_by_what_is_said(clean):
    noisy = only(clean, camera=2.0).images
    middle = np.zeros((1, 3))
    apart = [
        image.camera.project(middle)[0][0] - clean.images[0].camera.project(middle)[0][0]
        for image in noisy.images
    ]
    assert np.sqrt(np.mean(np.sum(np.square(apart), axis=1))) == pytest.approx(2.0, rel=0.25)
    assert len({tuple(np.round(one, 6)) for one in apart}) == COUNT


def test_exposure_and_sensor_are_as_said(clean):
    seen = clean.images[0].mask > 0
    noisy = only(clean, exposure=0.05)
    means = [image.color[seen].mean() / GREY for image in noisy.images.images]
    assert means == pytest.approx(noisy.exposures, abs=0.005)
    assert np.std(np.log(means)) == pytest.approx(0.05, rel=0.35)
    image = only(clean, 1, shot=0.02, read=0.01).images.images[0].color
    expected = 255 * np.sqrt(0.01**2 + 0.02**2 * GREY / 255)
    assert image[seen].astype(float).std() == pytest.approx(expected, rel=0.1)


def test_masks_have_wrong_outlines_holes_and_blobs(clean):
    true = clean.images[0].mask > 0
    rows, columns = np.indices((SIZE, SIZE)) - (SIZE - 1) / 2
    radius = np.hypot(rows, columns)
    for image in only(clean, 8, outline=1.0).images.images:
        wrong = (image.mask > 0) != true
        assert 20 < wrong.sum() < 400  # of an outline of 188 pixels
        assert np.abs(radius[wrong] - 30).max() < 5
    holes, blobs = (only(clean, 8, **{name: 3.0}).images.images for name in ("holes", "blobs"))
    assert all(not ((image.mask > 0) & ~true & (radius > 33)).any() for image in holes)
    assert np.mean([((image.mask == 0) & true).sum() for image in holes]) > 20
    assert np.mean([((image.mask > 0) & ~true).sum() for image in blobs]) > 20


def test_encoders_are_off_by_what_is_said(clean):
    noisy = only(clean, encoder=1e-3, linear_encoder=1e-5).images
    turn, slide = (
        np.array([image.joint_positions[name] for image in noisy.images])
        for name in ("turn", "slide")
    )
    assert (turn - 0.1).std() == pytest.approx(1e-3, rel=0.35)
    assert (slide - 0.2).std() == pytest.approx(1e-5, rel=0.35)


@pytest.mark.slow
def test_the_truth_is_written_beside(tmp_path):
    from test_image_recording import URDF, options

    from autourdf_ros.model.urdf.simulated_robot import SimulatedRobot
    from autourdf_ros.simulation.images.image_recording import record_images

    (tmp_path / "arm.urdf").write_text(URDF)
    robot = SimulatedRobot(tmp_path / "arm.urdf")
    images = record_images(robot, options())
    write_noisy_image_set(images, robot, ImageNoise(), 0, tmp_path / "set")
    truth = json.loads((tmp_path / "set" / "truth.json").read_text())
    read = read_image_folder(tmp_path / "set")
    assert [joint["name"] for joint in truth["joints"]] == ["tilt"]
    for one, true, stated in zip(truth["images"], images.images, read.images, strict=True):
        assert np.allclose(np.array(one["transform_matrix"]) @ OPENGL, true.camera.pose)
        assert one["joint_positions"] == true.joint_positions
        assert not np.allclose(true.camera.pose, stated.camera.pose, atol=1e-5)
        assert 0.8 < one["exposure"] < 1.25
