"""What the monitor tells after every observation."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from autourdf_ros.monitoring.change import Change


@dataclass(frozen=True)
class LinkState:
    """How one link fits in what one camera sees.

    residual: root mean square of the robust point-to-plane distances (m), NaN where no point is
    on it. points: how many are. coverage: share of its surface that this camera should see and
    does, NaN where it should see none. statistic: chi-square per degree of freedom of the link's
    displacement in the window, 1 where it is as usual.
    """

    residual: float
    points: int
    coverage: float
    statistic: float


@dataclass(frozen=True)
class Report:
    """State after one observation.

    watching: False during the first seconds, in which the usual is learnt. links: by camera and
    link. changes: the most probable first; empty where all is as usual.
    """

    stamp: float
    watching: bool
    links: Mapping[tuple[str, str], LinkState]
    changes: tuple[Change, ...]
