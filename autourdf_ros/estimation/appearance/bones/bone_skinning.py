"""Bones, and how splats move with them."""

from __future__ import annotations

from math import log

import torch
from scipy.cluster.vq import kmeans2
from torch import Tensor, nn

from autourdf_ros.estimation.appearance.bones.kinematic_network import (
    KinematicNetwork,
    WeightNetwork,
)
from autourdf_ros.estimation.appearance.bones.turns import turn_matrices


class Bones(nn.Module):
    """M ellipsoids with the networks that move them (paper: sections 3.2 to 3.4)."""

    def __init__(self, centers: Tensor, motors: int, greatest: float) -> None:
        """Build bones.

        Args:
            centers: (M, 3) at rest (m).
            motors: Number of joint positions.
            greatest: Radius (m) above which no bone grows; radii begin at half of it.
        """
        super().__init__()
        count = len(centers)
        self.greatest = greatest
        self.centers = nn.Parameter(centers.clone())
        self.quaternions = nn.Parameter(torch.eye(4)[0].repeat(count, 1))
        self.sizes = nn.Parameter(torch.zeros(count, 3))
        self.log_scale = nn.Parameter(torch.tensor(log(1.0)))
        self.kinematics = KinematicNetwork(motors, count)
        self.deltas = WeightNetwork(motors, count)

    @property
    def radii(self) -> Tensor:
        """(M, 3), m."""
        return self.greatest * torch.sigmoid(self.sizes)

    def weights(self, means: Tensor, positions: Tensor, turns: Tensor, places: Tensor) -> Tensor:
        """Return the skinning weights (..., N, M), equations 11 to 13.

        The paper names the matrix of equation 11 the Gaussian's radii; taken as in its sources
        (Yang et al., 2022) for the inverse squared radii of the bone: a Mahalanobis distance.

        Args:
            means: (..., N, 3) of splats (m).
            positions: (..., J) of the joints.
            turns: (..., M, 3, 3) of the bones' axes in the same configuration.
            places: (..., M, 3) of the bones (m).
        """
        offsets = means[..., :, None, :] - places[..., None, :, :]
        along = (turns[..., None, :, :, :] * offsets[..., :, None]).sum(-2)
        distances = ((along / self.radii) ** 2).sum(-1)
        return torch.softmax(
            -self.log_scale.exp() * (distances + self.deltas(means, positions)), -1
        )

    def at_rest(self, means: Tensor, rest: Tensor) -> Tensor:
        """Return the weights (N, M) of splats (N, 3) at rest, where the positions are (J,)."""
        return self.weights(means, rest, turn_matrices(self.quaternions), self.centers)


def first_bones(means: Tensor, count: int, motors: int, radius: float, seed: int) -> Bones:
    """Return bones at the k-means of splats.

    Args:
        means: (N, 3) of splats at rest (m).
        count: Number of bones.
        motors: Number of joint positions.
        radius: Greatest one, in parts of the splats' extent.
        seed: Of k-means.
    """
    places = means.detach().cpu().double().numpy()
    centers = torch.as_tensor(kmeans2(places, count, minit="++", seed=seed)[0]).float()
    extent = float((places.max(0) - places.min(0)).max())
    return Bones(centers, motors, radius * extent).to(means.device)


def forward_moved(
    means: Tensor, weights: Tensor, bones: Bones, turns: Tensor, shifts: Tensor
) -> tuple[Tensor, Tensor]:
    """Return places (B, N, 3) and blended turns (B, N, 3, 3) in B configurations, equations 8, 9.

    Args:
        means: (N, 3) at rest (m).
        weights: (N, M) at rest.
        bones: M of them.
        turns: (B, M, 3, 3) of their motion.
        shifts: (B, M, 3) of their motion (m).
    """
    blended = torch.einsum("nm,bmij->bnij", weights, turns)
    offsets = bones.centers + shifts - (turns * bones.centers[:, None]).sum(-1)
    moved = (blended * means[:, None]).sum(-1) + torch.einsum("nm,bmi->bni", weights, offsets)
    return moved, blended


def backward_moved(
    moved: Tensor, positions: Tensor, bones: Bones, turns: Tensor, shifts: Tensor
) -> Tensor:
    """Return where splats were at rest (B, N, 3), equation 10.

    Args:
        moved: (B, N, 3) in B configurations (m).
        positions: (B, J) of the joints.
        bones: M of them.
        turns: (B, M, 3, 3) of their motion.
        shifts: (B, M, 3) of their motion (m).
    """
    places = bones.centers + shifts
    axes = torch.einsum("bmij,mjk->bmik", turns, turn_matrices(bones.quaternions))
    weights = bones.weights(moved, positions, axes, places)
    offsets = moved[:, :, None] - places[:, None]
    before = torch.einsum("bmij,bnmi->bnmj", turns, offsets) + bones.centers
    return (weights[..., None] * before).sum(2)
