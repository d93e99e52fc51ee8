"""Screens motions for what is in their way, along the whole of them, before they are sent."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from autourdf_ros.commanding.screening.forbidden import Forbidden, crossed
from autourdf_ros.commanding.screening.free_line import first_conflict
from autourdf_ros.commanding.trajectory import Positions

if TYPE_CHECKING:  # Pinocchio and Coal take a second to import, needed with a model only
    from autourdf_ros.commanding.screening.link_distances import LinkDistances


class PathScreen:
    """What a robot may not pass: forbidden configurations and, with a model, what its links meet.

    forbidden: where it may not be, in joint space. distances: of the links of a model; None: there
    is none. unmoved: tells where the joints of the model stand that are not commanded. wide: the
    same distances with larger margins, for what a motion moves against each other; what stands so
    near already may stay. joints: tells the values of the model's joints at readings of its motors.
    """

    def __init__(
        self,
        forbidden: Sequence[Forbidden] = (),
        distances: LinkDistances | None = None,
        unmoved: Callable[[], Mapping[str, float]] = dict,
        wide: LinkDistances | None = None,
        joints: Callable[[Positions], Positions] = lambda positions: positions,
    ) -> None:
        self._forbidden = tuple(forbidden)
        self._distances = distances
        self._unmoved = unmoved
        self._wide = wide
        self._joints = joints

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
        line = self._values(start), self._values(end)
        screened, met = self._distances, first_conflict(self._distances, *line)
        if met is None and self._wide is not None:
            screened, met = self._wide, first_conflict(self._wide, *line, moved_only=True)
        if met is None:
            return None
        pair, values = met
        at = dict(zip(screened.robot.joints, values.tolist(), strict=True))
        where = ", ".join(f"{name} {at[name]:.2f}" for name in self._joints(end) if name in at)
        return f"{screened.conflicts[pair]} (at {where})"

    def _values(self, positions: Positions) -> NDArray[np.float64]:
        assert self._distances is not None
        joints = self._joints({**self._unmoved(), **positions})
        return self._distances.robot.configuration(joints)


NOTHING = PathScreen()
"""Refuses nothing."""
