"""Penetration depths of the collision shapes of two links, by Coal."""

from __future__ import annotations

import itertools
import warnings
from collections.abc import Iterator, Mapping

import coal
import numpy as np
import pinocchio as pin

from autourdf_ros.assessment.checks.disabled_pairs import Pairs
from autourdf_ros.assessment.checks.subject import Subject
from autourdf_ros.model.urdf.robot_library import package_directories


class Penetration:
    """The pairs of links of a robot that must not overlap; meshes count as their convex hulls."""

    def __init__(self, subject: Subject, disabled: Pairs) -> None:
        """Read the shapes.

        Args:
            subject: The robot.
            disabled: Pairs of link names that may overlap.

        Raises:
            ValueError: Pinocchio cannot read the robot.
        """
        urdf = subject.robot.path
        path, folders = str(urdf), package_directories(urdf)
        self._model = pin.buildModelFromUrdf(path)
        self._data = self._model.createData()
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", UserWarning)
            self._shapes = pin.buildGeomFromUrdf(
                self._model, path, pin.COLLISION, package_dirs=folders
            )
        for item in self._shapes.geometryObjects:
            if isinstance(item.geometry, coal.BVHModelBase):
                item.geometry.buildConvexHull(True, "Qt")
                item.geometry = item.geometry.convex
            item.geometry.computeLocalAABB()
        objects = list(enumerate(self._shapes.geometryObjects))
        self._links = [self._model.frames[item.parentFrame].name for _, item in objects]
        self._pairs = [
            (one, two)
            for (one, first), (two, second) in itertools.combinations(objects, 2)
            if first.parentJoint != second.parentJoint
            and frozenset((self._links[one], self._links[two])) not in disabled
        ]
        self._placed = pin.GeometryData(self._shapes)

    @property
    def pairs(self) -> int:
        """Number of pairs of links that are checked."""
        return len({frozenset((self._links[one], self._links[two])) for one, two in self._pairs})

    def depths(self, values: Mapping[str, float]) -> Iterator[tuple[str, str, float]]:
        """Yield (link, link, depth in m) of overlapping shapes at joint values (rad, m) by name."""
        q = pin.neutral(self._model)
        for name, value in values.items():
            if self._model.existJointName(name):
                joint = self._model.joints[self._model.getJointId(name)]
                entry = (value,) if joint.nq == 1 else (np.cos(value), np.sin(value))
                q[joint.idx_q : joint.idx_q + joint.nq] = entry
        pin.updateGeometryPlacements(self._model, self._data, self._shapes, self._placed, q)
        objects, poses = self._shapes.geometryObjects, self._placed.oMg
        request = coal.DistanceRequest()
        request.enable_signed_distance = True
        for one, two in self._pairs:
            first, second = objects[one].geometry, objects[two].geometry
            gap = np.linalg.norm(
                poses[one].act(first.aabb_center) - poses[two].act(second.aabb_center)
            )
            if gap > first.aabb_radius + second.aabb_radius:
                continue
            result = coal.DistanceResult()
            placed = [coal.Transform3s(poses[i].rotation, poses[i].translation) for i in (one, two)]
            distance = coal.distance(first, placed[0], second, placed[1], request, result)
            if distance < 0:
                yield self._links[one], self._links[two], -distance
