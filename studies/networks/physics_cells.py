"""A small PhyDNet: forecasts images by a physical and a residual recurrent cell.

Le Guen and Thome, "Disentangling physical dynamics from unknown factors for unsupervised video
prediction", CVPR 2020, scaled down: one cell of each kind on features of a quarter of the size.
"""

from __future__ import annotations

import math

import torch
from torch import Tensor, nn

CHANNELS = 32
"""Of the features that both cells work on."""
KERNEL = 7
"""Width of the physical cell's kernels: derivatives up to the order 6 in each direction."""


class PhysicalCell(nn.Module):
    """Euler steps of a partial differential equation in the features, corrected by what is seen.

    Section 3.2: each of 49 kernels is held to one derivative by its moments.
    """

    def __init__(self) -> None:
        super().__init__()
        orders = KERNEL**2
        self.derivatives = nn.Conv2d(CHANNELS, orders, KERNEL, padding=KERNEL // 2)
        self.equation = nn.Sequential(nn.GroupNorm(7, orders), nn.Conv2d(orders, CHANNELS, 1))
        self.gain = nn.Conv2d(2 * CHANNELS, CHANNELS, 3, padding=1)

    def forward(self, state: Tensor, seen: Tensor | None) -> Tensor:
        """Return the next state; `seen` are an image's features, None where none is known."""
        ahead = state + self.equation(self.derivatives(state))
        if seen is None:
            return ahead
        gain = torch.sigmoid(self.gain(torch.cat([seen, ahead], 1)))
        return ahead + gain * (seen - ahead)

    def moment_loss(self) -> Tensor:
        """Mean square of how far the kernels' moments are from those of the derivatives."""
        wanted = torch.eye(KERNEL**2, device=self.derivatives.weight.device)
        wanted = wanted.view(KERNEL**2, 1, KERNEL, KERNEL)
        return ((kernel_moments(self.derivatives.weight) - wanted) ** 2).mean()


def kernel_moments(kernels: Tensor) -> Tensor:
    """Return moments (..., k, k) of kernels (..., k, k): sums of u^i v^j w / (i! j!)."""
    size = kernels.shape[-1]
    place = torch.arange(size, dtype=kernels.dtype, device=kernels.device) - size // 2
    powers = torch.stack([place**order / math.factorial(order) for order in range(size)])
    return powers @ kernels @ powers.T


class ResidualCell(nn.Module):
    """A convolutional LSTM (Shi et al., 2015)."""

    def __init__(self) -> None:
        super().__init__()
        self.gates = nn.Conv2d(2 * CHANNELS, 4 * CHANNELS, 3, padding=1)

    def forward(self, seen: Tensor, state: tuple[Tensor, Tensor]) -> tuple[Tensor, Tensor]:
        """Return the next output and memory."""
        output, memory = state
        enter, forget, leave, new = self.gates(torch.cat([seen, output], 1)).chunk(4, 1)
        memory = torch.sigmoid(forget) * memory + torch.sigmoid(enter) * torch.tanh(new)
        return torch.sigmoid(leave) * torch.tanh(memory), memory


class FramePredictor(nn.Module):
    """Predicts each next image (B, 1, H, W) of a sequence; H and W are multiples of 4."""

    def __init__(self) -> None:
        super().__init__()
        half = CHANNELS // 2

        def normed(layer: nn.Module, channels: int) -> nn.Sequential:
            return nn.Sequential(layer, nn.GroupNorm(8, channels), nn.LeakyReLU(0.2))

        self.encoder = nn.Sequential(
            normed(nn.Conv2d(1, half, 3, 2, 1), half),
            normed(nn.Conv2d(half, CHANNELS, 3, 2, 1), CHANNELS),
        )
        self.to_physics = nn.Conv2d(CHANNELS, CHANNELS, 3, padding=1)
        self.to_rest = nn.Conv2d(CHANNELS, CHANNELS, 3, padding=1)
        self.decoder = nn.Sequential(
            normed(nn.ConvTranspose2d(CHANNELS, half, 4, 2, 1), half),
            nn.ConvTranspose2d(half, 1, 4, 2, 1),
        )
        self.physics, self.rest = PhysicalCell(), ResidualCell()

    def forward(self, images: Tensor, known: int, count: int, forced: float = 0.0) -> Tensor:
        """Return predictions (B, known + count - 1, 1, H, W) of the second image and all later.

        Args:
            images: (B, T, 1, H, W); those after `known` count only where they are forced.
            known: How many are seen.
            count: How many are predicted after those.
            forced: Probability that a later image is seen, too (teacher forcing).
        """
        physical = residual = memory = None
        made: list[Tensor] = []
        for step in range(known + count - 1):
            is_seen = step < known or (forced > 0 and torch.rand(()).item() < forced)
            features = self.encoder(images[:, step] if is_seen else made[-1])
            if physical is None:
                physical = residual = memory = torch.zeros_like(features)
            assert residual is not None and memory is not None
            physical = self.physics(physical, self.to_physics(features) if is_seen else None)
            residual, memory = self.rest(self.to_rest(features), (residual, memory))
            made.append(torch.sigmoid(self.decoder(physical + residual)))
        return torch.stack(made, 1)
