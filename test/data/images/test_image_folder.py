"""Folders of images with joint positions: what is written comes back; faults are named."""

import json

import numpy as np
import pytest
from PIL import Image
from scipy.spatial.transform import Rotation

from autourdf_ros.data.images.image_folder import read_image_folder, write_image_folder
from autourdf_ros.data.images.posed_camera import PinholeCamera
from autourdf_ros.data.images.robot_images import RobotImage, RobotImages
from autourdf_ros.errors import InputError

SIZES = ((12, 8), (10, 6))


def images():
    rng = np.random.default_rng(0)
    made = []
    for number, (width, height) in enumerate(SIZES):
        pose = np.eye(4)
        pose[:3, :3] = Rotation.random(random_state=number).as_matrix()
        pose[:3, 3] = rng.normal(size=3)
        depth = rng.uniform(0.5, 2, (height, width)).astype(np.float32)
        depth[0, 0] = np.nan
        made.append(
            RobotImage(
                PinholeCamera(width, height, (20.0 + number, 21.0), (5.5, 3.5), pose),
                rng.integers(0, 256, (height, width, 3), np.uint8),
                {"elbow": float(number), "shoulder": 0.5},
                rng.integers(0, 256, (height, width), np.uint8),
                depth,
            )
        )
    return RobotImages(tuple(made))


@pytest.fixture
def folder(tmp_path):
    write_image_folder(images(), tmp_path)
    return tmp_path


def changed(folder, number, **entries):
    path = folder / "transforms.json"
    found = json.loads(path.read_text())
    frame = found["frames"][number] | entries
    found["frames"][number] = {k: v for k, v in frame.items() if v is not None}
    path.write_text(json.dumps(found))


def test_what_is_written_comes_back(folder):
    back, sent = read_image_folder(folder), images()
    assert back.joints == ("elbow", "shoulder") and back.source == folder
    assert np.array_equal(back.readings(), [[0, 0.5], [1, 0.5]])
    for found, made in zip(back.images, sent.images, strict=True):
        assert np.array_equal(found.color, made.color) and np.array_equal(found.mask, made.mask)
        assert np.allclose(found.depth, made.depth, atol=5.1e-5, equal_nan=True)
        assert np.allclose(found.camera.pose, made.camera.pose)
        assert found.camera.focal == made.camera.focal
        assert found.camera.principal == made.camera.principal


def test_images_need_no_masks_and_no_depths(folder):
    for number in range(2):
        changed(folder, number, mask_path=None, depth_file_path=None)
    assert all(i.mask is None and i.depth is None for i in read_image_folder(folder).images)


@pytest.mark.parametrize(
    ("entries", "words"),
    [
        ({"joint_positions": None}, "joint_positions of frame 1 is missing; accepted are numbers"),
        ({"joint_positions": {"elbow": "1"}}, "'elbow' is '1'; accepted is a number"),
        ({"joint_positions": {"elbow": float("nan")}}, "'elbow' is nan; accepted is a number"),
        ({"joint_positions": {"elbow": 0, "wrist": 0}}, r"differ in \['shoulder', 'wrist'\]"),
        ({"file_path": None}, "file_path of frame 1 is missing; accepted: a file"),
        ({"file_path": "../x.png"}, "accepted are files in"),
        ({"k1": 0.1}, "k1 is 0.1; accepted is 0: rectified images"),
        ({"w": 99}, "has 10 x 6 pixels; accepted is 99 x 6"),
        ({"transform_matrix": [[2, 0, 0, 0]] * 4}, "transform_matrix of frame 1 is no rotation"),
        ({"mask_path": "color/000001.png"}, "a mask of shape"),
    ],
)
def test_what_cannot_be_used_is_named(folder, entries, words):
    changed(folder, 1, **entries)
    with pytest.raises(InputError, match=words):
        read_image_folder(folder)


def test_a_folder_without_frames_or_file_says_what_is_accepted(tmp_path):
    with pytest.raises(InputError, match=r"transforms.json: is missing; accepted is a folder"):
        read_image_folder(tmp_path)
    (tmp_path / "transforms.json").write_text('{"frames": []}')
    with pytest.raises(InputError, match="has no frames; accepted"):
        read_image_folder(tmp_path)


def test_too_many_pixels_are_refused_before_they_are_read(folder):
    changed(folder, 0, w=40_000, h=40_000)
    Image.new("L", (1, 1)).save(folder / "color/000000.png")
    with pytest.raises(InputError, match="would take more than 4 GiB"):
        read_image_folder(folder)
