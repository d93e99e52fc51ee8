"""Screens motions for obstacles, along their whole path, before they are sent."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from autourdf_ros.commanding.screening.forbidden import Forbidden, crossed
from autourdf_ros.commanding.screening.free_line import first_conflict
from autourdf_ros.commanding.trajectory import Positions
from autourdf_ros.errors import InputError

if TYPE_CHECKING:  # Pinocchio and Coal take a second to import, needed with a model only
    from autourdf_ros.commanding.screening.link_distances import LinkDistances


class PathScreen:
    """Refuses forbidden configurations and, with a model, collisions of its links."""

    def __init__(
        self,
        forbidden: Sequence[Forbidden] = (),
        distances: LinkDistances | None = None,
        unmoved: Callable[[], Mapping[str, float]] = dict,
        wide: LinkDistances | None = None,
        joints: Callable[[Positions], Positions] = lambda positions: positions,
    ) -> None:
        """Create a screen.

        Args:
            forbidden: boxes in joint space.
            distances: of the links of a model; None: there is no model.
            unmoved: returns the positions (rad or m) of joints of the model that are not commanded.
            wide: the same distances with larger margins, which count for pairs that a motion moves
                against each other; a pair that stands nearer already may stay there.
            joints: converts readings of the motors to values of the model's joints.
        """
        self._forbidden = tuple(forbidden)
        self._distances = distances
        self._unmoved = unmoved
        self._wide = wide
        self._joints = joints

    def reason(self, waypoints: Sequence[Positions]) -> str | None:
        """Return why the straight lines through the waypoints are not free, or None.

        The lines are straight in joint space. A single waypoint is checked as a configuration.
        """
        for start, end in pairwise([waypoints[0], *waypoints]):
            conflict = crossed(self._forbidden, start, end) or self._met(start, end)
            if conflict is not None:
                return conflict
        return None

    def link_paths(self, path: Sequence[Positions]) -> dict[str, NDArray[np.float64]]:
        """Return the paths of the link origins by link; empty without a model.

        Args:
            path: N configurations (rad or m by joint).

        Returns:
            (N, 3) origins by link in the frame of the model's root (m).
        """
        if self._distances is None:
            return {}
        values = np.array([self._values(positions) for positions in path])
        return self._distances.robot.link_paths(values)

    def holding(self, points: NDArray[np.float64], link: str, positions: Positions) -> PathScreen:
        """Return the same screen for a robot that holds an object; see `LinkDistances.holding`.

        Args:
            points: (n, 3) of the object in the frame of a link of the model (m).
            link: That holds it.
            positions: Where the robot stands (rad or m by joint).

        Raises:
            InputError: there is no model, or it has no such link.
        """
        values = self._values(positions)
        near, wide = (
            None if one is None else one.holding(points, link, values)
            for one in (self._known(), self._wide)
        )
        return PathScreen(self._forbidden, near, self._unmoved, wide, self._joints)

    def link_pose(self, link: str, positions: Positions) -> NDArray[np.float64]:
        """Return the pose (4, 4) of a link of the model in the base frame.

        Raises:
            InputError: there is no model, or it has no such link.
        """
        return self._known().robot.link_pose(link, self._values(positions))

    def fall(self, link: str, positions: Positions) -> NDArray[np.float64]:
        """Return the direction (3,) of gravity along axes that move with a link of the model.

        Raises:
            InputError: there is no model, or it has no such link.
        """
        return self._known().robot.fall(link, self._values(positions))

    def _known(self) -> LinkDistances:
        if self._distances is None:
            raise InputError("no model: how joints turn a link is not known; accepted is a model")
        return self._distances

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
        joints = self._joints({**self._unmoved(), **positions})
        return self._known().robot.configuration(joints)


NOTHING = PathScreen()
"""A screen that refuses nothing."""
