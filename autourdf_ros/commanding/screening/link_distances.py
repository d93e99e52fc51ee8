"""How far the links of a robot are from each other and from where they may not be.

Distances by Coal, of the collision shapes of a URDF.
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
class _Thing:
    """What must stay away from other things: a link's shape, or an obstacle."""

    geometry: coal.CollisionGeometry
    name: str
    body: int  # Pinocchio's joint that carries it; 0: it stands still
    pose: pin.SE3  # in the frame of that joint
    radius: float  # of a ball around its centre; infinite: unbounded
    centre: NDArray[np.float64]  # (3,) in its own frame
    is_link: bool = True


class LinkDistances:
    """Pairs of things that must stay apart, of which at least one moves.

    conflicts: (P,) what it means when a pair comes too near, in words. margins: (P,) m that are
    too near. bare: joints that move no shape: of what hangs on them nothing is known.
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

        disabled: pairs of links that may touch. clearance: m that links keep from keep_out and
        minimum_height, which are given in base_frame: a link that is fixed to the root; empty: the
        root itself. Raises InputError where the URDF cannot be used.
        """
        self.robot = _Robot(urdf, base_frame)
        links = self.robot.things()
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
            told = f"sinks below minimum_height {minimum_height:g} m"
            pairs += [(link, ground, clearance, f"link {link.name!r} {told}") for link in links]
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
        """The same with larger margins.

        extra: m, of two links by name, or of a link and an obstacle (None).
        """
        wide = copy.copy(self)
        more = [extra(one.name, two.name if two.is_link else None) for one, two in self._pairs]
        wide.margins = self.margins + np.array(more).reshape(len(self.margins))
        told = zip(self.conflicts, wide.margins, strict=True)
        wide.conflicts = [f"{text}, or come nearer than {1e3 * m:.0f} mm" for text, m in told]
        return wide

    def bounds(self, move: NDArray[np.float64]) -> NDArray[np.float64]:
        """(P,) m by which each pair's distance changes at most in a (J,) straight move."""
        return np.asarray(self._reaches @ np.abs(move))

    def nearer(
        self, values: NDArray[np.float64], enough: NDArray[np.float64], asked: NDArray[np.intp]
    ) -> NDArray[np.float64]:
        """(A,) distances (m) of the pairs with the numbers `asked`, at (J,) joint values.

        enough: (A,) m. Where a pair is surely farther apart, a lower bound at least as large is
        told instead. Below zero they are that deep in each other, where shapes are convex.
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
    """The shapes of the links as things, and how far their points are from the joints."""

    def __init__(self, urdf: Path, base_frame: str) -> None:
        """base_frame: see `LinkDistances`."""
        super().__init__(urdf)
        neutral = pin.neutral(self._model)
        # (J, 3) of what turns; zero of what slides.
        self._axes = pin.computeJointJacobians(self._model, self._data, neutral)[3:].T.copy()
        self.base = self._fixed_frame(base_frame)
        self._up = self.base.rotation @ _UP

    @property
    def leaders(self) -> list[str]:
        """Names of the joints that follow no other."""
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
        """(N, 3) origins of all links that move, in the root's frame, at (N, J) joint values."""
        moving = [f for f in self._model.frames if f.type == pin.BODY and f.parentJoint != 0]
        paths = np.empty((len(moving), len(values), 3))
        for index, row in enumerate(values):
            poses = self.poses(row)
            paths[:, index] = [poses[f.parentJoint].act(f.placement.translation) for f in moving]
        return {frame.name: path for frame, path in zip(moving, paths, strict=True)}

    def poses(self, values: NDArray[np.float64]) -> list[pin.SE3]:
        """Frames of all joints in the root's, at (J,) joint values."""
        pin.forwardKinematics(self._model, self._data, self._vectors(values[None])[0])
        return list(self._data.oMi)

    def things(self) -> list[_Thing]:
        """All shapes of all links."""
        found = []
        for item in self._shapes.geometryObjects:
            item.geometry.computeLocalAABB()
            found.append(
                _Thing(
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
        """Pose of a link that does not move. Raises InputError where there is none such."""
        if not link:
            return pin.SE3.Identity()
        frames = [f for f in self._model.frames if f.name == link and f.type == pin.BODY]
        if not frames or frames[0].parentJoint != 0:
            raise InputError(
                f"{self.urdf}: base_frame {link!r} is no link that is fixed to its root; accepted "
                "is one in which keep_out and minimum_height can be given"
            )
        return frames[0].placement

    def bare(self, things: Collection[_Thing]) -> list[str]:
        """Names of the joints that carry none of the things."""
        carrying = {joint for thing in things for joint in self._chain(thing)}
        return [name for number, name in enumerate(self.joints, 1) if number not in carrying]

    def reach(self, one: _Thing, two: _Thing) -> NDArray[np.float64]:
        """(J,) m by which the distance of two things changes at most per rad or m of each joint.

        A point turns about a joint no farther from it than the chain of links to it is long. Joints
        that carry both move neither against the other.
        """
        reaches = np.zeros(len(self.joints))
        flat = not np.isfinite(one.radius) or not np.isfinite(two.radius)
        chains = [self._chain(thing) for thing in (one, two)]
        for joint in set(chains[0]) ^ set(chains[1]):
            length = (chains[0] | chains[1])[joint]
            if not (flat and self._upright(joint)):
                reaches[joint - 1] = length if self._turns(joint) else 1.0
        return reaches

    def _chain(self, thing: _Thing) -> dict[int, float]:
        """The joints that carry a thing, and how far its points may be from each (m)."""
        length = float(np.linalg.norm(thing.pose.act(thing.centre))) + thing.radius
        found = {}
        joint = thing.body
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
        """Whether a joint on the root turns about the vertical, which changes no height."""
        on_root = self._model.parents[joint] == 0
        return bool(on_root and abs(self._axes[joint - 1] @ self._up) > 1.0 - 1e-9)


def _box(box: KeepOut, base: pin.SE3) -> _Thing:
    lower, upper = np.array(box.lower), np.array(box.upper)
    pose = base * pin.SE3(np.eye(3), (lower + upper) / 2)
    size = upper - lower
    radius = float(np.linalg.norm(size)) / 2
    return _Thing(coal.Box(*size), box.name, 0, pose, radius, np.zeros(3), is_link=False)


def _ground(height: float, base: pin.SE3) -> _Thing:
    pose = base * pin.SE3(np.eye(3), np.array([0.0, 0.0, height]))
    plane = coal.Halfspace(_UP, 0.0)
    return _Thing(plane, "ground", 0, pose, np.inf, np.zeros(3), is_link=False)


def _distance(one: _Thing, first: pin.SE3, two: _Thing, second: pin.SE3) -> float:
    request = coal.DistanceRequest()
    request.enable_signed_distance = True
    placed = [coal.Transform3s(pose.rotation, pose.translation) for pose in (first, second)]
    geometry = one.geometry, two.geometry
    result = coal.DistanceResult()
    return float(coal.distance(geometry[0], placed[0], geometry[1], placed[1], request, result))
