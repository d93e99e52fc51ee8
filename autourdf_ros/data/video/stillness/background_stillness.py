"""Detects by the background that a camera was moved during a video.

Most pixels show what does not move. Their medians over parts of the video agree within noise,
unless the camera moved. The noise is that of medians of every second frame of one part.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from autourdf_ros.data.video.camera_video import CameraVideo

Array = NDArray[np.float64]


@dataclass(frozen=True)
class StillnessOptions:
    """How the background is compared.

    Attributes:
        parts: Most parts in which a video is divided.
        least: Fewest frames of a part.
        pixels: About how many pixels are compared, evenly over the image.
        excess: A change of the median pixel that is this multiple of its noise is a movement; it is
            1.4 where nothing moves.
        precision: Least noise, as a share of the median value: what quantization may hide.
    """

    parts: int = 10
    least: int = 6
    pixels: int = 5000
    excess: float = 5.0
    precision: float = 2e-4


def camera_remarks(video: CameraVideo, options: StillnessOptions | None = None) -> tuple[str, ...]:
    """Return a sentence where the background shows that the camera was moved, else none."""
    options = options or StillnessOptions()
    for name, images in _observed(video, options):
        found = _first_change(images, options)
        if found is not None:
            (start, end), ratio = found
            return (
                f"the camera was moved between {video.stamps[start]:.2f} and "
                f"{video.stamps[end]:.2f} s: the {name} of the background changes there by "
                f"{ratio:.0f} times its noise",
            )
    return ()


def _observed(video: CameraVideo, options: StillnessOptions) -> list[tuple[str, Array]]:
    """Return (T, P) values of background pixels: inverse depths, whose noise is even; grey values.

    Pixels that are ever of a shape's mask are left out.
    """
    stride = max(1, round((video.camera.width * video.camera.height / options.pixels) ** 0.5))
    grid = (slice(None), slice(stride // 2, None, stride), slice(stride // 2, None, stride))
    count = len(video.stamps)
    free = np.ones(video.camera.height * video.camera.width, bool)
    if video.masks is not None:
        free = ~video.masks.any(axis=0).ravel()
    free = free.reshape(1, video.camera.height, video.camera.width)[grid].ravel()
    found = []
    if video.depth is not None:
        found.append(("depth", 1 / video.depth[grid].reshape(count, -1)[:, free].astype(float)))
    if video.colors is not None:
        grey = video.colors[grid].mean(axis=-1).reshape(count, -1)[:, free]
        found.append(("colour", grey))
    return found


def _first_change(images: Array, options: StillnessOptions) -> tuple[tuple[int, int], float] | None:
    """Return frames between which most pixels change, and by what multiple of the noise."""
    count = min(options.parts, len(images) // options.least)
    edges = np.linspace(0, len(images), count + 1).round().astype(int) if count > 1 else np.zeros(2)
    if count < 2 or images.shape[1] == 0:
        return None
    parts = [images[low:high] for low, high in pairwise(edges)]
    halves = np.array([[_medians(part[::2]), _medians(part[1::2])] for part in parts])
    middles = halves.mean(axis=1)
    noise = float(np.nanmedian(np.abs(halves[:, 0] - halves[:, 1]))) / 2
    noise = max(noise, options.precision * float(np.nanmedian(np.abs(middles))))
    changes = np.array([np.nanmedian(np.abs(one - middles[0])) for one in middles]) / noise
    moved = np.flatnonzero(changes > options.excess)
    if not len(moved):
        return None
    first = int(moved[0])
    return (int(edges[first - 1]), int(edges[first + 1]) - 1), float(changes[first])


def _medians(images: Array) -> Array:
    """Return (P,) medians over time; NaN where fewer than half of the frames have a value."""
    ordered = np.sort(images, axis=0)  # NaN last
    some = np.isfinite(images).sum(axis=0)
    middle = np.take_along_axis(ordered, np.maximum(some - 1, 0)[None] // 2, axis=0)[0]
    return np.where(2 * some > len(images), middle, np.nan)
