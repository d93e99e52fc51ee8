"""What the suite measures of images as real cameras make them, beside the true ones."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from autourdf_ros.estimation.appearance.camera_check import with_cameras
from autourdf_ros.estimation.appearance.estimate_splats import FittedAppearance
from autourdf_ros.estimation.appearance.fitting.fit_options import SplatFitOptions
from autourdf_ros.estimation.appearance.fitting.posed_image import PosedImage
from autourdf_ros.estimation.appearance.held_out_images import (
    HeldOutErrors,
    held_out_errors,
    psnr,
)
from autourdf_ros.estimation.appearance.splats.splat_model import posed


def recorded_errors(
    found: FittedAppearance, images: Sequence[PosedImage], options: SplatFitOptions
) -> dict[str, Any]:
    """Return the errors of other images as they are recorded, by what their cameras are.

    `stated`: where they are said to be; `refined`: where every other tile of an image says, the
    tiles between being predicted.

    Args:
        found: Splats.
        images: Recorded, not fitted.
        options: Of the fit.
    """
    errors = {
        "stated": held_out_errors(found.splats, found.links, images, options.exposure),
        "refined": held_out_errors(
            found.splats, found.links, images, options.exposure, options.cameras
        ),
    }
    return {"recorded": {name: _figures(one) for name, one in errors.items()}}


def camera_errors(
    found: FittedAppearance, fitted: Sequence[PosedImage], true: Sequence[PosedImage]
) -> dict[str, Any]:
    """Return by how many pixels the cameras of fitted images are off, as stated and in the end.

    Args:
        found: Splats.
        fitted: Images as recorded, those held out among them.
        true: The same images without noise.
    """
    held_out = set(found.held_out)
    kept = [number for number in range(len(fitted)) if number not in held_out]
    stated = [fitted[number] for number in kept]
    twists = None if found.cameras is None else found.cameras.twists
    exact = [true[number] for number in kept]
    return {
        "cameras": {
            "stated": _apart(found, stated, exact),
            "left": _apart(found, with_cameras(stated, twists), exact),
            "said": None if found.cameras is None else found.cameras.typical,
        }
    }


def _apart(
    found: FittedAppearance, images: Sequence[PosedImage], true: Sequence[PosedImage]
) -> float:
    """Return the median of the mean distances (pixels) of splats that two cameras see."""
    distances = []
    for one, other in zip(images, true, strict=True):
        means = posed(found.splats, found.links, other.poses).means.astype(float)
        seen, exact = (image.camera.project(means)[0] for image in (one, other))
        distances.append(np.linalg.norm(seen - exact, axis=1).mean())
    return float(np.median(distances))


def _figures(errors: HeldOutErrors) -> dict[str, float]:
    return {
        "black_psnr": float(np.mean(psnr(errors.whole))),
        "robot_psnr": float(np.nanmean(psnr(errors.robot))),
        "color_psnr": float("nan" if errors.colors is None else np.nanmean(psnr(errors.colors))),
        "overlap": float(np.nanmean(errors.overlap)),
    }
