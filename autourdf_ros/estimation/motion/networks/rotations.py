"""Rotations as the networks see them, and as matrices."""

from __future__ import annotations

import torch
from torch import Tensor

from autourdf_ros.estimation.motion.network_options import Representation

IDENTITY: dict[Representation, tuple[float, ...]] = {
    "quaternion": (1.0, 0.0, 0.0, 0.0),
    "6d": (1.0, 0.0, 0.0, 0.0, 1.0, 0.0),
}
"""No rotation: the quaternion (w, x, y, z), or the first two columns of the matrix."""


def rotation_matrices(rotations: Tensor) -> Tensor:
    """Return matrices (S, 3, 3) of quaternions (S, 4) or pairs of columns (S, 6), any length."""
    return _from_quaternions(rotations) if rotations.shape[1] == 4 else _from_columns(rotations)


def normalised(rotations: Tensor) -> Tensor:
    """Return the rotations as unit quaternions (S, 4) or orthonormal pairs of columns (S, 6)."""
    if rotations.shape[1] == 4:
        return torch.nn.functional.normalize(rotations, dim=1)
    return _from_columns(rotations)[:, :, :2].transpose(1, 2).reshape(-1, 6)


def _from_quaternions(quaternions: Tensor) -> Tensor:
    w, x, y, z = torch.nn.functional.normalize(quaternions, dim=1).unbind(1)
    rows = (
        1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y),
        2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x),
        2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y),
    )  # fmt: skip
    return torch.stack(rows, dim=1).view(-1, 3, 3)


def _from_columns(columns: Tensor) -> Tensor:
    """By Gram-Schmidt (Zhou et al., CVPR 2019)."""
    first = torch.nn.functional.normalize(columns[:, :3], dim=1)
    second = columns[:, 3:] - (first * columns[:, 3:]).sum(1, keepdim=True) * first
    second = torch.nn.functional.normalize(second, dim=1)
    return torch.stack([first, second, torch.linalg.cross(first, second)], dim=2)
