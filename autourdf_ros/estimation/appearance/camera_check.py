"""Whether cameras stand where they are said to."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from autourdf_ros.estimation.appearance.fitting.camera_refinement import (
    camera_error,
    moved_camera,
)
from autourdf_ros.estimation.appearance.fitting.fit_options import SplatFitOptions
from autourdf_ros.estimation.appearance.fitting.fit_splats import FittedSplats
from autourdf_ros.estimation.appearance.fitting.posed_image import PosedImage
from autourdf_ros.estimation.appearance.held_out_images import (
    HeldOutErrors,
    held_out_errors,
    stated_camera_error,
)
from autourdf_ros.estimation.appearance.splats.splat_model import posed
from autourdf_ros.geometry.arrays import Array
from autourdf_ros.parallel import on_all_cores


@dataclass(frozen=True)
class CameraCheck:
    """How far cameras stand from where they are said to.

    Attributes:
        pixels: (C,) by which each one's error moves the robot in its image, on average: of all
            images that were fitted where cameras were refined, else of those held out.
        refined: Whether cameras were refined along with the splats.
        stated: Errors of held-out images with cameras as they are stated, where cameras were
            refined; else None, as those of the appearance are such.
        twists: (C, 6) by which fitted images' cameras are moved, where they were refined.
    """

    pixels: Array
    refined: bool
    stated: HeldOutErrors | None = None
    twists: Array | None = None

    @property
    def typical(self) -> float:
        """Median error (pixels)."""
        return float(np.median(self.pixels))

    def doubts(self, least: float, most: float) -> list[str]:
        """Return what makes images doubtful.

        Args:
            least: Error (pixels) from which cameras need to be refined.
            most: Error that no refinement is trusted to take off.
        """
        if self.refined and self.typical > most:
            return [
                f"cameras are off by {self.typical:.1f} pixels, more than the {most:g} that can be "
                "corrected: their poses are not those of these images"
            ]
        if not self.refined and self.typical > least:
            return [
                f"cameras are off by {self.typical:.1f} pixels, as held-out images show; "
                "--refine-cameras corrects them"
            ]
        return []


def check_cameras(
    fitted: FittedSplats,
    links: NDArray[np.int64],
    used: Sequence[PosedImage],
    tested: Sequence[PosedImage],
    options: SplatFitOptions,
) -> CameraCheck:
    """Return how far cameras are off.

    Args:
        fitted: Splats.
        links: (N,) number of each one's link.
        used: Images that were fitted.
        tested: Images that were held out.
        options: Of the fit.
    """
    if fitted.cameras is None:

        def stated(image: PosedImage) -> float:
            gaussians = posed(fitted.splats, links, image.poses)
            return stated_camera_error(gaussians, image, options.cameras, options.exposure)

        return CameraCheck(np.array(on_all_cores(stated, tested)), False)

    def refined(image: PosedImage, twist: Array) -> float:
        gaussians = posed(fitted.splats, links, image.poses)
        return camera_error(gaussians, image.camera, twist)

    pixels = np.array(on_all_cores(refined, used, fitted.cameras))
    errors = held_out_errors(fitted.splats, links, tested, options.exposure)
    return CameraCheck(pixels, True, errors, fitted.cameras)


def with_cameras(images: Sequence[PosedImage], twists: Array | None) -> list[PosedImage]:
    """Return images with cameras moved by twists (F, 6); None: as they are."""
    if twists is None:
        return list(images)
    return [
        replace(image, camera=moved_camera(image.camera, twist))
        for image, twist in zip(images, twists, strict=True)
    ]
