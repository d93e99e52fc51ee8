"""Colour images that the capture node records beside its clouds."""

import numpy as np
import pytest
from sensor_msgs.msg import CameraInfo, Image

from autourdf_ros.data.images.image_folder import read_image_folder
from autourdf_ros.data.load import load_recording
from autourdf_ros.ros.common.conversions import clock_time, image_message, time_message

pytestmark = pytest.mark.timeout(300)

FRAME = "camera_0_optical_frame"  # of which the fake robot broadcasts the pose
MATRIX = [50.0, 0.0, 15.5, 0.0, 50.0, 11.5, 0.0, 0.0, 1.0]


class ColorCamera:
    """Publishes images whose colour counts them."""

    def __init__(self, cell, **info):
        self.node, self.info, self.count = cell.node, info, 0
        self.images = cell.node.create_publisher(Image, "/color/image", 5)
        self.infos = cell.node.create_publisher(CameraInfo, "/color/camera_info", 5)
        self.timer = cell.node.create_timer(0.1, self.publish)

    def publish(self):
        self.count += 1
        info = CameraInfo(width=32, height=24, k=MATRIX)
        for name, value in self.info.items():
            setattr(info, name, value)
        info.header.stamp, info.header.frame_id = time_message(clock_time(self.node)), FRAME
        self.infos.publish(info)
        pixels = np.full((24, 32, 3), self.count % 250, np.uint8)
        self.images.publish(image_message(pixels, "rgb8", info.header))

    def end(self):
        self.timer.cancel()


GIVEN = {"cameras": ["/camera_0/points"], "images": ["/color/image"], "sequences": 1}


def test_an_image_of_every_frame_is_recorded_with_pose_and_joint_positions(cell, robot):
    camera = ColorCamera(cell)
    cell.start_capture(**GIVEN)
    cell.start()
    cell.until(lambda: cell.completed)
    camera.end()
    recording = load_recording(cell.completed[0])
    images = read_image_folder(recording.source / "images").images
    assert len(images) == len(recording.frames) > 1
    for image, frame in zip(images, recording.frames, strict=True):
        assert image.joint_positions == pytest.approx(frame.joint_positions)
        np.testing.assert_allclose(image.camera.pose, frame.camera_poses[0], atol=1e-6)
        assert image.camera.focal == (50.0, 50.0) and image.color.shape == (24, 32, 3)
    shown = [int(image.color[0, 0, 0]) for image in images]
    assert len(set(shown)) == len(shown)


def test_a_camera_without_calibration_is_named_before_anything_moves(cell, robot):
    camera = ColorCamera(cell, d=[0.1, 0.0, 0.0, 0.0, 0.0])
    cell.start_capture(**GIVEN)
    cell.until(lambda: "/color/camera_info has the distortion" in cell.call("start").message)
    camera.end()
    assert not cell.recordings()
