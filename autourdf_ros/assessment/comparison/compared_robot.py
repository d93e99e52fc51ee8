"""One of the two robots that are compared: its joints and surfaces at any joint values."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
import pinocchio as pin
import trimesh
from numpy.typing import NDArray

from autourdf_ros.assessment.checks.subject import Subject, open_subject, read_document
from autourdf_ros.model.skeleton import Skeleton
from autourdf_ros.model.urdf.described_robot import DescribedJoint, Shape
from autourdf_ros.model.urdf.posed_urdf import UrdfRobot, read_urdf

Values = Mapping[str, float]


@dataclass(frozen=True)
class ComparedRobot:
    """subject: the URDF with its meshes. document: of a result folder, or None for a bare URDF."""

    subject: Subject
    kinematics: UrdfRobot
    document: Mapping[str, Any] | None

    @property
    def joints(self) -> dict[str, DescribedJoint]:
        """Joints that move, by name."""
        return {joint.name: joint for joint in self.subject.robot.moving_joints}

    @property
    def named(self) -> bool:
        """Whether joint names mean the same in two robots: not where they are only counted."""
        return self.document is None or any(joint.get("motor") for joint in self._reported())

    def std(self, joint: str, quantity: str) -> float | None:
        """A result's standard deviation of a joint: `axis_std` (rad) or `line_std` (m)."""
        for reported in self._reported():
            if reported["name"] == joint and reported.get(quantity) is not None:
                return float(reported[quantity])
        return None

    def bodies(self) -> dict[str, int]:
        """Number of the body, as in the skeleton, by link name; 0 is the fixed one."""
        frames = self.kinematics.model.frames
        links = self.subject.robot.links
        return {link.name: int(frames[self._frame(link.name)].parentJoint) for link in links}

    def skeleton(self, values: Values, shift: NDArray[np.float64] | None = None) -> Skeleton:
        """The moving joints at a configuration, in the base frame; moved by `shift` (m)."""
        poses = self.kinematics.body_poses(values)
        turns = poses[:, :3, :3] @ self._reference_poses[:, :3, :3].swapaxes(1, 2)
        moved = poses[:, :3, 3] + (0.0 if shift is None else shift)
        joints = tuple(
            replace(joint, axis=turns[joint.child] @ joint.axis, point=moved[joint.child])
            for joint in self._at_reference.joints
        )
        return replace(self._at_reference, joints=joints)

    @cached_property
    def _at_reference(self) -> Skeleton:
        return self.kinematics.skeleton(self.subject.reference)

    @cached_property
    def _reference_poses(self) -> NDArray[np.float64]:
        return self.kinematics.body_poses(self.subject.reference)

    def mass(self, link: str) -> float:
        """kg; 0 where the URDF gives none."""
        found = next(item for item in self.subject.robot.links if item.name == link)
        return 0.0 if found.inertial is None else found.inertial.mass

    def surfaces(self, values: Values) -> dict[str, trimesh.Trimesh]:
        """What is seen of each link, in the base frame; links that show nothing are left out.

        Visual shapes, or collision shapes where there are none.
        """
        model = self.kinematics.model
        data = model.createData()
        pin.framesForwardKinematics(model, data, self.kinematics.configuration_vector(values))
        found = {}
        for link in self.subject.robot.links:
            shapes = [s for s in link.shapes if s.role == "visual"] or link.shapes
            parts = [part for shape in shapes if (part := self._solid(shape)) is not None]
            if parts:
                pose = data.oMf[self._frame(link.name)].homogeneous
                found[link.name] = _joined(parts).apply_transform(pose)
        return found

    def body_surfaces(self, values: Values) -> dict[int, trimesh.Trimesh]:
        """The same of each body."""
        parts: dict[int, list[trimesh.Trimesh]] = {}
        bodies = self.bodies()
        for link, surface in self.surfaces(values).items():
            parts.setdefault(bodies[link], []).append(surface)
        return {body: _joined(part) for body, part in parts.items()}

    def _frame(self, link: str) -> int:
        return self.kinematics.model.getFrameId(link, pin.FrameType.BODY)

    def _solid(self, shape: Shape) -> trimesh.Trimesh | None:
        """A shape in its link's frame; None where its mesh cannot be read."""
        if shape.kind == "mesh":
            mesh = self.subject.meshes[shape.filename].mesh
            if mesh is None:
                return None
            return mesh.copy().apply_transform(shape.pose @ np.diag([*shape.scale, 1.0]))
        assert shape.half_size is not None
        return _primitive(shape.kind, shape.half_size).apply_transform(shape.pose)

    def _reported(self) -> list[Mapping[str, Any]]:
        return [] if self.document is None else self.document["joints"]


def open_robot(path: Path) -> ComparedRobot:
    """A result folder or a URDF file. Raises InputError where it cannot be used."""
    subject = open_subject(path)
    document = read_document(path) if path.is_dir() else None
    return ComparedRobot(subject, read_urdf(subject.robot.path), document)


def _joined(parts: list[trimesh.Trimesh]) -> trimesh.Trimesh:
    sizes = np.cumsum([0, *(len(part.vertices) for part in parts)])
    faces = [part.faces + start for part, start in zip(parts, sizes, strict=False)]
    vertices = np.vstack([part.vertices for part in parts])
    return trimesh.Trimesh(vertices, np.vstack(faces), process=False)


def _primitive(kind: str, half: NDArray[np.float64]) -> trimesh.Trimesh:
    if kind == "box":
        return trimesh.creation.box(2 * half)
    if kind == "sphere":
        return trimesh.creation.icosphere(radius=half[0])
    if kind == "cylinder":
        return trimesh.creation.cylinder(half[0], 2 * half[2])
    capsule = trimesh.creation.capsule(2 * (half[2] - half[0]), half[0])
    return capsule.apply_translation(-capsule.bounds.mean(axis=0))
