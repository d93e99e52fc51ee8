"""Reads the pixels of chosen images from a bag."""

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
from autourdf_ros.data.bags.plain_bag import BagMessage, PlainBag
from autourdf_ros.data.images.image_files import decoded
from autourdf_ros.data.images.image_folder import MOST_BYTES
from autourdf_ros.data.images.image_message import COMPRESSED, pixels_of
from autourdf_ros.data.images.posed_camera import PinholeCamera
from autourdf_ros.errors import InputError
from autourdf_ros.progress import Progress, staged


@dataclass(frozen=True)
class ImageHeader:
    """Of an image: its topic, number on the topic, stamp (ns) and frame."""

    topic: str
    number: int
    stamp: int
    frame: str


def read_pixels(
    bag: PlainBag,
    chosen: Sequence[ImageHeader],
    cameras: Mapping[ImageHeader, PinholeCamera],
    progress: Progress,
) -> dict[ImageHeader, NDArray[np.uint8]]:
    """Return the pixels (H, W, 3) of images, RGB.

    Args:
        bag: The bag.
        chosen: Which images.
        cameras: Theirs.
        progress: Is called with stage and fraction.

    Raises:
        InputError: an image cannot be read, or all take too much memory.
    """
    wanted = {(one.topic, one.number): one for one in chosen}
    counts: Counter[str] = Counter()
    found: dict[ImageHeader, NDArray[np.uint8]] = {}
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
        found[one] = guarded(bag.path, bag.types, message, color)
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


def guarded(
    path: Path, types: Mapping[str, str], message: BagMessage, job: Callable[[], Any]
) -> Any:
    """Return what a job makes of a message. Raise InputError, naming both, where it cannot."""
    try:
        return job()
    except InputError:
        raise
    except (struct.error, ValueError, IndexError) as error:
        raise InputError(
            f"{path}: topic {message.topic} at {message.received / 1e9:.3f} s: cannot be read as "
            f"{types[message.topic]} ({error})"
        ) from error
