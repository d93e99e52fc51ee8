"""Whether points are in metres, as they are to be; some depth cameras give millimetres."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from autourdf_ros.errors import InputError

# m: nearer no depth camera measures, and no robot cell is so large.
_NEAREST = 0.005
_FARTHEST = 50.0
_SAMPLES = 5000


class UnitError(InputError):
    """Points are not in metres; all clouds of that camera are likely to be so."""


def check_metres(points: NDArray[np.floating], where: str) -> None:
    """Check the median distance of (N, 3) measured points from the camera that they are given in.

    Raises UnitError, its message beginning with `where`, that names the distance and the
    parameter that mends it.
    """
    if not len(points):
        return
    sample = points[:: len(points) // _SAMPLES + 1]
    depth = float(np.median(np.linalg.norm(sample, axis=1)))
    if not _NEAREST <= depth <= _FARTHEST:
        hint = (
            "they look like millimetres, which cloud_scale 0.001 makes metres"
            if depth > _FARTHEST
            else "look at cloud_scale, the metres in a unit of the cloud"
        )
        raise UnitError(
            f"{where}: the points are {depth:.3g} m from the camera in the median; accepted is "
            f"{_NEAREST:g} to {_FARTHEST:g} m: {hint}"
        )
