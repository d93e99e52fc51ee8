"""The ten losses of Hu, Yu and Tan (2025), section 3.6."""

from __future__ import annotations

from math import pi

import torch
from torch import Tensor

from autourdf_ros.estimation.appearance.bones.bone_options import BoneWeights
from autourdf_ros.estimation.appearance.bones.bone_skinning import Bones

_WINDOW, _SIGMA = 11, 1.5  # of SSIM (Wang et al., 2004), px
_LUMINANCE, _CONTRAST = 0.01**2, 0.03**2


def image_loss(
    pixels: Tensor, colors: Tensor, masks: Tensor, mask_weight: float, ssim: float
) -> Tensor:
    """Return equations 14 and 15, weighted.

    Args:
        pixels: (B, H, W, 4) drawn: colour and passing light.
        colors: (B, H, W, 3) recorded.
        masks: (B, H, W) recorded.
        mask_weight: Of equation 15; that of equation 14 is 1.
        ssim: Share of the structural term.
    """
    absolute = (pixels[..., :3] - colors).abs().mean()
    structure = 1 - structural_similarity(pixels[..., :3], colors)
    mask = (1 - pixels[..., 3] - masks).abs().mean()
    return (1 - ssim) * absolute + ssim * structure + mask_weight * mask


def structural_similarity(one: Tensor, two: Tensor) -> Tensor:
    """Return the mean structural similarity of images (B, H, W, 3)."""
    steps = torch.arange(_WINDOW, device=one.device) - _WINDOW // 2
    window = torch.exp(-0.5 * (steps / _SIGMA) ** 2)
    window = window / window.sum()
    x, y = (image.permute(0, 3, 1, 2) for image in (one, two))
    moments = torch.cat([x, y, x * x, y * y, x * y], 1)
    channels = moments.shape[1]
    for shape in ((1, 1, 1, -1), (1, 1, -1, 1)):
        kernel = (
            window.view(shape)
            .expand(channels, 1, -1, -1)
            .reshape(channels, 1, *window.view(shape).shape[2:])
        )
        half = [size // 2 for size in kernel.shape[2:]]
        moments = torch.nn.functional.conv2d(moments, kernel, padding=half, groups=channels)
    mx, my, xx, yy, xy = moments.chunk(5, 1)
    xx, yy, xy = xx - mx * mx, yy - my * my, xy - mx * my
    similar = (2 * mx * my + _LUMINANCE) * (2 * xy + _CONTRAST)
    return (similar / ((mx * mx + my * my + _LUMINANCE) * (xx + yy + _CONTRAST))).mean()


def motion_losses(
    rest: Tensor,
    moved: Tensor,
    blended: Tensor,
    neighbours: Tensor,
    nearness: float,
    weights: BoneWeights,
) -> Tensor:
    """Return equations 16, 18 and 19, weighted.

    Args:
        rest: (N, 3) splats at rest (m).
        moved: (B, N, 3) in B configurations (m).
        blended: (B, N, 3, 3) turns of equation 9 that act on them.
        neighbours: (N, K) numbers of each one's nearest at rest.
        nearness: lambda_w of equation 17 (1/m^2).
        weights: Of the losses.
    """
    before = rest[neighbours] - rest[:, None]
    after = moved[:, neighbours] - moved[:, :, None]
    lengths = length(before)
    near = torch.exp(-nearness * lengths**2)
    isometry = (lengths - length(after)).abs().mean()
    turned_along = (blended[:, :, None] * before[..., None, :]).sum(-1)
    rigid = (near * length(after - turned_along)).mean()
    turned = blended[:, neighbours] - blended[:, :, None]
    rotation = (near * length(turned.flatten(-2))).mean()
    return weights.isometry * isometry + weights.rigid * rigid + weights.rotation * rotation


def weight_loss(skinning: Tensor, neighbours: Tensor) -> Tensor:
    """Return equation 21 of skinning weights (N, M) and neighbours (N, K)."""
    return (skinning[neighbours] - skinning[:, None]).abs().sum(-1).mean()


def bone_losses(bones: Bones, apart: float, weights: BoneWeights) -> Tensor:
    """Return equations 22 and 23, weighted, with `apart` as sigma (m)."""
    count = len(bones.centers)
    pairs = ~torch.eye(count, dtype=torch.bool, device=bones.centers.device)
    squares = ((bones.centers[:, None] - bones.centers) ** 2).sum(-1)
    center = torch.exp(-squares / (2 * apart**2))[pairs].mean()
    volumes = 4 / 3 * pi * bones.radii.prod(-1)
    volume = (volumes[:, None] - volumes).abs()[pairs].mean()
    return weights.bone_center * center + weights.bone_volume * volume


def length(vectors: Tensor) -> Tensor:
    """Return norms (...,) of vectors (..., D), whose gradient exists at 0, too."""
    return ((vectors**2).sum(-1) + 1e-12).sqrt()
