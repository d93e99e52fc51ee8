"""A few held-out images beside what is drawn in their places."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from autourdf_ros.estimation.appearance.fitting.exposure import exposed, exposure
from autourdf_ros.estimation.appearance.fitting.posed_image import PosedImage
from autourdf_ros.estimation.appearance.held_out_images import COVERED, HeldOutErrors
from autourdf_ros.estimation.appearance.rasterizer.projection import Floats
from autourdf_ros.estimation.appearance.rasterizer.rasterize import SplatImage, rasterize
from autourdf_ros.estimation.appearance.splats.splat_model import Splats, posed

AROUND = 0.15  # of the robot's size in an image, that is shown around it
EXAMPLES = 4  # images that are shown to the user


@dataclass(frozen=True)
class DrawnExample:
    """A held-out image beside what is drawn in its place.

    Attributes:
        frame: Number of the image.
        recorded: (H, W, 3) colours in [0, 1], black around the robot; with the mean exposure.
        drawn: (H, W, 3) likewise.
        mask: (H, W) recorded share of a pixel that shows the robot.
        error: Mean squared error of a colour channel of the robot's pixels.
    """

    frame: int
    recorded: Floats
    drawn: Floats
    mask: Floats
    error: float


def around_robot(mask: NDArray[np.floating]) -> tuple[slice, slice]:
    """Return rows and columns of the square around the robot, as far as the image goes.

    Args:
        mask: (H, W) share of a pixel that shows it; of all of the image where none does.
    """
    inside = np.argwhere(mask > COVERED)
    if not len(inside):
        return slice(None), slice(None)
    low, high = inside.min(axis=0), inside.max(axis=0) + 1
    half = (0.5 + AROUND) * max(high - low)
    start = np.clip((low + high) / 2 - half, 0, None).astype(int)
    end = np.ceil((low + high) / 2 + half).astype(int)
    return slice(start[0], end[0]), slice(start[1], end[1])


def drawn_examples(
    splats: Splats,
    links: NDArray[np.int64],
    images: Mapping[int, PosedImage],
    errors: HeldOutErrors,
    own_exposure: bool = False,
) -> tuple[DrawnExample, ...]:
    """Return a few held-out images, evenly from the best to the worst of those with the robot.

    Args:
        splats: As given to `held_out_errors`.
        links: Likewise.
        images: Likewise, by number.
        errors: That it returned.
        own_exposure: As given to it.
    """
    numbers, order = tuple(images), np.argsort(errors.robot)
    order = order[: np.isfinite(errors.robot).sum()]  # nan is last
    places = np.linspace(0, len(order) - 1, min(EXAMPLES, len(order))).round().astype(int)
    found = []
    for place in order[places]:
        image, drawn = _drawn(splats, links, images[numbers[place]], own_exposure)
        color = drawn.pixels[..., :3].clip(0, 1)
        error = float(errors.robot[place])
        found.append(DrawnExample(numbers[place], image.color, color, image.mask, error))
    return tuple(found)


def _drawn(
    splats: Splats, links: NDArray[np.int64], image: PosedImage, own_exposure: bool
) -> tuple[PosedImage, SplatImage]:
    """Return an image with the mean exposure, and what is drawn in its place."""
    drawn = rasterize(posed(splats, links, image.poses), image.camera)
    if own_exposure:
        image = exposed(image, exposure(drawn.pixels, image))
    return image, drawn
