"""What draws a simulated robot as a camera sees it."""

from __future__ import annotations

from typing import Protocol

from autourdf_ros.data.images.posed_camera import PinholeCamera
from autourdf_ros.data.images.robot_images import RobotImage
from autourdf_ros.geometry.arrays import Array


class ImageRenderer(Protocol):
    """Draws a robot."""

    def draw(self, values: Array, camera: PinholeCamera) -> RobotImage:
        """Return an image with mask, depth and joint positions.

        Args:
            values: (J,) of all joints of the simulated robot, rad or m.
            camera: In the fixed frame.
        """
        ...
