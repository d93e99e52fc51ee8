"""Whether the light on the robot is the same in all images."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from autourdf_ros.estimation.appearance.fitting.posed_image import PosedImage
from autourdf_ros.estimation.appearance.rasterizer.rasterize import rasterize
from autourdf_ros.estimation.appearance.rasterizer.seen_surface import seen_surface
from autourdf_ros.estimation.appearance.splats.splat_model import Splats, posed
from autourdf_ros.geometry.arrays import Array
from autourdf_ros.parallel import on_all_cores

INSIDE = 0.8  # share of a pixel that the robot covers where light is compared
LEAST = 50  # pixels that an image needs
EXPOSURE, LIGHT = 0.1, 0.15
"""Median change, as a share of the light, from which exposures or the light are not one."""


def light_changes(splats: Splats, links: NDArray[np.int64], images: Sequence[PosedImage]) -> Array:
    """Return (F, 2) by how much each image is brighter, and its light differs by direction.

    Recorded colours are drawn ones times 1 + a + b.n with the normal n, by least squares: the
    first is the mean of a + b.n over the robot's pixels, the second the standard deviation of b.n.
    NaN where the robot covers too little.

    Args:
        splats: Fitted.
        links: (N,) number of each one's link.
        images: With the links' poses.
    """

    def change(image: PosedImage) -> tuple[float, float]:
        drawn = rasterize(posed(splats, links, image.poses), image.camera)
        number = seen_surface(drawn).number
        shown = (number >= 0) & (image.mask > INSIDE)
        if np.count_nonzero(shown) < LEAST:
            return float("nan"), float("nan")
        own = number[shown]
        normals = splats.normals[own] / np.linalg.norm(splats.normals[own], axis=1, keepdims=True)
        normals = np.einsum("nij,nj->ni", image.poses[links[own], :3, :3], normals)
        pixels = drawn.pixels[shown][:, :3].astype(float)
        terms = np.column_stack([np.ones(len(own)), normals])
        slopes = (pixels[:, :, None] * terms[:, None]).reshape(-1, 4)
        apart = (image.color[shown] - pixels).ravel()
        found = np.linalg.lstsq(slopes, apart, rcond=1e-4)[0]
        by_direction = normals @ found[1:]
        return float(found[0] + by_direction.mean()), float(by_direction.std())

    return np.array(on_all_cores(change, images)).reshape(-1, 2)


def light_doubts(changes: Array, own_exposure: bool) -> list[str]:
    """Return what makes images doubtful.

    Args:
        changes: (F, 2) of `light_changes`.
        own_exposure: Whether every image has its own exposure already.
    """
    known = changes[np.isfinite(changes).all(axis=1)]
    if not len(known):
        return []
    brighter, light = np.median(np.abs(known), axis=0)
    doubts = []
    if light > LIGHT:
        doubts.append(
            f"the light on the robot changes between images by {light:.0%}, which no exposure "
            "explains: accepted is a light that does not move"
        )
    if brighter > EXPOSURE and not own_exposure:
        doubts.append(f"images differ in brightness by {brighter:.0%}; --exposure finds each one's")
    return doubts
