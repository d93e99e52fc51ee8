"""Checks that points are in metres; some depth cameras give millimetres."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from autourdf_ros.errors import InputError

# m: no depth camera measures nearer, and no robot cell is larger.
_NEAREST = 0.005
_FARTHEST = 50.0
_SAMPLES = 5000


class UnitError(InputError):
    """Points are not in metres, most likely in all clouds of that camera."""


def check_metres(points: NDArray[np.floating], where: str) -> None:
    """Check the median distance of measured points from their camera.

    Args:
        points: (N, 3), in the camera's frame or relative to its origin.
        where: begins the error message.

    Raises:
        UnitError: names the distance and the parameter that corrects the unit.
    """
    if not len(points):
        return
    sample = points[:: len(points) // _SAMPLES + 1]
    depth = float(np.median(np.linalg.norm(sample, axis=1)))
    if not _NEAREST <= depth <= _FARTHEST:
        hint = (
            "these are probably millimetres; cloud_scale 0.001 converts them to metres"
            if depth > _FARTHEST
            else "check cloud_scale, the metres in a unit of the cloud"
        )
        raise UnitError(
            f"{where}: the points are {depth:.3g} m from the camera in the median; accepted is "
            f"{_NEAREST:g} to {_FARTHEST:g} m: {hint}"
        )
