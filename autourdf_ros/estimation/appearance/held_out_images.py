"""How well splats predict images that they were not fitted to."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from autourdf_ros.estimation.appearance.fitting.camera_refinement import (
    camera_error,
    moved_camera,
    refined_camera,
)
from autourdf_ros.estimation.appearance.fitting.exposure import exposed, exposure
from autourdf_ros.estimation.appearance.fitting.fit_options import CameraOptions
from autourdf_ros.estimation.appearance.fitting.posed_image import PosedImage
from autourdf_ros.estimation.appearance.rasterizer.rasterize import Gaussians, rasterize
from autourdf_ros.estimation.appearance.rasterizer.seen_surface import seen_surface
from autourdf_ros.estimation.appearance.splats.splat_model import Splats, posed
from autourdf_ros.geometry.arrays import Array
from autourdf_ros.parallel import on_all_cores

COVERED = 0.5  # share of a pixel from which it shows the robot
TILE = 16  # pixels; every other tile says where the camera is, and the rest is predicted


@dataclass(frozen=True)
class HeldOutErrors:
    """Errors of drawn images; nan where nothing is seen.

    Attributes:
        whole: (F,) mean squared error of a colour channel of each whole image.
        robot: (F,) of the pixels that show the robot.
        links: (L,) of the pixels that show each link, of all images.
        overlap: (F,) intersection over union of the drawn and the recorded mask.
        colors: (F,) of the pixels that show the robot in both, so that outlines do not count.
        cameras: (F,) pixels by which the cameras are off, where they were refined; else None.
    """

    whole: Array
    robot: Array
    links: Array
    overlap: Array
    colors: Array | None = None
    cameras: Array | None = None


def psnr(error: Array | float) -> Array:
    """Return the peak signal-to-noise ratio (dB) of mean squared errors of channels in [0, 1]."""
    with np.errstate(divide="ignore"):
        return np.asarray(-10 * np.log10(error))


def held_out_errors(
    splats: Splats,
    links: NDArray[np.int64],
    images: Sequence[PosedImage],
    own_exposure: bool = False,
    cameras: CameraOptions | None = None,
) -> HeldOutErrors:
    """Return the errors of drawing the images, which no fit has used.

    Where cameras are refined, every other tile of an image says where its camera is, and the tiles
    between them are predicted from there; then the other way round. No pixel has a say in its own
    prediction.

    Args:
        splats: Fitted.
        links: (N,) number of each splat's link.
        images: With the links' poses, the same L in each.
        own_exposure: Whether every image has its own, which is taken from it.
        cameras: How their poses are refined; None: they are where they are said to be.
    """
    found = on_all_cores(lambda image: _errors(splats, links, image, own_exposure, cameras), images)
    total = np.sum([by_link for _, by_link in found], axis=0)
    with np.errstate(invalid="ignore"):
        by_link = total[0] / total[1]
    whole, robot, overlap, colors, off = np.transpose([of_image for of_image, _ in found])
    return HeldOutErrors(whole, robot, by_link, overlap, colors, None if cameras is None else off)


def stated_camera_error(
    gaussians: Gaussians, image: PosedImage, options: CameraOptions, own_exposure: bool
) -> float:
    """Return by how many pixels a camera is off, as its image at half its size shows."""
    half, longer = image.halved(), replace(options, steps=options.held_out_steps)
    twist = refined_camera(gaussians, half, np.zeros(6), longer, own_exposure)
    return camera_error(gaussians, image.camera, twist)


def _errors(
    splats: Splats,
    links: NDArray[np.int64],
    image: PosedImage,
    own_exposure: bool,
    cameras: CameraOptions | None,
) -> tuple[tuple[float, ...], Array]:
    """Return the five errors of an image, and (2, L) sums and counts of its links."""
    gaussians = posed(splats, links, image.poses)
    drawn = rasterize(gaussians, image.camera)
    pixels, number, off = drawn.pixels, seen_surface(drawn).number, 0.0
    if cameras is not None:
        cameras = replace(cameras, steps=cameras.held_out_steps)
        tiles = _every_other_tile(image.mask.shape)
        for used in (tiles, ~tiles):
            half = used[: used.shape[0] // 2 * 2 : 2, : used.shape[1] // 2 * 2 : 2]
            twist = np.zeros(6)
            for one, by in ((image.halved(), half), (image, used)):
                twist = refined_camera(gaussians, one, twist, cameras, own_exposure, by)
            other = rasterize(gaussians, moved_camera(image.camera, twist))
            pixels = np.where(used[..., None], pixels, other.pixels)
            number = np.where(used, number, seen_surface(other).number)
            off += camera_error(gaussians, image.camera, twist) / 2
    if own_exposure:
        image = exposed(image, exposure(pixels, image))
    errors = ((pixels[..., :3].clip(0, 1) - image.color) ** 2).mean(axis=2)
    known = np.isfinite(image.mask)
    recorded, covered = image.mask > COVERED, known & (pixels[..., 3] < 1 - COVERED)
    both, union = recorded & covered, (recorded | covered).sum()
    shown = known & (number >= 0)
    owners, count = links[number[shown]], len(image.poses)
    of_image = (
        float(errors[known].mean()) if known.any() else float("nan"),
        float(errors[recorded].mean()) if recorded.any() else float("nan"),
        float(both.sum() / union) if union else float("nan"),
        float(errors[both].mean()) if both.any() else float("nan"),
        off,
    )
    sums, counts = np.bincount(owners, errors[shown], count), np.bincount(owners, minlength=count)
    return of_image, np.stack([sums, counts])


def _every_other_tile(shape: tuple[int, ...]) -> NDArray[np.bool_]:
    row, column = (np.arange(length) // TILE for length in shape)
    return np.asarray((row[:, None] + column) % 2 == 0)
