"""Measure how far two clouds are from one another (CD)."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from scipy.spatial import KDTree


def chamfer_distance(first: NDArray[np.floating], second: NDArray[np.floating]) -> float:
    """Return CD in metres of two clouds (N, 3) and (M, 3).

    The mean L1 distance of every point to the nearest one of the other cloud, summed over both
    directions: `pytorch3d.loss.chamfer_distance` with norm=1, as AutoURDF (Lin et al., CVPR 2025)
    reports it. NaN where a cloud is empty.
    """
    if not len(first) or not len(second):
        return float("nan")
    there, _ = KDTree(second).query(first, p=1)
    back, _ = KDTree(first).query(second, p=1)
    return float(np.mean(there) + np.mean(back))
