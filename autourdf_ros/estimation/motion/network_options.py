"""Options of AutoURDF's own method."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

Representation = Literal["quaternion", "6d"]
Comparison = Literal["poses", "motions"]

PAPER_RATES = (1e-4, 5e-5)
"""Learning rates in the paper's text; those of its code are the default."""


@dataclass(frozen=True)
class NeuralOptions:
    """AutoURDF (Lin et al., CVPR 2025, arXiv 2412.05507), as published except where noted.

    Attributes:
        clusters: of the cloud; None: one for `points_per_cluster` points.
        points_per_cluster: see `clusters`.
        normals: weight of the normals appended to the points (in robot sizes) when they are
            clustered, 0: none; the paper takes 0.5 for what is planar.
        representation: of the clusters' rotations in the networks.
        step: whether the step model is used.
        anchor: whether the anchor model is used.
        rates: learning rates of step and anchor.
        decay: factor of the rates where the loss has not fallen for `plateau` iterations.
        plateau: see `decay`.
        iterations: of training, at most.
        patience: iterations without a lower loss after which training ends.
        comparison: whether clusters belong together by their poses (paper) or by their motions from
            frame to frame (published code).
        position: weight of positions in the comparison.
        orientation: weight of orientations in it.
        device: of torch.
        seed: of everything random.
    """

    clusters: int | None = None
    points_per_cluster: int = 150
    normals: float = 0.0
    representation: Representation = "quaternion"
    step: bool = True
    anchor: bool = True
    rates: tuple[float, float] = (2e-4, 1e-4)
    decay: float = 0.7
    plateau: int = 5
    iterations: int = 300
    patience: int = 40
    comparison: Comparison = "poses"
    position: float = 1.0
    orientation: float = 1.0
    device: str = "cpu"
    seed: int = 0
