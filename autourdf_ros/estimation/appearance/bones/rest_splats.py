"""Static 3D Gaussian splatting at rest, with density control (Kerbl et al., 2023)."""

from __future__ import annotations

from dataclasses import fields
from math import log

import numpy as np
import torch
from scipy.spatial import KDTree
from torch import Tensor

from autourdf_ros.estimation.appearance.bones.bone_images import BoneImages
from autourdf_ros.estimation.appearance.bones.bone_losses import image_loss
from autourdf_ros.estimation.appearance.bones.bone_options import StaticOptions
from autourdf_ros.estimation.appearance.bones.colored_splats import ColoredSplats, drawn
from autourdf_ros.estimation.appearance.bones.tiled_splatting import FlatGaussians
from autourdf_ros.estimation.appearance.bones.turns import turn_matrices
from autourdf_ros.progress import Progress

_NAMES = tuple(field.name for field in fields(ColoredSplats))
_NEIGHBOURS = 3  # whose mean distance is a first splat's deviation


def fit_at_rest(
    images: BoneImages,
    mask_weight: float,
    options: StaticOptions,
    seed: int,
    progress: Progress,
) -> ColoredSplats:
    """Return splats fitted to images of the robot at rest.

    Args:
        images: At rest.
        mask_weight: Of the loss of the mask.
        options: All constants.
        seed: Of the first points and the order of images.
        progress: Is called with stage and fraction, and may raise to cancel.
    """
    draw = torch.Generator().manual_seed(seed)
    low, high = images.bounds()
    extent = float(np.linalg.norm(high - low)) / 2
    splats = random_splats(low, high, options, seed, images.colors.device)
    optimizer = optimizer_of(splats, options, extent)
    slopes, seen = (torch.zeros(len(splats.means), device=images.colors.device) for _ in range(2))
    for step in range(options.steps):
        done = step / options.steps
        progress("splats at rest", done)
        chosen = torch.randint(len(images.positions), (options.images,), generator=draw)
        cameras, colors, masks = images.batch(chosen)
        degree = min(options.degree, step // options.degree_steps)
        means = splats.means.expand(len(chosen), -1, -1)
        pixels, flat = drawn(splats, means, None, cameras, degree)
        loss = image_loss(pixels, colors, masks, mask_weight, options.ssim)
        optimizer.zero_grad(set_to_none=True)
        loss.backward()
        first, last = options.place_rates
        optimizer.param_groups[0]["lr"] = extent * first * (last / first) ** done
        optimizer.step()
        if options.densify[0] <= done < options.densify[1]:
            slopes, seen = _counted(slopes, seen, flat, cameras.width)
            if (step + 1) % options.interval == 0:
                _densify(splats, optimizer, slopes / seen.clamp(min=1), options, extent)
                slopes, seen = (torch.zeros_like(splats.logits) for _ in range(2))
        if step == round(options.reset * options.steps):
            ceiling = _logit(2 * options.faint)
            splats.logits.data.clamp_(max=ceiling)
    return splats


def random_splats(
    low: np.ndarray, high: np.ndarray, options: StaticOptions, seed: int, device: torch.device
) -> ColoredSplats:
    """Return splats evenly at random in a box from `low` (3,) to `high` (3,), m."""
    rng = np.random.default_rng(seed)
    points = rng.uniform(low, high, (options.points, 3))
    spacing = KDTree(points).query(points, _NEIGHBOURS + 1)[0][:, 1:].mean(1)
    count = len(points)
    return ColoredSplats(
        *(
            torch.tensor(values, dtype=torch.float32, device=device).requires_grad_()
            for values in (
                points,
                np.tile([1.0, 0, 0, 0], (count, 1)),
                np.tile(np.log(spacing)[:, None], (1, 3)),
                np.full(count, _logit(options.opacity)),
                np.zeros((count, 1, 3)),
                np.zeros((count, (options.degree + 1) ** 2 - 1, 3)),
            )
        )
    )


def optimizer_of(splats: ColoredSplats, options: StaticOptions, extent: float) -> torch.optim.Adam:
    """Return Adam with a rate for each kind of parameter, in the order of the splats' fields."""
    rates = (
        options.place_rates[0] * extent,
        options.turn_rate,
        options.scale_rate,
        options.opacity_rate,
        options.color_rate,
        options.color_rate / 20,
    )
    groups = [
        {"params": [getattr(splats, name)], "lr": rate}
        for name, rate in zip(_NAMES, rates, strict=True)
    ]
    return torch.optim.Adam(groups, eps=1e-15)


@torch.no_grad()
def _counted(
    slopes: Tensor, seen: Tensor, flat: FlatGaussians, width: int
) -> tuple[Tensor, Tensor]:
    """Add what one step says of how much a splat's place matters, half an image being 1."""
    assert flat.centers.grad is not None
    steep = flat.centers.grad.norm(dim=-1) * (width / 2) * len(flat.centers)
    return slopes + steep.sum(0), seen + (flat.opacities > 0).sum(0)


@torch.no_grad()
def _densify(
    splats: ColoredSplats,
    optimizer: torch.optim.Adam,
    slopes: Tensor,
    options: StaticOptions,
    extent: float,
) -> None:
    """Double small splats and split large ones whose places matter, and remove faint ones."""
    scales = splats.log_scales.exp()
    large = scales.amax(1) > options.small * extent
    steep = slopes > options.slope
    if len(steep) + int(steep.sum()) > options.most:
        steep = torch.zeros_like(steep)
    doubled, split = steep & ~large, steep & large
    kept = (splats.logits.sigmoid() > options.faint) & ~split
    copied = torch.cat([torch.nonzero(mask).squeeze(-1) for mask in (doubled, split, split)])
    added = {name: getattr(splats, name)[copied].clone() for name in _NAMES}
    pieces = slice(int(doubled.sum()), None)
    turns = turn_matrices(added["quaternions"][pieces])
    steps = added["log_scales"][pieces].exp() * torch.randn_like(added["means"][pieces])
    added["means"][pieces] += (turns * steps[:, None]).sum(-1)
    added["log_scales"][pieces] -= log(options.shrinking)
    for name, group in zip(_NAMES, optimizer.param_groups, strict=True):
        before = group["params"][0]
        state = optimizer.state.pop(before, {})
        after = torch.cat([before[kept], added[name]]).requires_grad_()
        zeros = torch.zeros_like(added[name])
        optimizer.state[after] = {
            key: torch.cat([value[kept], zeros]) if value.dim() else value
            for key, value in state.items()
        }
        group["params"][0] = after
        setattr(splats, name, after)


def _logit(share: float) -> float:
    return log(share / (1 - share))
