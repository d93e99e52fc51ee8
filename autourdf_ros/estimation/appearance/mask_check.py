"""Where masks contradict the model's surface: holes in the robot, and what is taken for it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray
from scipy import ndimage

from autourdf_ros.estimation.appearance.fitting.posed_image import PosedImage
from autourdf_ros.estimation.appearance.held_out_images import COVERED
from autourdf_ros.estimation.appearance.rasterizer.rasterize import rasterize
from autourdf_ros.estimation.appearance.splats.splat_model import Splats, posed
from autourdf_ros.geometry.arrays import Array
from autourdf_ros.parallel import on_all_cores


@dataclass(frozen=True)
class MaskOptions:
    """How masks are compared with the model's surface.

    Attributes:
        margin: Pixels from the model's outline from which a mask can be wrong; nearer than that,
            the outline itself may be elsewhere.
        most: Median share of the robot's pixels up to which masks are wrong; with more, model,
            cameras or joint positions are, and masks stay as they are.
    """

    margin: float = 6.0
    most: float = 0.1


@dataclass(frozen=True)
class CheckedMasks:
    """Images whose masks are checked.

    Attributes:
        images: Masks are NaN where they contradict the model.
        shares: (F,) of the robot's pixels that this is.
    """

    images: list[PosedImage]
    shares: Array


def check_masks(
    begin: Splats,
    links: NDArray[np.int64],
    images: Sequence[PosedImage],
    options: MaskOptions = MaskOptions(),
) -> CheckedMasks:
    """Return the images without what their masks surely have wrong.

    Args:
        begin: Splats on the model's surface, not fitted to the images.
        links: (N,) number of each one's link.
        images: With the links' poses.
        options: All constants.
    """

    def wrong_in(image: PosedImage) -> tuple[NDArray[np.bool_], float]:
        half = image.halved()
        drawn = rasterize(posed(begin, links, image.poses), half.camera).pixels
        covered, recorded = drawn[..., 3] < 1 - COVERED, half.mask > COVERED
        wrong = np.where(recorded, _away(~covered), _away(covered)) > options.margin / 2
        wrong = ndimage.binary_dilation(wrong) & (recorded != covered)
        whole = np.zeros(image.mask.shape, bool)
        doubled = wrong.repeat(2, axis=0).repeat(2, axis=1)
        whole[: doubled.shape[0], : doubled.shape[1]] = doubled
        return whole, float(wrong.sum() / max(covered.sum(), 1))

    found = on_all_cores(wrong_in, images)
    shares = np.array([share for _, share in found])
    if np.median(shares) > options.most:
        return CheckedMasks(list(images), shares)
    return CheckedMasks(
        [
            replace(image, mask=np.where(wrong, np.float32(np.nan), image.mask))
            for image, (wrong, _) in zip(images, found, strict=True)
        ],
        shares,
    )


def _away(inside: NDArray[np.bool_]) -> Array:
    """Return how far (pixels) each pixel inside is from those outside; 0 outside."""
    if inside.all():
        return np.full(inside.shape, np.inf)
    return np.asarray(ndimage.distance_transform_edt(inside))
