"""What the monitor reports after every observation."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from autourdf_ros.monitoring.change import Change


@dataclass(frozen=True)
class LinkState:
    """Fit of one link in what one camera sees.

    Attributes:
        residual: Root mean square of the robust point-to-plane distances (m); NaN without points.
        points: Number of points on the link.
        coverage: Share of the surface that this camera should see and does; NaN where it should see
            none.
        statistic: Chi-square per degree of freedom of the link's displacement in the window; 1 at
            the baseline.
    """

    residual: float
    points: int
    coverage: float
    statistic: float


@dataclass(frozen=True)
class Report:
    """State after one observation.

    Attributes:
        stamp: Of the observation (s).
        watching: False while the baseline is learnt.
        links: By camera and link.
        changes: The most probable first; empty while nothing deviates from the baseline.
        suspicion: A sentence that says where something changed whose cause is not decided (yet),
            beside the changes where there are any; else empty.
    """

    stamp: float
    watching: bool
    links: Mapping[tuple[str, str], LinkState]
    changes: tuple[Change, ...]
    suspicion: str = ""
