"""Distances of the links of a robot from each other and from the obstacles around it.

Coal computes them from the collision shapes of a URDF.
"""

from __future__ import annotations

import copy
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass
from pathlib import Path

import coal
import numpy as np
import pinocchio as pin
from numpy.typing import NDArray

from autourdf_ros.commanding.screening.keep_out import KeepOut
from autourdf_ros.errors import InputError
from autourdf_ros.shape.collision.link_collisions import LinkCollisions

_UP = np.array([0.0, 0.0, 1.0])


@dataclass(frozen=True)
class _Solid:
    """A solid that must stay away from other solids: the shape of a link, or an obstacle.

    Attributes:
        geometry: the shape.
        name: of the link or the obstacle.
        body: Pinocchio's joint that moves it; 0: it stands still.
        pose: in the frame of that joint.
        radius: of a ball around its centre that contains it (m); infinite: unbounded.
        centre: (3,) of that ball in its own frame (m).
        is_link: whether it is a link, and no obstacle.
    """

    geometry: coal.CollisionGeometry
    name: str
    body: int
    pose: pin.SE3
    radius: float
    centre: NDArray[np.float64]
    is_link: bool = True


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
        self.robot = _Robot(urdf, base_frame)
        links = self.robot.solids()
        pairs = [
            (one, two, 0.0, f"links {one.name!r} and {two.name!r} touch")
            for index, one in enumerate(links)
            for two in links[index + 1 :]
            if one.name != two.name and frozenset((one.name, two.name)) not in disabled
        ]
        for box in keep_out:
            obstacle = _box(box, self.robot.base)
            pairs += [
                (link, obstacle, clearance, f"link {link.name!r} enters keep_out {box.name!r}")
                for link in links
            ]
        if minimum_height is not None:
            ground = _ground(minimum_height, self.robot.base)
            conflict = f"sinks below minimum_height {minimum_height:g} m"
            pairs += [(link, ground, clearance, f"link {link.name!r} {conflict}") for link in links]
        reaches = [self.robot.reach(one, two) for one, two, _, _ in pairs]
        moved = [index for index, reach in enumerate(reaches) if reach.any()]
        self._pairs = [pairs[index][:2] for index in moved]
        self._reaches = np.array([reaches[index] for index in moved]).reshape(
            len(moved), len(self.robot.joints)
        )
        self.margins = np.array([pairs[index][2] for index in moved])
        self.conflicts = [pairs[index][3] for index in moved]
        self.bare = self.robot.bare(links)

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
            found[place] = apart if apart >= enough[place] else _distance(one, first, two, second)
        return found


class _Robot(LinkCollisions):
    """The shapes of the links as solids, and the distances of their points from the joints."""

    def __init__(self, urdf: Path, base_frame: str) -> None:
        """Read the shapes; for base_frame see `LinkDistances`."""
        super().__init__(urdf)
        neutral = pin.neutral(self._model)
        # (J, 3) of what turns; zero of what slides.
        self._axes = pin.computeJointJacobians(self._model, self._data, neutral)[3:].T.copy()
        self.base = self._fixed_frame(base_frame)
        self._up = self.base.rotation @ _UP

    @property
    def leaders(self) -> list[str]:
        """Names of the joints that follow no other joint."""
        followers = {joint for joint, *_ in self._mimics}
        return [name for number, name in enumerate(self.joints) if number not in followers]

    @property
    def root(self) -> str:
        """Name of the root link."""
        return next(
            str(frame.name)
            for frame in self._model.frames
            if frame.type == pin.BODY and frame.parentJoint == 0
        )

    def link_paths(self, values: NDArray[np.float64]) -> dict[str, NDArray[np.float64]]:
        """Return (N, 3) origins (m) of all moving links in the root's frame, at (N, J) values."""
        moving = [f for f in self._model.frames if f.type == pin.BODY and f.parentJoint != 0]
        paths = np.empty((len(moving), len(values), 3))
        for index, row in enumerate(values):
            poses = self.poses(row)
            paths[:, index] = [poses[f.parentJoint].act(f.placement.translation) for f in moving]
        return {frame.name: path for frame, path in zip(moving, paths, strict=True)}

    def fall(self, link: str, values: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return the direction (3,) of gravity along axes that move with a link, at (J,) values.

        Raises:
            InputError: there is no such link.
        """
        if not self._model.existBodyName(link):
            raise InputError(f"{self.urdf}: has no link {link!r}")
        joint = self._model.frames[self._model.getBodyId(link)].parentJoint
        return np.asarray(-self.poses(values)[joint].rotation.T @ self._up)

    def poses(self, values: NDArray[np.float64]) -> list[pin.SE3]:
        """Return the frames of all joints in the root's frame, at (J,) joint values."""
        pin.forwardKinematics(self._model, self._data, self._vectors(values[None])[0])
        return list(self._data.oMi)

    def solids(self) -> list[_Solid]:
        """Return all shapes of all links."""
        found = []
        for item in self._shapes.geometryObjects:
            item.geometry.computeLocalAABB()
            found.append(
                _Solid(
                    item.geometry,
                    self._model.frames[item.parentFrame].name,
                    item.parentJoint,
                    item.placement,
                    item.geometry.aabb_radius,
                    np.array(item.geometry.aabb_center),
                )
            )
        return found

    def _fixed_frame(self, link: str) -> pin.SE3:
        """Return the pose of a link that does not move. Raise InputError for any other link."""
        if not link:
            return pin.SE3.Identity()
        frames = [f for f in self._model.frames if f.name == link and f.type == pin.BODY]
        if not frames or frames[0].parentJoint != 0:
            raise InputError(
                f"{self.urdf}: base_frame {link!r} is no link that is fixed to its root; accepted "
                "is one in which keep_out and minimum_height can be given"
            )
        return frames[0].placement

    def bare(self, solids: Collection[_Solid]) -> list[str]:
        """Return the names of the joints that move none of the solids."""
        moving = {joint for solid in solids for joint in self._chain(solid)}
        return [name for number, name in enumerate(self.joints, 1) if number not in moving]

    def reach(self, one: _Solid, two: _Solid) -> NDArray[np.float64]:
        """Return (J,) bounds of the change of distance of two solids per rad or m of each joint.

        The radius on which a point turns about a joint is at most the length of the chain of links
        between them. A joint that moves both solids does not change their distance.
        """
        reaches = np.zeros(len(self.joints))
        flat = not np.isfinite(one.radius) or not np.isfinite(two.radius)
        chains = [self._chain(solid) for solid in (one, two)]
        for joint in set(chains[0]) ^ set(chains[1]):
            length = (chains[0] | chains[1])[joint]
            if not (flat and self._upright(joint)):
                reaches[joint - 1] = length if self._turns(joint) else 1.0
        return reaches

    def _chain(self, solid: _Solid) -> dict[int, float]:
        """Return the joints that move a solid, with the largest distance (m) of its points."""
        length = float(np.linalg.norm(solid.pose.act(solid.centre))) + solid.radius
        found = {}
        joint = solid.body
        while joint != 0:
            if not self._turns(joint):
                ends = abs(self.lower[joint - 1]), abs(self.upper[joint - 1])
                length += max(ends)
            found[joint] = length
            length += float(np.linalg.norm(self._model.jointPlacements[joint].translation))
            joint = self._model.parents[joint]
        return found

    def _turns(self, joint: int) -> bool:
        return bool(self._axes[joint - 1].any())

    def _upright(self, joint: int) -> bool:
        """Return whether a joint on the root turns about the vertical, which changes no height."""
        on_root = self._model.parents[joint] == 0
        return bool(on_root and abs(self._axes[joint - 1] @ self._up) > 1.0 - 1e-9)


def _box(box: KeepOut, base: pin.SE3) -> _Solid:
    lower, upper = np.array(box.lower), np.array(box.upper)
    pose = base * pin.SE3(np.eye(3), (lower + upper) / 2)
    size = upper - lower
    radius = float(np.linalg.norm(size)) / 2
    return _Solid(coal.Box(*size), box.name, 0, pose, radius, np.zeros(3), is_link=False)


def _ground(height: float, base: pin.SE3) -> _Solid:
    pose = base * pin.SE3(np.eye(3), np.array([0.0, 0.0, height]))
    plane = coal.Halfspace(_UP, 0.0)
    return _Solid(plane, "ground", 0, pose, np.inf, np.zeros(3), is_link=False)


def _distance(one: _Solid, first: pin.SE3, two: _Solid, second: pin.SE3) -> float:
    request = coal.DistanceRequest()
    request.enable_signed_distance = True
    placed = [coal.Transform3s(pose.rotation, pose.translation) for pose in (first, second)]
    geometry = one.geometry, two.geometry
    result = coal.DistanceResult()
    return float(coal.distance(geometry[0], placed[0], geometry[1], placed[1], request, result))
