"""The screen of a robot that holds the object which is weighed."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray
from rclpy.clock import ClockType
from rclpy.time import Time
from tf2_ros import TransformException

from autourdf_ros.commanding.screening.path_screen import PathScreen
from autourdf_ros.commanding.trajectory import Positions
from autourdf_ros.errors import InputError
from autourdf_ros.ros.identification.weighing_request import WeighingRequest

Array = NDArray[np.float64]

_NEWEST = Time(clock_type=ClockType.ROS_TIME)


def holding(
    path_screen: PathScreen,
    request: WeighingRequest,
    link: str,
    frame: str,
    start: Positions,
    frames: Callable[[str, Time], Array],
) -> PathScreen:
    """Return the screen with the held object's convex hull on the link that holds the sensor.

    Args:
        path_screen: Of the robot alone.
        request: With the object and its pose in the sensor's frame.
        link: Of the model, that holds the sensor.
        frame: Of the sensor; where it is not the link's, transforms show it in the base frame.
        start: Where the robot stands.
        frames: Returns a frame's pose (4, 4) in the base frame. Raises TransformException.

    Raises:
        InputError: the model has no such link, or no transform shows the sensor.
    """
    if request.held is None or request.pose is None:
        return path_screen
    pose = request.pose
    if frame != link:
        try:
            sensor = frames(frame, _NEWEST)
        except TransformException as error:
            raise InputError(
                f"no transform of {frame!r}, so that the held object cannot be screened: {error}; "
                "accepted is a sensor whose frame is published"
            ) from error
        pose = np.linalg.inv(path_screen.link_pose(link, start)) @ sensor @ pose
    held = request.held
    points = held.points if held.corners is None else held.corners
    points = points @ pose[:3, :3].T + pose[:3, 3]
    return path_screen.holding(points, link, start)
