"""The symmetric L1 Chamfer distance as a loss, exact, without pytorch3d."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor

import numpy as np
import torch
from torch import Tensor

from autourdf_ros.estimation.motion.networks.nearest_l1 import nearest_l1
from autourdf_ros.geometry.nearest import build_grid

BLOCK = 2048  # rows of distances at once, where they are all computed


class ChamferLoss:
    """Mean L1 distance of every point to the nearest of the other cloud, both ways, summed.

    `pytorch3d.loss.chamfer_distance` with norm=1. On the CPU the nearest points come from a grid,
    begun with those of the last call; on other devices from all distances.
    """

    def __init__(self, target: Tensor, spacing: float) -> None:
        """Prepare for one target.

        Args:
            target: (M, 3) points.
            spacing: typical distance between them.
        """
        self._target, self._spacing = target, spacing
        self._on_cpu = target.device.type == "cpu"
        if self._on_cpu:
            self._points = target.detach().double().numpy()
            self._grid = build_grid(self._points, spacing)
            self._there = np.empty(0, dtype=np.int64)
            self._back = np.empty(0, dtype=np.int64)

    def __call__(self, moved: Tensor) -> Tensor:
        """Return the loss of points (N, 3)."""
        there, back = self._nearest(moved.detach())
        return (
            (moved - self._target[there]).abs().sum(1).mean()
            + (moved.index_select(0, back) - self._target).abs().sum(1).mean()
        )  # fmt: skip

    def _nearest(self, moved: Tensor) -> tuple[Tensor, Tensor]:
        """Of every point (N,) its nearest in the target, and the other way round (M,)."""
        if not self._on_cpu:
            return nearest_of_all(moved, self._target), nearest_of_all(self._target, moved)
        points = moved.double().numpy()
        if len(self._there) != len(points):
            self._there = self._grid.query(points)[1]
            self._back = build_grid(points, self._spacing).query(self._points)[1]
        other = _WORKER.submit(self._search_back, points)
        self._there = nearest_l1(self._grid, points, self._there)
        self._back = other.result()
        return torch.from_numpy(self._there), torch.from_numpy(self._back)

    def _search_back(self, points: np.ndarray) -> np.ndarray:
        return nearest_l1(build_grid(points, self._spacing), self._points, self._back)


_WORKER = ThreadPoolExecutor(1, "chamfer")


def nearest_of_all(queries: Tensor, points: Tensor) -> Tensor:
    """Return the number (N,) of the point (M, 3) that is nearest by L1 to each query (N, 3)."""
    blocks = [torch.cdist(block, points, p=1.0).argmin(1) for block in queries.split(BLOCK)]
    return torch.cat(blocks)
