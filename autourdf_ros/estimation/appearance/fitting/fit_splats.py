"""Fits splats, and the light on them, to images of a robot whose joints are known."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass, replace

import numpy as np
from numpy.typing import NDArray

from autourdf_ros.estimation.appearance.fitting.adam import Adam, Numbers
from autourdf_ros.estimation.appearance.fitting.camera_refinement import (
    moved_camera,
    refined_camera,
)
from autourdf_ros.estimation.appearance.fitting.exposure import exposed, exposure
from autourdf_ros.estimation.appearance.fitting.fit_options import SplatFitOptions
from autourdf_ros.estimation.appearance.fitting.image_loss import image_loss
from autourdf_ros.estimation.appearance.fitting.posed_image import PosedImage
from autourdf_ros.estimation.appearance.joints.image_joints import AxisCorrections, ImageJoints
from autourdf_ros.estimation.appearance.rasterizer.rasterize import gradients, rasterize
from autourdf_ros.estimation.appearance.splats.splat_model import Splats, posed, posed_back
from autourdf_ros.geometry.arrays import Array
from autourdf_ros.parallel import on_all_cores
from autourdf_ros.progress import Progress, silent


@dataclass(frozen=True)
class FittedSplats:
    """The result.

    Attributes:
        splats: That were fitted.
        losses: (S,) of all steps.
        axes: Corrections of the joints' axes, or None where they were not fitted.
        exposures: (F,) of the images, whose mean is 1; None where all have one.
        cameras: (F, 6) twists (omega, v) along each camera's own axes (rad, m), by which it stands
            from where it is said to; None where they were kept.
    """

    splats: Splats
    losses: Array
    axes: AxisCorrections | None = None
    exposures: Array | None = None
    cameras: Array | None = None


def fit_splats(
    splats: Splats,
    links: NDArray[np.int64],
    images: Sequence[PosedImage],
    options: SplatFitOptions,
    progress: Progress = silent,
    joints: ImageJoints | None = None,
    begin: AxisCorrections | None = None,
) -> FittedSplats:
    """Fit splats to images, first at half their size, and the joints' axes along with them.

    Args:
        splats: To begin with; they are not changed.
        links: (N,) number of each splat's link.
        images: With the links' poses.
        options: All constants.
        progress: Is called with stage and fraction.
        joints: Of the images, in their order; None: the poses are kept as they are given.
        begin: Corrections of their axes to begin with; None: there are none.
    """
    arrays = {name: array.copy() for name, array in splats.arrays().items()}
    rates = asdict(options.rates)
    rates["means"] *= float(np.exp(np.median(splats.log_scales[:, :2])))
    now = Splats(**arrays)
    axes = None
    if joints is not None:
        given = begin or AxisCorrections.none(len(joints.tree.joints))
        axes = AxisCorrections(given.turns.copy(), given.shifts.copy())
    fitted: dict[str, Numbers] = {**arrays}
    if axes is not None:
        fitted |= axes.arrays()
        rates |= asdict(options.axis_rates)
    adam = Adam(fitted, rates)
    coarse = [image.halved() for image in images]
    count = options.coarse_steps + options.fine_steps
    rng = np.random.default_rng(options.seed)
    numbers = _in_turn(len(images), rng)
    losses = np.empty(count)
    exposures = np.ones(len(images)) if options.exposure else None
    rounds = {round(share * count) for share in options.cameras.rounds}
    cameras = np.zeros((len(images), 6)) if rounds else None

    def with_axes(number: int, image: PosedImage) -> PosedImage:
        if joints is None or axes is None:
            return image
        return replace(image, poses=joints.poses(number, axes))

    def refine(number: int, image: PosedImage) -> Array:
        assert cameras is not None
        gaussians = posed(now, links, with_axes(number, image).poses)
        return refined_camera(gaussians, image, cameras[number], options.cameras, options.exposure)

    def slopes(number: int, image: PosedImage) -> tuple[float, dict[str, Numbers]]:
        image = with_axes(number, image)
        if cameras is not None:
            image = replace(image, camera=moved_camera(image.camera, cameras[number]))
        gaussians = posed(now, links, image.poses)
        drawn = rasterize(gaussians, image.camera)
        if exposures is not None:
            exposures[number] = exposure(drawn.pixels, image)
            image = exposed(image, exposures[number] / exposures.mean())
        loss, by_pixels = image_loss(drawn.pixels, image)
        by_gaussians = gradients(gaussians, image.camera, drawn, by_pixels)
        by, twists = posed_back(now, links, image.poses, by_gaussians)
        if joints is None or axes is None:
            return loss, {**by.arrays()}
        return loss, by.arrays() | joints.gradients(number, axes, twists).arrays()

    for step in range(count):
        progress("fitting splats", step / count)
        size = coarse if step < options.coarse_steps else images
        if step in rounds:
            cameras = np.array(on_all_cores(refine, range(len(images)), size))
        chosen = [next(numbers) for _ in range(options.batch)]
        found = on_all_cores(slopes, chosen, [size[number] for number in chosen])
        losses[step] = np.mean([loss for loss, _ in found])
        total = {name: np.mean([by[name] for _, by in found], axis=0) for name in fitted}
        adam.step(total, options.last_share ** (step / count))
    if exposures is not None:
        exposures /= exposures.mean()
    return FittedSplats(now, losses, axes, exposures, cameras)


def _in_turn(count: int, rng: np.random.Generator) -> Iterator[int]:
    """Yield the numbers of all images in random order, again and again."""
    while True:
        yield from rng.permutation(count).tolist()
