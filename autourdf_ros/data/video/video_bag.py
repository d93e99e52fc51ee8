"""Reads a video from a ROS bag: sensor_msgs/Image and CameraInfo, and the camera's pose of TF."""

from __future__ import annotations

import struct
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from autourdf_ros.data.bags import topics
from autourdf_ros.data.bags.bag_index import TRANSFORMS, add_transforms
from autourdf_ros.data.bags.plain_bag import BagMessage, PlainBag
from autourdf_ros.data.bags.transform_tree import TransformTree
from autourdf_ros.data.images.image_files import metres
from autourdf_ros.data.images.image_message import (
    CAMERA_INFO,
    DEPTH_UNIT,
    DEPTHS,
    IMAGE,
    RECTIFIED,
    camera_of,
    pixels_of,
)
from autourdf_ros.data.images.posed_camera import PinholeCamera
from autourdf_ros.data.video.camera_video import CameraVideo
from autourdf_ros.data.video.video_checks import (
    check_amount,
    check_stamps,
    check_stillness,
    checked_video,
)
from autourdf_ros.errors import InputError
from autourdf_ros.progress import Progress, silent, staged

Array = NDArray[np.float64]

_SAME_MOMENT = 0.5  # a colour belongs to the depth within this share of the period


@dataclass(frozen=True)
class VideoTopics:
    """Topics of a bag; None where they follow from the bag.

    Attributes:
        depth: Of depth images.
        color: Of colour images, registered to the depth images.
        info: Of the camera.
        world: Frame that does not move, z up.
    """

    depth: str | None = None
    color: str | None = None
    info: str | None = None
    world: str | None = None


@dataclass(frozen=True)
class _Images:
    """stamps: ns. frame: of the camera. pixels: (H, W[, 3]) each."""

    topic: str
    stamps: list[int]
    frame: str
    pixels: list[NDArray[Any]]
    is_depth: bool


def read_video_bag(
    path: Path, chosen: VideoTopics | None = None, progress: Progress = silent
) -> CameraVideo:
    """Return the video of a bag.

    Args:
        path: A rosbag2 folder, or an .mcap or .db3 file.
        chosen: Topics and frame.
        progress: Is called with stage and fraction.

    Raises:
        InputError: names the bag, the topic or the frame.
    """
    chosen = chosen or VideoTopics()
    with PlainBag(path) as bag:
        known = bag.of_type(IMAGE)
        names = [name for name in (chosen.depth, chosen.color) if name] or known
        if wrong := [name for name in names if name not in known]:
            raise InputError(f"{path}: has no images on {wrong[0]}; its topics are {_list(known)}")
        if not known:
            raise InputError(f"{path}: has no topic of {IMAGE}; accepted is a bag with one")
        reading = _Reading(bag, chosen, names)
        wanted = {*names, *bag.of_type(TRANSFORMS), reading.info_topic}
        for message in bag.messages(wanted, staged(progress, "reading images")):
            reading.take(message)
        return checked_video(reading.video())


class _Reading:
    def __init__(self, bag: PlainBag, chosen: VideoTopics, names: Sequence[str]) -> None:
        self._path, self._types, self._world = bag.path, bag.types, chosen.world
        self._images: dict[str, list[tuple[int, Any]]] = {name: [] for name in names}
        self._kept = 0
        self._info: Any = None
        self._tree = TransformTree()
        self.info_topic = self._info_topic(bag, chosen, names)

    def _info_topic(self, bag: PlainBag, chosen: VideoTopics, names: Sequence[str]) -> str:
        known = bag.of_type(CAMERA_INFO)
        if chosen.info is not None:
            if chosen.info not in known:
                raise InputError(
                    f"{bag.path}: has no {CAMERA_INFO} on {chosen.info}; its topics are "
                    f"{_list(known)}"
                )
            return chosen.info
        beside = [name for name in known if name.rpartition("/")[0] == names[0].rpartition("/")[0]]
        found = beside or known
        if len(found) != 1:
            raise InputError(
                f"{bag.path}: {CAMERA_INFO} of {names[0]} is not known; its topics are "
                f"{_list(known)}: name one"
            )
        return found[0]

    def take(self, message: BagMessage) -> None:
        """Take a message."""
        kind = self._types[message.topic]
        try:
            if message.topic in self._images:
                self._take_image(message)
            elif message.topic == self.info_topic:
                self._info = self._info or topics.deserialize(message.data, CAMERA_INFO)
            else:
                add_transforms(self._tree, message)
        except (struct.error, ValueError, IndexError) as error:
            raise InputError(
                f"{self._path}: topic {message.topic} at {message.received / 1e9:.3f} s: cannot be "
                f"read as {kind} ({error})"
            ) from error

    def _take_image(self, message: BagMessage) -> None:
        found: Any = topics.deserialize(message.data, IMAGE)
        stamp = found.header.stamp.sec * 10**9 + found.header.stamp.nanosec
        pixels = pixels_of(found)
        self._images[message.topic].append(
            (stamp or message.received, (pixels, found.encoding, found.header.frame_id))
        )
        self._kept += 1
        check_amount(str(self._path), self._kept, (pixels.shape[1], pixels.shape[0]), 4)

    def video(self) -> CameraVideo:
        """Return the video of all messages."""
        streams = [self._stream(name, found) for name, found in self._images.items() if found]
        depths = [stream for stream in streams if stream.is_depth]
        colors = [stream for stream in streams if not stream.is_depth]
        for kind, found in (("depth", depths), ("colour", colors)):
            if len(found) > 1:
                raise InputError(
                    f"{self._path}: has {kind} images on {_list([one.topic for one in found])}; "
                    "accepted is one topic: name it"
                )
        if not streams:
            raise InputError(f"{self._path}: has no image; accepted is at least one")
        first = (depths or colors)[0]
        stamps = np.array(first.stamps, np.int64)
        seconds = (stamps - stamps[0]) / 1e9
        check_stamps(f"{self._path}: {first.topic}", seconds)
        camera = self._camera(first)
        depth = np.stack([metres(image, DEPTH_UNIT) for image in first.pixels]) if depths else None
        color = None
        if colors:
            color = _matched(self._path, colors[0], stamps, camera)
        return CameraVideo(camera, seconds, depth, color, source=self._path)

    def _stream(self, name: str, found: list[tuple[int, Any]]) -> _Images:
        found = sorted(found, key=lambda item: item[0])
        kinds = {item[1][1:] for item in found}
        shapes = {item[1][0].shape for item in found}
        if len(kinds) > 1 or len(shapes) > 1:
            raise InputError(
                f"{self._path}: topic {name} changes from {sorted(kinds)[0]} to "
                f"{sorted(kinds)[-1]}, sizes {sorted(shapes)}; accepted is one camera"
            )
        encoding, frame = kinds.pop()
        return _Images(
            name, [one for one, _ in found], frame, [i[1][0] for i in found], encoding in DEPTHS
        )

    def _camera(self, images: _Images) -> PinholeCamera:
        info = self._info
        if info is None:
            raise InputError(f"{self._path}: topic {self.info_topic} has no message")
        height, width = images.pixels[0].shape[:2]
        if (info.width, info.height) != (width, height):
            raise InputError(
                f"{self._path}: {self.info_topic} is of {info.width} x {info.height} pixels, "
                f"{images.topic} of {width} x {height}; accepted are equal sizes"
            )
        try:
            camera = camera_of(info, self.info_topic, np.eye(4), RECTIFIED in images.topic)
        except InputError as error:
            raise InputError(f"{self._path}: {error}") from error
        return replace(camera, pose=self._pose(images, max(camera.focal)))

    def _pose(self, images: _Images, focal: float) -> Array:
        frame = images.frame
        world = self._world or self._tree.common_ancestor([frame])
        if world is None or (world != frame and world not in self._tree.frames):
            raise InputError(
                f"{self._path}: no transforms from {frame!r} to {world!r}; the frames are "
                f"{_list(self._tree.frames)}: record /tf and /tf_static"
            )
        if world == frame:
            raise InputError(
                f"{self._path}: no transforms from {frame!r} to a frame whose z axis points up; "
                "record /tf and /tf_static"
            )
        poses = np.array([self._tree.lookup(world, frame, stamp) for stamp in images.stamps])
        return check_stillness(str(self._path), poses, focal)


def _matched(
    path: Path, colors: _Images, stamps: NDArray[np.int64], camera: PinholeCamera
) -> NDArray[np.uint8]:
    """Return the colour image of each moment: the nearest one in time."""
    if colors.pixels[0].shape[:2] != (camera.height, camera.width):
        raise InputError(
            f"{path}: topic {colors.topic} has images of {colors.pixels[0].shape[1]} x "
            f"{colors.pixels[0].shape[0]} pixels; accepted are {camera.width} x {camera.height}: "
            "colours registered to the depth images"
        )
    times = np.array(colors.stamps, np.int64)
    nearest = np.abs(times[None] - stamps[:, None]).argmin(axis=1)
    apart = np.abs(times[nearest] - stamps)
    period = float(np.median(np.diff(stamps))) if len(stamps) > 1 else np.inf
    if (apart > _SAME_MOMENT * period).any():
        worst = int(apart.argmax())
        raise InputError(
            f"{path}: topic {colors.topic} has no image at {(stamps[worst] - stamps[0]) / 1e9:.3f} "
            f"s (the nearest one is {apart[worst] / 1e9:.3f} s away); accepted is one beside every "
            "depth image"
        )
    return np.stack([colors.pixels[index] for index in nearest])


def _list(names: Sequence[str]) -> str:
    return ", ".join(names) or "(none)"
