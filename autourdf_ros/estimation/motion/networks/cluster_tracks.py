"""Where clusters of points went."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray


@dataclass(frozen=True)
class ClusterTracks:
    """Poses of S clusters in F frames, from where they are in the first one.

    Attributes:
        centres: (S, 3) in the first frame.
        poses: (F, S, 4, 4) motions of the clusters' points from the first frame.
        losses: (F,) Chamfer distances of the moved first cloud to each frame.
        iterations: (F,) of training.
    """

    centres: NDArray[np.float64]
    poses: NDArray[np.float64]
    losses: NDArray[np.float64]
    iterations: NDArray[np.int64]

    @property
    def positions(self) -> NDArray[np.float64]:
        """Where the centres are (F, S, 3)."""
        return self.poses[..., :3, 3] + np.einsum(
            "fsij,sj->fsi", self.poses[..., :3, :3], self.centres
        )
