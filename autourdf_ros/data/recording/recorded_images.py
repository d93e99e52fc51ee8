"""Colour images beside a recording, in the layout of `read_image_folder`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from autourdf_ros.data.bags import topics
from autourdf_ros.data.images.image_folder import write_frame, write_frames
from autourdf_ros.data.images.image_message import (
    CAMERA_INFO,
    IMAGE,
    RECTIFIED,
    camera_of,
    pixels_of,
)
from autourdf_ros.data.images.robot_images import RobotImage
from autourdf_ros.data.images.transforms_file import TRANSFORMS_FILE, TransformsFile
from autourdf_ros.errors import InputError

IMAGES = "images"
"""Folder of the images in that of the recording."""


@dataclass(frozen=True)
class SerializedImage:
    """An image, taken while the robot stood still.

    Attributes:
        topic: Of the image.
        image: sensor_msgs/Image in CDR.
        info: sensor_msgs/CameraInfo in CDR.
        transform: (4, 4) from its frame to the fixed frame.
        stamp: Seconds.
    """

    topic: str
    image: bytes
    info: bytes
    transform: NDArray[np.float64]
    stamp: float


def read_image(given: SerializedImage, joints: Mapping[str, float]) -> RobotImage:
    """Return an image. Raise InputError naming its topic where it cannot be used."""
    try:
        info = topics.deserialize(given.info, CAMERA_INFO)
        camera = camera_of(info, given.topic, given.transform, RECTIFIED in given.topic)
        color = pixels_of(topics.deserialize(given.image, IMAGE))
    except ValueError as error:
        raise InputError(f"{given.topic}: {error}") from error
    if color.shape != (camera.height, camera.width, 3):
        raise InputError(
            f"{given.topic} has pixels {color.shape}; accepted are colours of {camera.width} x "
            f"{camera.height}, as its CameraInfo"
        )
    return RobotImage(camera, color, dict(joints))


class ImageSetWriter:
    """Adds images to a folder, which appears with the first one.

    `transforms.json` names an image once its file is whole: a kill loses at most the last images.
    """

    def __init__(self, folder: Path) -> None:
        """Continue what the folder holds. Raise InputError where that is damaged."""
        self._folder = folder
        self._frames: list[dict[str, Any]] = []
        if (folder / TRANSFORMS_FILE).exists():
            accepted = "accepted are images that a capture recorded"
            self._frames = TransformsFile.read(folder, accepted).frames

    def add(self, images: Sequence[RobotImage]) -> None:
        """Write images."""
        if not images:
            return
        self._folder.mkdir(exist_ok=True)
        for image in images:
            self._frames.append(write_frame(image, self._folder, len(self._frames)))
        write_frames(self._frames, self._folder)
