"""What no link, and no motion, may meet."""

from __future__ import annotations

from dataclasses import dataclass

from autourdf_ros.commanding.screening.forbidden import Forbidden
from autourdf_ros.commanding.screening.keep_out import KeepOut


@dataclass(frozen=True)
class Obstacles:
    """forbidden: in joint space. keep_out, minimum_height (m; None: none): in the base frame.

    clearance: m that links keep from these two.
    """

    forbidden: tuple[Forbidden, ...] = ()
    keep_out: tuple[KeepOut, ...] = ()
    minimum_height: float | None = None
    clearance: float = 0.02
