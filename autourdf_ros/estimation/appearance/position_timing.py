"""Whether images and joint positions belong to the same moments."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from autourdf_ros.estimation.appearance.fitting.posed_image import PosedImage
from autourdf_ros.estimation.appearance.held_out_images import COVERED
from autourdf_ros.estimation.appearance.rasterizer.rasterize import rasterize
from autourdf_ros.estimation.appearance.splats.splat_model import Splats, posed
from autourdf_ros.parallel import on_all_cores

MOST_IMAGES = 32  # that are compared, evenly chosen
GAIN = 0.01
"""Median gain of the masks' overlap from which the positions of another image are the better ones,
if SURE of the images gain."""
SURE = 0.9


def timing_doubts(
    begin: Splats, links: NDArray[np.int64], images: Sequence[PosedImage]
) -> list[str]:
    """Return a doubt where the positions of the next or last image fit an image better.

    The splats must not have been fitted to the images: they would have adapted to what is late.

    Args:
        begin: Splats on the model's surface.
        links: (N,) number of each one's link.
        images: In the order in which they were recorded.
    """
    if len(images) < 3:
        return []
    inner = np.arange(1, len(images) - 1)
    chosen = inner[np.linspace(0, len(inner) - 1, min(MOST_IMAGES, len(inner))).astype(int)]

    def overlaps(number: int) -> list[float]:
        image = images[number].halved()
        return [_overlap(begin, links, image, images[number + shift].poses) for shift in (-1, 0, 1)]

    found = np.array(on_all_cores(overlaps, chosen))
    found = found[np.isfinite(found).all(axis=1)]
    doubts = []
    for column, which, said in ((2, "next", "late"), (0, "last", "early")):
        gains = found[:, column] - found[:, 1]
        if len(gains) and np.median(gains) > GAIN and np.mean(gains > 0) >= SURE:
            doubts.append(
                f"masks fit the joint positions of the {which} image better (overlap "
                f"{np.median(found[:, column]):.0%} instead of {np.median(found[:, 1]):.0%}): the "
                f"positions are {said} by one image"
            )
    return doubts


def _overlap(
    splats: Splats, links: NDArray[np.int64], image: PosedImage, poses: NDArray[np.float64]
) -> float:
    """Return the intersection over union of masks; nan where there is none."""
    covered = rasterize(posed(splats, links, poses), image.camera).pixels[..., 3] < 1 - COVERED
    recorded = image.mask > COVERED
    union = np.count_nonzero(recorded | covered)
    return np.count_nonzero(recorded & covered) / union if union else float("nan")
