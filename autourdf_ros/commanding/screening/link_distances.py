"""Distances of the links of a robot from each other and from the obstacles around it.

Coal computes them from the collision shapes of a URDF.
"""

from __future__ import annotations

import copy
from collections.abc import Callable, Collection, Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from autourdf_ros.commanding.screening.keep_out import KeepOut
from autourdf_ros.commanding.screening.screened_robot import ScreenedRobot
from autourdf_ros.commanding.screening.solids import Solid, box_solid, distance, ground_solid


class LinkDistances:
    """P pairs of solids that must stay apart, of which at least one moves.

    Attributes:
        conflicts: (P,) descriptions of what happens when a pair comes too near.
        margins: (P,) distances (m) at which a pair is too near.
        bare: names of joints that move no shape, so that nothing is known of the links on them.
        robot: the shapes of the links.
    """

    def __init__(
        self,
        urdf: Path,
        disabled: Collection[frozenset[str]],
        keep_out: Sequence[KeepOut] = (),
        minimum_height: float | None = None,
        clearance: float = 0.0,
        base_frame: str = "",
    ) -> None:
        """Read the shapes.

        Args:
            urdf: file with the shapes of the links.
            disabled: pairs of links that may touch.
            keep_out: boxes that no link may enter.
            minimum_height: z (m) below which no link may go; None: any.
            clearance: distance (m) that links keep from these two.
            base_frame: frame of these two: a link that is fixed to the root; empty: the root.

        Raises:
            InputError: the URDF cannot be used.
        """
        self.robot = ScreenedRobot(urdf, base_frame)
        self._links = self.robot.solids()
        self._clearance = clearance
        self._obstacles = [
            (box_solid(box, self.robot.base), f"enters keep_out {box.name!r}") for box in keep_out
        ]
        if minimum_height is not None:
            ground = ground_solid(minimum_height, self.robot.base)
            self._obstacles.append((ground, f"sinks below minimum_height {minimum_height:g} m"))
        self._pairs: list[tuple[Solid, Solid]] = []
        self._reaches = np.zeros((0, len(self.robot.joints)))
        self.margins = np.zeros(0)
        self.conflicts: list[str] = []
        self._add(
            [
                (one, two, 0.0, f"links {one.name!r} and {two.name!r} touch")
                for index, one in enumerate(self._links)
                for two in self._links[index + 1 :]
                if one.name != two.name and frozenset((one.name, two.name)) not in disabled
            ]
            + [pair for link in self._links for pair in self._near(link)]
        )
        self.bare = self.robot.bare(self._links)

    def holding(
        self, points: NDArray[np.float64], link: str, values: NDArray[np.float64]
    ) -> LinkDistances:
        """Return the same distances for a robot that holds an object: its convex hull.

        It may touch what holds it: the link, what moves with the link or hangs on it, and what it
        touches where the robot stands.

        Args:
            points: (n, 3) of the object in the link's frame (m).
            link: That holds it.
            values: (J,) joint values where the robot stands (rad or m).

        Raises:
            InputError: there is no such link.
        """
        held, below = self.robot.held(points, link)
        poses = self.robot.poses(values)
        here = poses[held.body] * held.pose
        apart = [
            other
            for other in self._links
            if other.body not in below
            and distance(held, here, other, poses[other.body] * other.pose) > 0
        ]
        holding = copy.copy(self)
        holding._add(
            [(held, one, 0.0, f"{held.label} and {one.label} touch") for one in apart]
            + self._near(held)
        )
        return holding

    def _near(self, solid: Solid) -> list[tuple[Solid, Solid, float, str]]:
        """The pairs of a solid with all obstacles."""
        return [
            (solid, obstacle, self._clearance, f"{solid.label} {what}")
            for obstacle, what in self._obstacles
        ]

    def _add(self, pairs: Sequence[tuple[Solid, Solid, float, str]]) -> None:
        """Add the pairs whose distance some joint changes: solids, margin (m), and conflict."""
        reaches = [self.robot.reach(one, two) for one, two, _, _ in pairs]
        moved = [index for index, reach in enumerate(reaches) if reach.any()]
        more = np.array([reaches[index] for index in moved]).reshape(-1, len(self.robot.joints))
        self._pairs = self._pairs + [pairs[index][:2] for index in moved]
        self._reaches = np.vstack([self._reaches, more])
        self.margins = np.append(self.margins, [pairs[index][2] for index in moved])
        self.conflicts = self.conflicts + [pairs[index][3] for index in moved]

    @property
    def of_obstacles(self) -> NDArray[np.bool_]:
        """(P,) whether a pair is a link and an obstacle."""
        return np.array([not (one.is_link and two.is_link) for one, two in self._pairs], bool)

    def widened(self, extra: Callable[[str, str | None], float]) -> LinkDistances:
        """Return the same distances with larger margins.

        Args:
            extra: returns the additional margin (m) of two links by name, or of a link and an
                obstacle (None).
        """
        wide = copy.copy(self)
        more = [extra(one.name, two.name if two.is_link else None) for one, two in self._pairs]
        wide.margins = self.margins + np.array(more).reshape(len(self.margins))
        described = zip(self.conflicts, wide.margins, strict=True)
        wide.conflicts = [f"{text}, or come nearer than {1e3 * m:.0f} mm" for text, m in described]
        return wide

    def bounds(self, move: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return (P,) bounds (m) of the change of each pair's distance in a (J,) straight move."""
        return np.asarray(self._reaches @ np.abs(move))

    def nearer(
        self, values: NDArray[np.float64], enough: NDArray[np.float64], asked: NDArray[np.intp]
    ) -> NDArray[np.float64]:
        """Return the distances of some pairs at one configuration.

        Args:
            values: (J,) joint values (rad or m).
            enough: (A,) distances (m) beyond which a lower bound suffices.
            asked: (A,) numbers of the pairs.

        Returns:
            (A,) distances (m), or lower bounds that are at least `enough`. A negative distance is
            the depth of penetration of convex shapes.
        """
        poses = self.robot.poses(values)
        found = np.empty(len(asked))
        for place, number in enumerate(asked):
            one, two = self._pairs[number]
            first, second = poses[one.body] * one.pose, poses[two.body] * two.pose
            gap = np.linalg.norm(first.act(one.centre) - second.act(two.centre))
            apart = float(gap) - one.radius - two.radius
            found[place] = apart if apart >= enough[place] else distance(one, first, two, second)
        return found
