"""Joint positions in images, as a model takes them."""

import numpy as np

from autourdf_ros.data.images.posed_camera import PinholeCamera
from autourdf_ros.data.images.robot_images import RobotImage, RobotImages
from autourdf_ros.workflows.appearance.image_poses import without_lost_motors


def test_motors_that_images_showed_nothing_of_are_left_out():
    camera = PinholeCamera(2, 2, (2.0, 2.0), (0.5, 0.5), np.eye(4))
    image = RobotImage(camera, np.zeros((2, 2, 3), np.uint8), {"a": 0.1, "flange": 0.2, "b": 0.3})
    images = RobotImages((image, image))
    document = {"images_alone": {"lost_motors": [["flange"], ["other"]]}}
    found = without_lost_motors(document, images)
    assert found.joints == ("a", "b") and found.readings().tolist() == [[0.1, 0.3]] * 2
    assert without_lost_motors({}, images) == images
