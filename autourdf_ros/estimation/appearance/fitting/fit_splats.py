"""Fits splats, and the light on them, to images of a robot whose joints are known."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass

import numpy as np
from numpy.typing import NDArray

from autourdf_ros.estimation.appearance.fitting.adam import Adam
from autourdf_ros.estimation.appearance.fitting.fit_options import SplatFitOptions
from autourdf_ros.estimation.appearance.fitting.image_loss import image_loss
from autourdf_ros.estimation.appearance.fitting.posed_image import PosedImage
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
    """

    splats: Splats
    losses: Array


def fit_splats(
    splats: Splats,
    links: NDArray[np.int64],
    images: Sequence[PosedImage],
    options: SplatFitOptions,
    progress: Progress = silent,
) -> FittedSplats:
    """Fit splats to images, first at half their size.

    Args:
        splats: To begin with; they are not changed.
        links: (N,) number of each splat's link.
        images: With the links' poses.
        options: All constants.
        progress: Is called with stage and fraction.
    """
    arrays = {name: array.copy() for name, array in splats.arrays().items()}
    rates = asdict(options.rates)
    rates["means"] *= float(np.exp(np.median(splats.log_scales[:, :2])))
    adam = Adam(arrays, rates)
    now = Splats(**arrays)
    coarse = [image.halved() for image in images]
    count = options.coarse_steps + options.fine_steps
    rng = np.random.default_rng(options.seed)
    numbers = _in_turn(len(images), rng)
    losses = np.empty(count)
    for step in range(count):
        progress("fitting splats", step / count)
        size = coarse if step < options.coarse_steps else images
        chosen = [size[next(numbers)] for _ in range(options.batch)]
        found = on_all_cores(lambda image: _slopes(now, links, image), chosen)
        losses[step] = np.mean([loss for loss, _ in found])
        total = {name: np.mean([by.arrays()[name] for _, by in found], axis=0) for name in arrays}
        adam.step(total, options.last_share ** (step / count))
    return FittedSplats(now, losses)


def _slopes(splats: Splats, links: NDArray[np.int64], image: PosedImage) -> tuple[float, Splats]:
    """Return the loss of one image and its gradients."""
    gaussians = posed(splats, links, image.poses)
    drawn = rasterize(gaussians, image.camera)
    loss, by_pixels = image_loss(drawn.pixels, image)
    by = gradients(gaussians, image.camera, drawn, by_pixels)
    return loss, posed_back(splats, links, image.poses, by)[0]


def _in_turn(count: int, rng: np.random.Generator) -> Iterator[int]:
    """Yield the numbers of all images in random order, again and again."""
    while True:
        yield from rng.permutation(count).tolist()
