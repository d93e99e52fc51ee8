"""A robot as screening sees it: the solids of its links, and how far its joints move them."""

from __future__ import annotations

from collections.abc import Collection
from pathlib import Path

import numpy as np
import pinocchio as pin
from numpy.typing import NDArray

from autourdf_ros.commanding.screening.solids import UP, Solid, hull_solid
from autourdf_ros.errors import InputError
from autourdf_ros.shape.collision.link_collisions import LinkCollisions


class ScreenedRobot(LinkCollisions):
    """The shapes of the links as solids, and the distances of their points from the joints."""

    def __init__(self, urdf: Path, base_frame: str) -> None:
        """Read the shapes; for base_frame see `LinkDistances`."""
        super().__init__(urdf)
        neutral = pin.neutral(self._model)
        # (J, 3) of what turns; zero of what slides.
        self._axes = pin.computeJointJacobians(self._model, self._data, neutral)[3:].T.copy()
        self.base = self._fixed_frame(base_frame)
        self._up = self.base.rotation @ UP

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
        joint = self._frame(link).parentJoint
        return np.asarray(-self.poses(values)[joint].rotation.T @ self._up)

    def poses(self, values: NDArray[np.float64]) -> list[pin.SE3]:
        """Return the frames of all joints in the root's frame, at (J,) joint values."""
        pin.forwardKinematics(self._model, self._data, self._vectors(values[None])[0])
        return list(self._data.oMi)

    def solids(self) -> list[Solid]:
        """Return all shapes of all links."""
        found = []
        for item in self._shapes.geometryObjects:
            item.geometry.computeLocalAABB()
            found.append(
                Solid(
                    item.geometry,
                    self._model.frames[item.parentFrame].name,
                    item.parentJoint,
                    item.placement,
                    item.geometry.aabb_radius,
                    np.array(item.geometry.aabb_center),
                )
            )
        return found

    def held(self, points: NDArray[np.float64], link: str) -> tuple[Solid, set[int]]:
        """Return what a link holds, by points in its frame, and the joints that move with it.

        Raises:
            InputError: there is no such link.
        """
        frame = self._frame(link)
        parents, below = self._model.parents, {int(frame.parentJoint)}
        for joint in range(1, len(parents)):  # parents come before their children
            if parents[joint] in below:
                below.add(joint)
        return hull_solid(points, int(frame.parentJoint), frame.placement), below

    def link_pose(self, link: str, values: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return the pose (4, 4) of a link in the frame of keep_out, at (J,) values.

        Raises:
            InputError: there is no such link.
        """
        frame = self._frame(link)
        pose = self.base.inverse() * self.poses(values)[frame.parentJoint] * frame.placement
        return np.asarray(pose.homogeneous)

    def _frame(self, link: str) -> pin.Frame:
        if not self._model.existBodyName(link):
            raise InputError(f"{self.urdf}: has no link {link!r}")
        return self._model.frames[self._model.getBodyId(link)]

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

    def bare(self, solids: Collection[Solid]) -> list[str]:
        """Return the names of the joints that move none of the solids."""
        moving = {joint for solid in solids for joint in self._chain(solid)}
        return [name for number, name in enumerate(self.joints, 1) if number not in moving]

    def reach(self, one: Solid, two: Solid) -> NDArray[np.float64]:
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

    def _chain(self, solid: Solid) -> dict[int, float]:
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
