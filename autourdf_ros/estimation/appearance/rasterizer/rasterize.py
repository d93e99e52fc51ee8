"""Images of 3D Gaussians in the world, and the gradients of a loss of them."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from autourdf_ros.data.images.posed_camera import PinholeCamera
from autourdf_ros.estimation.appearance.rasterizer.blending import LEFT, blend, blend_back
from autourdf_ros.estimation.appearance.rasterizer.projection import (
    Floats,
    project,
    project_back,
)

NEAR = 0.01  # m, nearest depth that is drawn
BLUR = 0.1  # px^2; the 0.3 of others costs 1.6 dB of a robot's image
LEVELS = 65535  # of depth by which Gaussians are ordered


@dataclass(frozen=True)
class Gaussians:
    """Gaussians in the world, N of them.

    Attributes:
        means: (N, 3), m.
        covariances: (N, 6): xx, xy, xz, yy, yz, zz, m^2.
        opacities: (N,) in (0, 1).
        colors: (N, 3), usually in [0, 1].
    """

    means: Floats
    covariances: Floats
    opacities: Floats
    colors: Floats


@dataclass(frozen=True)
class SplatImage:
    """An image of Gaussians, and what its gradients need.

    Attributes:
        pixels: (H, W, 4) red, green and blue before a black background, and the share of a
            background's light that passes, in [0, 1].
        flat: (N, COLUMNS) image Gaussians.
        depths: (N,) along the optical axis (m), inf where a Gaussian is not seen.
        order: numbers of those seen, from front to back.
    """

    pixels: Floats
    flat: Floats
    depths: Floats
    order: NDArray[np.int64]


def rasterize(gaussians: Gaussians, camera: PinholeCamera, blur: float = BLUR) -> SplatImage:
    """Return the image of Gaussians.

    Args:
        gaussians: In the camera's world.
        camera: Whose image it is.
        blur: Added to the images' covariances (px^2).
    """
    flat, depths = project(
        gaussians.means, gaussians.covariances, gaussians.opacities, _arguments(camera), blur
    )
    order = _front_to_back(depths)
    pixels = np.zeros((camera.height, camera.width, 4), np.float32)
    pixels[..., LEFT] = 1
    blend(flat, gaussians.colors, order, pixels)
    return SplatImage(pixels, flat, depths, order)


def gradients(
    gaussians: Gaussians,
    camera: PinholeCamera,
    image: SplatImage,
    by_pixels: Floats,
    blur: float = BLUR,
) -> Gaussians:
    """Return the gradients of a loss by all that the Gaussians have.

    Args:
        gaussians: As given to `rasterize`.
        camera: Likewise.
        image: That `rasterize` returned.
        by_pixels: (H, W, 4) gradient of the loss by `image.pixels`.
        blur: As given to `rasterize`.
    """
    pixels = np.empty((*by_pixels.shape[:2], 5), np.float32)
    pixels[..., :LEFT] = by_pixels[..., :LEFT]
    pixels[..., LEFT] = 1
    np.einsum("hwc,hwc->hw", by_pixels, image.pixels, out=pixels[..., -1])
    slopes, by_colors = blend_back(image.flat, gaussians.colors, image.order, pixels)
    by_means, by_covariances, by_opacities = project_back(
        gaussians.means,
        gaussians.covariances,
        gaussians.opacities,
        _arguments(camera),
        blur,
        slopes,
        image.depths,
    )
    return Gaussians(by_means, by_covariances, by_opacities, by_colors)


def _arguments(
    camera: PinholeCamera,
) -> tuple[NDArray[np.float64], NDArray[np.float64], tuple[float, ...]]:
    turn = np.ascontiguousarray(camera.pose[:3, :3].T)
    lens = (*camera.focal, *camera.principal, camera.width, camera.height, NEAR)
    return turn, -turn @ camera.pose[:3, 3], tuple(float(value) for value in lens)


def _front_to_back(depths: Floats) -> NDArray[np.int64]:
    """Return the numbers of finite depths in ascending order, by 16-bit levels (radix sort)."""
    seen = np.flatnonzero(np.isfinite(depths))
    if not len(seen):
        return seen
    near, far = depths[seen].min(), depths[seen].max()
    levels = (depths[seen] - near) * (LEVELS / max(far - near, np.float32(1e-6)))
    return seen[np.argsort(levels.astype(np.uint16), kind="stable")]
