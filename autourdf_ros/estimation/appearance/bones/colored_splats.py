"""Splats whose colours depend on the direction of sight, as in Kerbl et al. (2023)."""

from __future__ import annotations

from dataclasses import dataclass

import torch
from torch import Tensor

from autourdf_ros.estimation.appearance.bones.tiled_splatting import (
    CameraBatch,
    FlatGaussians,
    blend,
    project,
)
from autourdf_ros.estimation.appearance.bones.turns import turn_matrices

BLUR = 0.1  # px^2, as of our own rasterizer
GREY = 0.5  # of a splat without harmonics
CONSTANT = 0.28209479177387814  # the harmonic of degree 0


@dataclass
class ColoredSplats:
    """N splats at rest; tensors to be fitted.

    Attributes:
        means: (N, 3), m.
        quaternions: (N, 4) w, x, y, z, of any length.
        log_scales: (N, 3) of standard deviations (m).
        logits: (N,) of opacities.
        constant: (N, 1, 3) coefficients of the constant harmonic.
        harmonics: (N, H - 1, 3) of those of higher degree.
    """

    means: Tensor
    quaternions: Tensor
    log_scales: Tensor
    logits: Tensor
    constant: Tensor
    harmonics: Tensor

    def covariances(self, turns: Tensor | None = None) -> Tensor:
        """Return covariances (..., N, 3, 3), m^2, after turns (..., N, 3, 3), if any."""
        own = turn_matrices(self.quaternions) * self.log_scales.exp()[:, None]
        if turns is not None:
            own = turns @ own
        return own @ own.transpose(-1, -2)

    def colors(self, means: Tensor, cameras: CameraBatch, degree: int) -> Tensor:
        """Return colours (B, N, 3) as seen by B cameras at places (B, N, 3)."""
        eyes = -(cameras.turns * cameras.shifts[..., None]).sum(-2)
        sight = torch.nn.functional.normalize(means.detach() - eyes[:, None], dim=-1)
        count = (degree + 1) ** 2
        terms = view_harmonics(sight, degree)[..., :count]
        factors = torch.cat([self.constant, self.harmonics], 1)[:, :count]
        return ((terms[..., None] * factors).sum(-2) + GREY).clamp(min=0)


def drawn(
    splats: ColoredSplats,
    means: Tensor,
    turns: Tensor | None,
    cameras: CameraBatch,
    degree: int,
) -> tuple[Tensor, FlatGaussians]:
    """Return images (B, H, W, 4), colour before black and passing light, and what was projected.

    Args:
        splats: N of them.
        means: (B, N, 3) where they are (m).
        turns: (B, N, 3, 3) by which they are turned; None: they are not.
        cameras: B of them.
        degree: Of the harmonics in use.
    """
    covariances = splats.covariances(turns)
    covariances = covariances.expand(len(means), *covariances.shape[-3:])
    flat = project(means, covariances, splats.logits.sigmoid(), cameras, BLUR)
    if flat.centers.requires_grad:
        flat.centers.retain_grad()
    colors = splats.colors(means, cameras, degree)
    return blend(flat, colors, cameras.width, cameras.height), flat


def view_harmonics(sight: Tensor, degree: int) -> Tensor:
    """Return the real spherical harmonics (..., (degree + 1)^2) of unit vectors, degree <= 3."""
    x, y, z = sight.unbind(-1)
    terms = [torch.full_like(x, CONSTANT)]
    if degree > 0:
        c = 0.4886025119029199
        terms += [-c * y, c * z, -c * x]
    if degree > 1:
        c = 1.0925484305920792
        terms += [c * x * y, -c * y * z, 0.31539156525252005 * (3 * z * z - 1), -c * x * z]
        terms += [c / 2 * (x * x - y * y)]
    if degree > 2:
        a, b, c = 0.5900435899266435, 2.890611442640554, 0.4570457994644658
        terms += [-a * y * (3 * x * x - y * y), b * x * y * z, -c * y * (5 * z * z - 1)]
        terms += [0.3731763325901154 * z * (5 * z * z - 3), -c * x * (5 * z * z - 1)]
        terms += [b / 2 * z * (x * x - y * y), -a * x * (x * x - 3 * y * y)]
    return torch.stack(terms, -1)
