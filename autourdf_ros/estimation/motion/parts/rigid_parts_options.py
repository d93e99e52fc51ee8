"""Choices of the search for rigid parts."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class PartsOptions:
    """Choices of the search for rigid parts.

    Attributes:
        points: To which a frame is thinned that has more (resource bound).
        frames: In which the tracked pieces are merged to parts, spread over all (resource bound).
        stop: Chi-square per frame at which pieces are no longer merged.
        united_cost: Mean cost per point (`point_costs`) that moving with another part may add to a
            part's points, in all but the `lost_share` of the frames in which it adds most, up to
            which the two are one. Parts that lie in one plane differ in few frames.
        lost_share: Of the frames, in which a part may have been lost.
        least_share: Of the points, of a part; the points of smaller ones go to their neighbours.
        gate: Point spacings from a part within which other frames' points are on it.
        rounds: Of fusing: each adds a rim of `gate` that the reference does not show.
    """

    points: int = 2500
    frames: int = 12
    stop: float = 150.0
    united_cost: float = 1.0
    lost_share: float = 0.2
    least_share: float = 0.04
    gate: float = 3.0
    rounds: int = 2
