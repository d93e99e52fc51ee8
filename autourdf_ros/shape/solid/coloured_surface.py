"""The measured surface of an object: points, with colours and normals where they are known."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from autourdf_ros.errors import InputError

Array = NDArray[np.float64]

FEWEST_POINTS = 20
"""Fewer points show no surface: planes are fitted to a dozen neighbours."""


@dataclass(frozen=True)
class ColouredSurface:
    """Points on the surface of an object, in the object's frame.

    Attributes:
        points: (n, 3) m.
        colours: (n, 3) RGB from 0 to 1; None where they are unknown.
        normals: (n, 3) unit, outward; None where they are unknown.
        source: Where the points come from, for messages.

    Raises:
        InputError: too few points, numbers that are not finite, or arrays of other lengths.
    """

    points: Array
    colours: Array | None = None
    normals: Array | None = None
    source: str = "surface"

    def __post_init__(self) -> None:
        count = len(self.points)
        if count < FEWEST_POINTS:
            raise InputError(f"{self.source}: {count} points; accepted are {FEWEST_POINTS} or more")
        for name in ("points", "colours", "normals"):
            values = getattr(self, name)
            if values is None:
                continue
            if np.shape(values) != (count, 3):
                raise InputError(
                    f"{self.source}: {name} of shape {np.shape(values)}; accepted is ({count}, 3)"
                )
            if not np.isfinite(values).all():
                raise InputError(f"{self.source}: {name} has numbers that are not finite")
