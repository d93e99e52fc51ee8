"""From images and motor positions alone to a result folder."""

import numpy as np
import pytest
from sphere_images import cameras_at

from autourdf_ros.data.images.robot_images import RobotImage, RobotImages
from autourdf_ros.errors import InputError
from autourdf_ros.workflows.appearance.images_alone import images_to_folder


def test_an_image_without_a_mask_is_named(tmp_path):
    images = RobotImages(
        tuple(
            RobotImage(view, np.zeros((48, 48, 3), np.uint8), {"motor": 0.0})
            for view in cameras_at(3)
        )
    )

    with pytest.raises(InputError, match="frame 0 has no mask; without a model, accepted are"):
        images_to_folder(images, tmp_path / "out", "robot")

    assert not (tmp_path / "out").exists()
