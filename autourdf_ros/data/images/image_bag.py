"""Reads images of a robot from a bag: Image or CompressedImage, CameraInfo, TF and joint states.

The bag is read twice: for its headers, by which the images are chosen, and for their pixels.
"""

from __future__ import annotations

import struct
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from autourdf_ros.data.bags import topics
from autourdf_ros.data.bags.bag_index import (
    TRANSFORMS,
    add_transforms,
    joint_reading,
    joint_state_topics,
)
from autourdf_ros.data.bags.plain_bag import BagMessage, PlainBag
from autourdf_ros.data.bags.transform_tree import TransformTree
from autourdf_ros.data.images.bag_image_topics import image_topics, info_topic
from autourdf_ros.data.images.frame_entries import MOST_BYTES
from autourdf_ros.data.images.image_files import decoded
from autourdf_ros.data.images.image_message import (
    CAMERA_INFO,
    COMPRESSED,
    RECTIFIED,
    camera_of,
    pixels_of,
)
from autourdf_ros.data.images.joint_tracks import JointTracks
from autourdf_ros.data.images.posed_camera import PinholeCamera
from autourdf_ros.data.images.robot_images import RobotImage, RobotImages
from autourdf_ros.errors import InputError
from autourdf_ros.progress import Progress, part, silent, staged

Array = NDArray[np.float64]


@dataclass(frozen=True)
class ImageBagOptions:
    """Which images of a bag are used.

    Attributes:
        images: Topics; none: all of Image with colours, and of CompressedImage.
        joint_states: Topics; none: as `joint_state_topics`.
        base_frame: Frame of the robot's base.
        fastest: Greatest speed of a joint (rad/s or m/s): an image's stamp is known to some
            milliseconds only, and what moves is blurred.
        longest_gap: Between joint states or transforms that are interpolated (s).
        most: Images; of more, as many are used, evenly over time.
    """

    images: tuple[str, ...] = ()
    joint_states: tuple[str, ...] = ()
    base_frame: str = "base_link"
    fastest: float = 0.2
    longest_gap: float = 0.2
    most: int = 400


@dataclass(frozen=True)
class BagImages:
    """Images of a bag.

    Attributes:
        images: Those that are used.
        left_out: Number of others, by reason.
    """

    images: RobotImages
    left_out: Mapping[str, int]


@dataclass(frozen=True)
class _Header:
    """Of an image: its topic, number on the topic, stamp (ns) and frame."""

    topic: str
    number: int
    stamp: int
    frame: str


def read_image_bag(
    path: Path,
    joints: Sequence[Sequence[str]],
    options: ImageBagOptions = ImageBagOptions(),
    progress: Progress = silent,
) -> BagImages:
    """Return the images of a bag that can be used.

    Args:
        path: A rosbag2 folder, or an .mcap or .db3 file.
        joints: Names of each joint, of which the first that the joint states have counts.
        options: All constants.
        progress: Is called with stage and fraction.

    Raises:
        InputError: names the bag, and the topic or the frame.
    """
    with PlainBag(path) as bag:
        index = _Index(bag, options)
        wanted = {*index.images, *index.infos.values(), *index.states, *bag.of_type(TRANSFORMS)}
        for message in bag.messages(wanted, staged(part(progress, 0.0, 0.5), "indexing the bag")):
            index.take(message)
        cameras, positions, left_out = index.usable(joints)
        if not cameras:
            reasons = "; ".join(f"{count}: {why}" for why, count in left_out.items())
            raise InputError(f"{path}: no image can be used ({reasons or 'there is none'})")
        chosen = _spread(sorted(cameras, key=lambda one: one.stamp), options.most)
        if len(chosen) < len(cameras):
            left_out[f"more than {options.most} images"] += len(cameras) - len(chosen)
        pixels = _pixels(bag, chosen, cameras, part(progress, 0.5, 1.0))
    images = tuple(
        RobotImage(cameras[one], pixels[one], positions[one]) for one in chosen if one in pixels
    )
    return BagImages(RobotImages(images, path), left_out)


class _Index:
    """What a bag says beside the pixels."""

    def __init__(self, bag: PlainBag, options: ImageBagOptions) -> None:
        self._path, self._types, self._options = bag.path, bag.types, options
        self.images = image_topics(bag, options.images)
        self.infos = {topic: info_topic(bag, topic) for topic in self.images}
        self.states = joint_state_topics(bag, options.joint_states)
        if not self.states:
            raise InputError(
                f"{bag.path}: has no {topics.JOINT_STATES.type}; accepted is a bag with the joint "
                "states of the robot"
            )
        self._headers: list[_Header] = []
        self._counts: Counter[str] = Counter()
        self._lenses: dict[str, Any] = {}
        self._readings: list[tuple[float, Mapping[str, float]]] = []
        self._tree = TransformTree()

    def take(self, message: BagMessage) -> None:
        """Take a message. Raise InputError naming its topic where it is damaged."""
        _guarded(self._path, self._types, message, partial(self._take, message))

    def _take(self, message: BagMessage) -> None:
        topic = message.topic
        if topic in self.images:
            stamp, frame = topics.read_header(message.data)
            number = self._counts[topic]
            self._headers.append(_Header(topic, number, stamp or message.received, frame))
            self._counts[topic] += 1
        elif topic in self.infos.values():
            if topic not in self._lenses:
                self._lenses[topic] = topics.deserialize(message.data, CAMERA_INFO)
        elif topic in self.states:
            self._readings.append(joint_reading(message))
        else:
            add_transforms(self._tree, message)

    def usable(
        self, joints: Sequence[Sequence[str]]
    ) -> tuple[dict[_Header, PinholeCamera], dict[_Header, dict[str, float]], Counter[str]]:
        """Return cameras and joint positions of the images that can be used, and why others not."""
        tracks, options = JointTracks(self._readings), self._options
        names = [self._name(names, tracks) for names in joints]
        stamps = np.array([one.stamp for one in self._headers]) / 1e9
        moments = tracks.at(names, stamps)
        left_out: Counter[str] = Counter()
        cameras, positions = {}, {}
        for number, one in enumerate(self._headers):
            if not (moments.gaps[number] <= options.longest_gap).all():
                worst = names[int(moments.gaps[number].argmax())]
                left_out[
                    f"{', '.join(self.states)}: no {worst} within {options.longest_gap:g} s around"
                ] += 1
            elif (moments.speeds[number] > options.fastest).any():
                left_out[f"a joint moves faster than {options.fastest:g} rad/s or m/s"] += 1
            else:
                try:
                    cameras[one] = self._camera(one)
                except _NoTransformError as error:
                    left_out[str(error)] += 1
                    continue
                row = moments.positions[number].tolist()
                positions[one] = dict(zip(names, row, strict=True))
        return cameras, positions, left_out

    def _name(self, names: Sequence[str], tracks: JointTracks) -> str:
        for name in names:
            if name in tracks.names:
                return name
        raise InputError(
            f"{self._path}: {', '.join(self.states)} has no {' or '.join(dict.fromkeys(names))}; "
            f"it has {', '.join(tracks.names) or '(none)'}"
        )

    def _camera(self, one: _Header) -> PinholeCamera:
        topic, base = self.infos[one.topic], self._options.base_frame
        if topic not in self._lenses:
            raise InputError(f"{self._path}: topic {topic} has no message")
        try:
            pose = self._tree.lookup(base, one.frame, one.stamp)
            apart = self._tree.apart(base, one.frame, one.stamp)
        except InputError as error:
            unknown = {base, one.frame} - {*self._tree.frames}
            if unknown and one.frame != base:
                raise InputError(
                    f"{self._path}: no transform has {' or '.join(sorted(unknown))}, for "
                    f"{one.topic}; the frames are {', '.join(self._tree.frames) or '(none)'}: "
                    "record /tf and /tf_static, or name the base frame"
                ) from error
            raise _NoTransformError(f"no transform from {one.frame!r} to {base!r}") from error
        if apart > self._options.longest_gap:
            raise _NoTransformError(
                f"transforms from {one.frame!r} to {base!r} more than "
                f"{self._options.longest_gap:g} s apart"
            )
        try:
            return camera_of(self._lenses[topic], topic, pose, RECTIFIED in one.topic)
        except InputError as error:
            raise InputError(f"{self._path}: {error}") from error


class _NoTransformError(InputError):
    """The camera's pose is not known at the stamp of one image."""


def _spread(headers: list[_Header], most: int) -> list[_Header]:
    """Return as many as `most`, evenly over the images."""
    if len(headers) <= most:
        return headers
    return [
        headers[number] for number in np.linspace(0, len(headers) - 1, most).round().astype(int)
    ]


def _pixels(
    bag: PlainBag,
    chosen: Sequence[_Header],
    cameras: Mapping[_Header, PinholeCamera],
    progress: Progress,
) -> dict[_Header, NDArray[np.uint8]]:
    wanted = {(one.topic, one.number): one for one in chosen}
    counts: Counter[str] = Counter()
    found: dict[_Header, NDArray[np.uint8]] = {}
    used = 0
    for message in bag.messages({one.topic for one in chosen}, staged(progress, "reading images")):
        one = wanted.get((message.topic, counts[message.topic]))
        counts[message.topic] += 1
        if one is None:
            continue
        camera = cameras[one]
        size = camera.width, camera.height
        used += 8 * camera.width * camera.height
        if used > MOST_BYTES:
            raise InputError(
                f"{bag.path}: {len(chosen)} images of {size[0]} x {size[1]} pixels would take more "
                f"than {MOST_BYTES >> 30} GiB; accepted are fewer or smaller images"
            )
        color = partial(_color, message, bag.types[message.topic], size)
        found[one] = _guarded(bag.path, bag.types, message, color)
    return found


def _color(message: BagMessage, kind: str, size: tuple[int, int]) -> NDArray[np.uint8]:
    """Return (H, W, 3) RGB. Raise ValueError where it is none of that size."""
    image = topics.deserialize(message.data, kind)
    pixels = decoded(bytes(image.data), size) if kind == COMPRESSED else pixels_of(image)
    if pixels.ndim == 2 and pixels.dtype == np.uint8:
        pixels = np.repeat(pixels[..., None], 3, axis=2)
    if pixels.ndim != 3:
        raise ValueError(f"{pixels.dtype} of one channel; accepted are colours of 8 bits")
    if pixels.shape[:2] != (size[1], size[0]):
        raise ValueError(
            f"{pixels.shape[1]} x {pixels.shape[0]} pixels; accepted is {size[0]} x {size[1]}, as "
            "its CameraInfo"
        )
    return np.asarray(pixels, np.uint8)


def _guarded(
    path: Path, types: Mapping[str, str], message: BagMessage, job: Callable[[], Any]
) -> Any:
    try:
        return job()
    except InputError:
        raise
    except (struct.error, ValueError, IndexError) as error:
        raise InputError(
            f"{path}: topic {message.topic} at {message.received / 1e9:.3f} s: cannot be read as "
            f"{types[message.topic]} ({error})"
        ) from error
