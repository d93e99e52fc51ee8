"""Samples spread evenly over the surface of a part."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from autourdf_ros.data.parts.part_assembly import Part


@dataclass(frozen=True)
class PartSamples:
    """Samples of a surface.

    Attributes:
        points: (N, 3) spread evenly over the surface (m).
        normals: (N, 3) unit, smooth over edges that are no creases; of no reliable sign.
        area: That one sample stands for (m²).
    """

    points: NDArray[np.float64]
    normals: NDArray[np.float64]
    area: float


def sample_part(part: Part, count: int, crease: float, seed: int) -> PartSamples:
    """Spread samples over a part, with normals that are not smoothed over creases."""
    raise NotImplementedError
