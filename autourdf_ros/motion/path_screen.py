"""Screens motions for what is in their way, along the whole of them, before they are sent."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from autourdf_ros.motion.forbidden import Forbidden, crossed
from autourdf_ros.motion.free_line import first_conflict
from autourdf_ros.motion.trajectory import Positions

if TYPE_CHECKING:  # Pinocchio and Coal take a second to import, needed with a model only
    from autourdf_ros.motion.link_distances import LinkDistances


class PathScreen:
    """What a robot may not pass: forbidden configurations and, with a model, what its links meet.

    forbidden: where it may not be, in joint space. distances: of the links of a model; None: there
    is none. unmoved: tells where the joints of the model stand that are not commanded.
    """

    def __init__(
        self,
        forbidden: Sequence[Forbidden] = (),
        distances: LinkDistances | None = None,
        unmoved: Callable[[], Mapping[str, float]] = dict,
    ) -> None:
        self._forbidden = tuple(forbidden)
        self._distances = distances
        self._unmoved = unmoved

    def reason(self, waypoints: Sequence[Positions]) -> str | None:
        """Why the straight lines of joint space through the waypoints are not free, or None.

        A single waypoint is a place to stand at.
        """
        for start, end in pairwise([waypoints[0], *waypoints]):
            told = crossed(self._forbidden, start, end) or self._met(start, end)
            if told is not None:
                return told
        return None

    def link_paths(self, path: Sequence[Positions]) -> dict[str, NDArray[np.float64]]:
        """(N, 3) where the origins of the model's links go on N configurations; none without one.

        In the frame of the model's root.
        """
        if self._distances is None:
            return {}
        values = np.array([self._values(positions) for positions in path])
        return self._distances.robot.link_paths(values)

    def _met(self, start: Positions, end: Positions) -> str | None:
        if self._distances is None:
            return None
        met = first_conflict(self._distances, self._values(start), self._values(end))
        if met is None:
            return None
        pair, values = met
        at = dict(zip(self._distances.robot.joints, values.tolist(), strict=True))
        where = ", ".join(f"{name} {at[name]:.2f}" for name in end if name in at)
        return f"{self._distances.conflicts[pair]} (at {where})"

    def _values(self, positions: Positions) -> NDArray[np.float64]:
        assert self._distances is not None
        return self._distances.robot.configuration({**self._unmoved(), **positions})


NOTHING = PathScreen()
"""Refuses nothing."""
