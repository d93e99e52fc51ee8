"""Which pixels of a live image show the robot: by what was behind it while nothing was wrong.

A camera that stands still sees, as the robot moves, what is behind it. Where that is known, a pixel
that differs from it is the robot's. Where it is not, only what lies well within the predicted
outline is taken for the robot.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray
from scipy import ndimage

from autourdf_ros.data.images.posed_camera import PinholeCamera
from autourdf_ros.estimation.appearance.fitting.posed_image import PosedImage
from autourdf_ros.estimation.appearance.rasterizer.projection import Floats

Colors = NDArray[np.float32]

HALF = 0.5
"""Share of a pixel that the robot covers from which the pixel is the robot's."""
_NEAR = 2.3  # pixels from the robot's surely covered ones to its outline
_SIGMA = 1.4826  # of a median absolute deviation, for normal errors


@dataclass(frozen=True)
class MaskingOptions:
    """How a robot is separated from what is behind it.

    Attributes:
        edge: Pixels by which the predicted outline may be wrong while nothing is.
        reach: Share of an image's width by which the robot may be beside its predicted outline;
            farther away a pixel says nothing.
        least: Images in which a pixel must have shown what is behind the robot.
        tolerance: Least difference of a colour channel, of 1, by which a pixel is the robot's.
        sigmas: Standard deviations of the noise, likewise.
        predicted: By how much more a predicted colour must differ from what is behind it for a
            pixel that looks like the latter to show that the robot is not there: prediction errs.
        apart: Share of the image's border along which a camera's pose may differ (m, rad) and
            still be the same.
    """

    edge: int = 3
    reach: float = 0.1
    least: int = 2
    tolerance: float = 0.06
    sigmas: float = 5.0
    predicted: float = 0.2
    apart: float = 2e-3


@dataclass(frozen=True)
class EmptyScene:
    """What a camera sees behind the robot.

    Attributes:
        pose: (4, 4) of the camera.
        color: (H, W, 3) in [0, 1]; NaN where it is not known.
        tolerance: Difference of a channel from which a pixel shows something else.
    """

    pose: NDArray[np.float64]
    color: Colors
    tolerance: float


def learnt_scene(
    cameras: Sequence[PinholeCamera],
    colors: Sequence[Colors],
    covered: Sequence[NDArray[np.bool_]],
    options: MaskingOptions = MaskingOptions(),
) -> EmptyScene | None:
    """Return what is behind the robot; None where the camera moved meanwhile.

    Args:
        cameras: Of F images.
        colors: F times (H, W, 3) in [0, 1].
        covered: F times (H, W) where the robot is predicted.
        options: All constants.
    """
    pose = cameras[0].pose
    if not all(np.allclose(one.pose, pose, atol=options.apart) for one in cameras):
        return None
    away = np.stack([_distance(one) > options.edge for one in covered])
    seen = np.where(away[..., None], np.stack(colors), np.float32(np.nan))
    known = away.sum(axis=0) >= options.least
    color = np.full(seen.shape[1:], np.nan, np.float32)
    color[known] = np.nanmedian(seen[:, known], axis=0)
    apart = np.abs(seen - color)
    apart = apart[np.isfinite(apart)]
    noise = _SIGMA * float(np.median(apart)) if len(apart) else 0.0
    return EmptyScene(pose, color, max(options.tolerance, options.sigmas * noise))


def masked(
    image: PosedImage,
    drawn: Floats,
    scene: EmptyScene | None,
    options: MaskingOptions = MaskingOptions(),
) -> PosedImage:
    """Return an image of the robot alone: its mask is NaN where nobody knows what is seen.

    Args:
        image: Of the robot and what is behind it.
        drawn: (H, W, 4) predicted, as `rasterize` returns it.
        scene: What this camera sees behind the robot; None where nothing is known of it.
        options: All constants.
    """
    inside = drawn[..., 3] < 1 - HALF
    mask = np.where(ndimage.binary_erosion(inside), np.float32(1), np.float32(np.nan))
    if scene is None or not np.allclose(scene.pose, image.camera.pose, atol=options.apart):
        return replace(image, mask=mask, color=image.color * np.nan_to_num(mask)[..., None])
    distance = _distance(inside)
    known = (distance <= options.reach * image.camera.width) & np.isfinite(scene.color[..., 0])
    brightness = _brightness(image.color, scene.color, distance > options.edge)
    behind = np.nan_to_num(scene.color * brightness)
    robot = np.abs(image.color - behind).max(axis=2) > scene.tolerance
    robot = ndimage.median_filter(robot, size=3)
    # The robot before something of its own colour: such a pixel may show either.
    least = scene.tolerance + options.predicted
    alike = inside & (np.abs(drawn[..., :3] - behind).max(axis=2) <= least)
    mask[known] = robot[known]
    mask[known & ~robot & alike] = np.nan
    core = ndimage.binary_erosion(robot)
    edge = known & ndimage.binary_dilation(robot) & ~core
    mask[edge] = _shares(image.color, behind, core, scene.tolerance)[edge]
    share = np.nan_to_num(mask)[..., None]
    color = np.where(known[..., None], image.color - (1 - share) * behind, image.color)
    color = np.where(share > 0, color, 0).clip(0, None)
    return replace(image, mask=mask, color=color.astype(np.float32))


def cropped(image: PosedImage) -> PosedImage:
    """Return the part of an image of which something is known; all of it where nothing is."""
    known = np.isfinite(image.mask)
    if not known.any():
        return image
    rows, columns = (np.flatnonzero(known.any(axis=axis)) for axis in (1, 0))
    part = slice(rows[0], rows[-1] + 1), slice(columns[0], columns[-1] + 1)
    camera = image.camera
    mask = np.ascontiguousarray(image.mask[part])
    column, row = camera.principal
    camera = replace(
        camera,
        width=mask.shape[1],
        height=mask.shape[0],
        principal=(column - columns[0], row - rows[0]),
    )
    return replace(image, camera=camera, mask=mask, color=np.ascontiguousarray(image.color[part]))


def _shares(
    color: Colors, behind: Colors, core: NDArray[np.bool_], tolerance: float
) -> NDArray[np.float32]:
    """Return the share (H, W) of a pixel at the outline that the robot covers.

    A pixel mixes the colour of the robot's nearest pixel that shows nothing else with that of what
    is behind it; NaN where there is none near, or both have the same colour.
    """
    if not core.any():
        return np.full(core.shape, np.nan, np.float32)
    distance, (row, column) = ndimage.distance_transform_edt(~core, return_indices=True)
    apart = color[row, column] - behind
    power = (apart**2).sum(axis=2)
    with np.errstate(invalid="ignore", divide="ignore"):
        share = ((color - behind) * apart).sum(axis=2) / power
    unknown = (distance > _NEAR) | (np.abs(apart).max(axis=2) <= tolerance)
    return np.where(unknown, np.nan, share.clip(0, 1)).astype(np.float32)


def _distance(inside: NDArray[np.bool_]) -> NDArray[np.float64]:
    """Return how far (pixels) each pixel is from those inside; infinite where none is."""
    if not inside.any():
        return np.full(inside.shape, np.inf)
    return np.asarray(ndimage.distance_transform_edt(~inside))


def _brightness(color: Colors, scene: Colors, away: NDArray[np.bool_]) -> np.float32:
    """Return the factor by which an image is brighter than the scene, by what is not the robot."""
    used = away & (scene.mean(axis=2) > 0.1)  # also where it is known: comparisons with NaN fail
    if not used.any():
        return np.float32(1)
    return np.float32(np.median(color[used].mean(axis=1) / scene[used].mean(axis=1)))
