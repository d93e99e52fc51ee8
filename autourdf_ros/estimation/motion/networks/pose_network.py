"""The network of both models: from the pose of a cluster to its next one."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from autourdf_ros.estimation.motion.networks.rotations import normalised

FREQUENCIES = (1.0, 2.0, 4.0, 8.0)
WIDTH = 512


class PoseNetwork(nn.Module):
    """An MLP shared by all clusters (AutoURDF, Lin et al., CVPR 2025, section 3.2).

    Pose in, as position (3,) and rotation (4,) or (6,); pose out: the input plus what the decoders
    say, the rotation normalised.
    """

    def __init__(self, rotation_size: int) -> None:
        """Build the network.

        Args:
            rotation_size: 4 for quaternions, 6 for two columns of the matrix.
        """
        super().__init__()
        inputs = 2 * len(FREQUENCIES) * (3 + rotation_size)
        self.encoder = nn.Sequential(nn.Linear(inputs, WIDTH), nn.LeakyReLU())
        self.position = nn.Sequential(
            nn.Linear(WIDTH, WIDTH // 2), nn.LeakyReLU(), nn.Linear(WIDTH // 2, 3)
        )
        self.rotation = nn.Sequential(
            nn.Linear(WIDTH, WIDTH), nn.LeakyReLU(), nn.Linear(WIDTH, rotation_size)
        )

    def forward(self, positions: Tensor, rotations: Tensor) -> tuple[Tensor, Tensor]:
        """Return poses of S clusters: positions (S, 3), and rotations (S, 4) or (S, 6)."""
        code = self.encoder(encoded(torch.cat([positions, rotations], dim=1)))
        return positions + self.position(code), normalised(rotations + self.rotation(code))


def encoded(inputs: Tensor) -> Tensor:
    """Return sines and cosines (S, 8 D) of 1, 2, 4 and 8 times the inputs (S, D)."""
    phases = torch.cat([frequency * inputs for frequency in FREQUENCIES], dim=1)
    return torch.cat([phases.sin(), phases.cos()], dim=1)
