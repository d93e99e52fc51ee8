"""Rotation matrices of quaternions."""

from __future__ import annotations

import torch
from torch import Tensor


def turn_matrices(quaternions: Tensor) -> Tensor:
    """Return rotation matrices (..., 3, 3) of quaternions (..., 4) w, x, y, z of any length."""
    w, x, y, z = torch.nn.functional.normalize(quaternions, dim=-1).unbind(-1)
    rows = (
        1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y),
        2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x),
        2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y),
    )  # fmt: skip
    return torch.stack(rows, -1).unflatten(-1, (3, 3))
