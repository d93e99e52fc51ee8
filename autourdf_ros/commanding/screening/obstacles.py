"""The obstacles that an integrator names."""

from __future__ import annotations

from dataclasses import dataclass

from autourdf_ros.commanding.screening.forbidden import Forbidden
from autourdf_ros.commanding.screening.keep_out import KeepOut


@dataclass(frozen=True)
class Obstacles:
    """Regions that no motion and no link may enter.

    Attributes:
        forbidden: boxes in joint space.
        keep_out: boxes in the base frame.
        minimum_height: z in the base frame (m) below which no link may go; None: any.
        clearance: distance (m) that links keep from keep_out and minimum_height.
    """

    forbidden: tuple[Forbidden, ...] = ()
    keep_out: tuple[KeepOut, ...] = ()
    minimum_height: float | None = None
    clearance: float = 0.02


NO_OBSTACLES = Obstacles()
