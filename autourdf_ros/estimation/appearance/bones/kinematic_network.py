"""The networks of the baseline: from joint positions to the motion of bones, and to weights."""

from __future__ import annotations

from itertools import pairwise

import torch
from torch import Tensor, nn

from autourdf_ros.estimation.appearance.bones.turns import turn_matrices

WIDTH = 128
_WEIGHT_WIDTH = 256
_HEADS, _LAYERS = 4, 2
_ENCODER, _DECODER, _WEIGHTS = 3, 8, 6  # layers (paper: section 3.7)
_SLIGHT = 1e-2  # of the last layers' first weights: bones begin at rest


class KinematicNetwork(nn.Module):
    """Equation 5 and the decoder: motion of M bones in a configuration.

    The positions are encoded by an MLP; a transformer encoder turns a learned token for each bone,
    each with the code added, into codes of bones (after Tertikas et al., 2023); an MLP that all
    bones share decodes them.
    """

    def __init__(self, motors: int, bones: int) -> None:
        """Build the network for so many motors and bones."""
        super().__init__()
        self.encoder = _mlp([motors, *[WIDTH] * _ENCODER])
        self.tokens = nn.Parameter(torch.randn(bones, WIDTH))
        layer = nn.TransformerEncoderLayer(WIDTH, _HEADS, 2 * WIDTH, 0.0, batch_first=True)
        self.transformer = nn.TransformerEncoder(layer, _LAYERS, enable_nested_tensor=False)
        self.decoder = _mlp([WIDTH] * _DECODER + [7])
        last = self.decoder[-1]
        assert isinstance(last, nn.Linear)
        last.weight.data.mul_(_SLIGHT)
        last.bias.data.copy_(torch.eye(7)[0])

    def forward(self, positions: Tensor) -> tuple[Tensor, Tensor]:
        """Return turns (B, M, 3, 3) and shifts (B, M, 3; m) at positions (B, J) in [-1, 1]."""
        codes = self.transformer(self.tokens + self.encoder(positions)[:, None])
        motion = self.decoder(codes)
        return turn_matrices(motion[..., :4]), motion[..., 4:]


class WeightNetwork(nn.Module):
    """Equation 12: what is added to the distances between a splat and M bones."""

    def __init__(self, motors: int, bones: int) -> None:
        """Build the network for so many motors and bones."""
        super().__init__()
        self.layers = _mlp([3 + motors, *[_WEIGHT_WIDTH] * (_WEIGHTS - 1), bones])
        last = self.layers[-1]
        assert isinstance(last, nn.Linear)
        last.weight.data.mul_(_SLIGHT)
        last.bias.data.zero_()

    def forward(self, means: Tensor, positions: Tensor) -> Tensor:
        """Return (..., N, M) at places (..., N, 3; m) and positions (..., J)."""
        wide = positions[..., None, :].expand(*means.shape[:-1], positions.shape[-1])
        return self.layers(torch.cat([means, wide], -1))


def _mlp(widths: list[int]) -> nn.Sequential:
    """Return an MLP whose first weights keep the size of a signal through any number of layers.

    PyTorch's own shrink it: after eight layers nothing is left of the joints' positions.
    """
    layers: list[nn.Module] = []
    for before, after in pairwise(widths):
        layer = nn.Linear(before, after)
        nn.init.kaiming_normal_(layer.weight, nonlinearity="relu")
        nn.init.zeros_(layer.bias)
        layers += [layer, nn.ReLU()]
    return nn.Sequential(*layers[:-1])
