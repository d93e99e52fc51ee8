"""Differentiable images of Gaussians in PyTorch, on any of its devices.

The same images as those of `appearance/rasterizer`, which is many times faster on a processor:
here all tiles of all images are blended at once, as a graphics card likes it.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import log

import torch
from torch import Tensor
from torch.utils.checkpoint import checkpoint

TILE = 16  # px, width and height of a tile
FAINTEST = 1 / 255  # opacity below which nothing is drawn
_OPAQUE = 0.99  # greatest opacity of a splat at a pixel, as of Kerbl et al.
_NEAR = 0.01  # m
_SMALLEST = 1e-12  # px^4, of the determinant of an image covariance
_ELEMENTS = 2**24  # pixels times splats that are blended at once: 64 MiB an array


@dataclass(frozen=True)
class CameraBatch:
    """B pinhole cameras of one size.

    Attributes:
        turns: (B, 3, 3) from the world to the optical frame.
        shifts: (B, 3), m.
        lenses: (B, 4) focal lengths and principal point (px).
        width: px.
        height: px.
    """

    turns: Tensor
    shifts: Tensor
    lenses: Tensor
    width: int
    height: int


@dataclass(frozen=True)
class FlatGaussians:
    """Image Gaussians of B images, N each.

    Attributes:
        centers: (B, N, 2) column and row (px).
        conics: (B, N, 3) inverse covariances xx, xy, yy (1/px^2).
        extents: (B, N, 2) standard deviations along columns and rows (px).
        opacities: (B, N), 0 where a Gaussian is not seen.
        depths: (B, N), m.
    """

    centers: Tensor
    conics: Tensor
    extents: Tensor
    opacities: Tensor
    depths: Tensor


def project(
    means: Tensor, covariances: Tensor, opacities: Tensor, cameras: CameraBatch, blur: float
) -> FlatGaussians:
    """Return the image Gaussians (linearised projection; Zwicker et al., EWA Splatting, 2001).

    Args:
        means: (B, N, 3), world.
        covariances: (B, N, 3, 3), world.
        opacities: (N,).
        cameras: B of them.
        blur: px^2, added to the image covariances; opacities fall by what it spreads.
    """
    # sums instead of matrix products: these are exact in single precision on every device
    turns = cameras.turns[:, None]
    seen = (turns * means[:, :, None, :]).sum(-1) + cameras.shifts[:, None]
    x, y, z = seen.unbind(-1)
    z = z.clamp(min=_NEAR)
    fx, fy, cx, cy = (lens[:, None] for lens in cameras.lenses.unbind(-1))
    centers = torch.stack([fx * x / z + cx, fy * y / z + cy], -1)
    zero = torch.zeros_like(z)
    first = torch.stack([fx / z, zero, -fx * x / z**2], -1)
    second = torch.stack([zero, fy / z, -fy * y / z**2], -1)
    rows = [(row[..., None] * turns).sum(-2) for row in (first, second)]  # (B, N, 3) each
    spread = [(row[..., None, :] * covariances).sum(-1) for row in rows]
    sharp = [
        (spread[i] * rows[j]).sum(-1) for i, j in ((0, 0), (0, 1), (1, 1))
    ]  # uu, uv, vv without blur
    least = (sharp[0] * sharp[2] - sharp[1] ** 2).clamp(min=_SMALLEST)
    uu, uv, vv = sharp[0] + blur, sharp[1], sharp[2] + blur
    whole = (uu * vv - uv * uv).clamp(min=_SMALLEST)
    wide = torch.tensor([cameras.width, cameras.height], device=centers.device)
    meant = ((centers > -wide) & (centers < 2 * wide)).all(-1) & (seen[..., 2] > _NEAR)
    return FlatGaussians(
        centers,
        torch.stack([vv / whole, -uv / whole, uu / whole], -1),
        torch.stack([uu, vv], -1).detach().clamp(min=0).sqrt(),
        torch.where(meant, opacities * (least / whole).sqrt(), zero),
        seen[..., 2].detach(),
    )


def blend(flat: FlatGaussians, colors: Tensor, width: int, height: int) -> Tensor:
    """Return images (B, height, width, 4): colour before black, and the light that passes.

    Args:
        flat: Of B images, N each.
        colors: (B, N, 3).
        width: px.
        height: px.
    """
    across, down = -(-width // TILE), -(-height // TILE)
    images = flat.centers.shape[0]
    numbers, tiles, counts = _lists(flat, across, down)
    values = torch.cat([flat.centers, flat.conics, flat.opacities[..., None], colors], -1).reshape(
        -1, 9
    )
    pieces, places = [], []
    starts = torch.cumsum(counts, 0) - counts
    for chosen, longest in _alike(counts):
        steps = torch.arange(longest, device=values.device)
        index = starts[chosen, None] + steps
        absent = steps >= counts[chosen, None]
        members = numbers[index.clamp(max=len(numbers) - 1)]
        # drawn once more for its gradients: what one group needs is all that is ever kept
        pieces.append(
            checkpoint(
                _blend_tiles,
                values[members],
                absent,
                tiles[chosen],
                across,
                down,
                use_reentrant=False,
                preserve_rng_state=False,
            )
        )
        places.append(tiles[chosen])
    empty = values.new_tensor([0.0, 0.0, 0.0, 1.0])
    drawn = empty.repeat(images * across * down, TILE * TILE, 1)
    if pieces:
        drawn = drawn.index_copy(0, torch.cat(places), torch.cat(pieces))
    shape = (images, down, across, TILE, TILE, 4)
    whole = drawn.view(shape).transpose(2, 3).reshape(images, down * TILE, across * TILE, 4)
    return whole[:, :height, :width]


@torch.no_grad()
def _lists(flat: FlatGaussians, across: int, down: int) -> tuple[Tensor, Tensor, Tensor]:
    """Return which Gaussians touch which tiles.

    Returns:
        Numbers (P,) of Gaussians among all B N, tile by tile and from front to back; numbers (T,)
        of the tiles that any touches; and how many touch each (T,).
    """
    count = flat.depths.shape[1]
    opacities = flat.opacities.reshape(-1)
    reach = (2 * (opacities / FAINTEST).clamp(min=1).log()).sqrt()[:, None]
    extent = reach * flat.extents.reshape(-1, 2)
    centers = flat.centers.reshape(-1, 2)
    last = torch.tensor([across - 1, down - 1], device=centers.device)
    low = ((centers - extent + 0.5) / TILE).floor()
    high = ((centers + extent + 0.5) / TILE).floor()
    seen = (opacities > FAINTEST) & (high >= 0).all(-1) & (low <= last).all(-1)
    chosen = torch.nonzero(seen).squeeze(-1)
    chosen = chosen[flat.depths.reshape(-1)[chosen].argsort(stable=True)]
    low = torch.maximum(low[chosen], torch.zeros_like(last)).long()
    high = torch.minimum(high[chosen], last).long()
    wide = high - low + 1
    touched = wide.prod(-1)
    which = torch.repeat_interleave(torch.arange(len(chosen), device=chosen.device), touched)
    own = torch.arange(len(which), device=chosen.device)
    own = own - (torch.cumsum(touched, 0) - touched)[which]
    column = low[which, 0] + own % wide[which, 0]
    row = low[which, 1] + own // wide[which, 0]
    tile = (chosen[which] // count * down + row) * across + column
    order = tile.argsort(stable=True)
    tiles, counts = torch.unique_consecutive(tile[order], return_counts=True)
    return chosen[which[order]], tiles, counts


def _alike(counts: Tensor) -> list[tuple[Tensor, int]]:
    """Return groups of tiles with about as many Gaussians, none too large, and each's most."""
    groups = []
    levels = (counts.float().log() / log(4)).floor()
    for level in levels.unique().tolist():
        chosen = torch.nonzero(levels == level).squeeze(-1)
        longest = int(counts[chosen].max())
        size = max(1, _ELEMENTS // (longest * TILE * TILE))
        groups += [(part, longest) for part in chosen.split(size)]
    return groups


def _blend_tiles(values: Tensor, absent: Tensor, tiles: Tensor, across: int, down: int) -> Tensor:
    """Return the pixels (T, TILE * TILE, 4) of T tiles.

    Args:
        values: (T, K, 9) centre, inverse covariance, opacity and colour, from front to back.
        absent: (T, K) true where there is none.
        tiles: (T,) numbers among all tiles of all images.
        across: Tiles in a row.
        down: Tiles in a column.
    """
    corner = torch.stack([tiles % across, tiles // across % down], -1) * TILE
    pixel = torch.arange(TILE * TILE, device=values.device)
    inside = torch.stack([pixel % TILE, pixel // TILE], -1)
    offsets = (values[..., :2] - corner[:, None])[:, None] - inside[None, :, None]
    dx, dy = offsets.unbind(-1)  # (T, pixels, K)
    a, b, c, opacity = (column[:, None] for column in values[..., 2:6].unbind(-1))
    distance = a * dx * dx + 2 * b * dx * dy + c * dy * dy
    alpha = opacity * torch.exp(-0.5 * distance.clamp(min=0))
    faint = (alpha <= FAINTEST) | absent[:, None]
    alpha = alpha.masked_fill(faint, 0).clamp(max=_OPAQUE)
    passing = torch.log1p(-alpha)
    behind = torch.cumsum(passing, -1)
    shares = alpha * torch.exp(behind - passing)
    colors = shares @ values[..., 6:]
    return torch.cat([colors, torch.exp(behind[..., -1:])], -1)
