"""Images that are recorded beside frames."""

import json

import numpy as np
import pytest
from video_bags import POSE, image, info

from autourdf_ros.data.bags.topics import typestore
from autourdf_ros.data.images.image_folder import read_image_folder
from autourdf_ros.data.recording.recorded_images import (
    ImageSetWriter,
    SerializedImage,
    read_image,
)
from autourdf_ros.errors import InputError

PIXELS = np.random.default_rng(0).integers(0, 255, (4, 6, 3)).astype(np.uint8)


def cdr(message):
    return bytes(typestore().serialize_cdr(message, message.__msgtype__))


def given(pixels=PIXELS, encoding="rgb8", **lens):
    return SerializedImage(
        "/cam/image", cdr(image(10**9, pixels, encoding)), cdr(info(**lens)), POSE, 1.0
    )


def test_images_are_added_and_an_interrupted_set_continues(tmp_path):
    for number in range(3):
        writer = ImageSetWriter(tmp_path / "images")
        writer.add([read_image(given(), {"pan": float(number)})])
    images = read_image_folder(tmp_path / "images").images
    assert [one.joint_positions["pan"] for one in images] == [0.0, 1.0, 2.0]
    assert all((one.color == PIXELS).all() for one in images)
    np.testing.assert_allclose(images[2].camera.pose, POSE, atol=1e-12)


def test_no_image_makes_no_folder(tmp_path):
    ImageSetWriter(tmp_path / "images").add([])
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize(
    ("image_given", "named"),
    [
        (given(d=(0.1, 0.0)), "/cam/image has the distortion"),
        (given(size=(8, 4)), "/cam/image has pixels"),
        (given(PIXELS[..., 0].astype(np.uint16), "mono16"), "/cam/image has pixels"),
        (SerializedImage("/cam/image", b"x", cdr(info()), POSE, 1.0), "/cam/image: is no"),
    ],
)
def test_an_image_that_cannot_be_used_is_named(image_given, named):
    with pytest.raises(InputError, match=named):
        read_image(image_given, {})


def test_a_damaged_set_is_not_continued(tmp_path):
    (tmp_path / "transforms.json").write_text(json.dumps({"frames": 3}))
    with pytest.raises(InputError, match="'frames' is 3"):
        ImageSetWriter(tmp_path)
