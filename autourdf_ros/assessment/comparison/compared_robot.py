"""One of the two compared robots: its joints and surfaces at any joint values."""

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
from autourdf_ros.model.result_files import ASSEMBLY
from autourdf_ros.model.skeleton import Skeleton
from autourdf_ros.model.urdf.described_robot import DescribedJoint, Shape
from autourdf_ros.model.urdf.posed_urdf import UrdfRobot, read_urdf

Values = Mapping[str, float]


@dataclass(frozen=True)
class ComparedRobot:
    """A robot that is compared.

    Attributes:
        subject: The URDF with its meshes.
        kinematics: The same URDF in Pinocchio.
        document: The content of reconstruction.json; None for a bare URDF.
    """

    subject: Subject
    kinematics: UrdfRobot
    document: Mapping[str, Any] | None

    @property
    def joints(self) -> dict[str, DescribedJoint]:
        """Moving joints by name."""
        return {joint.name: joint for joint in self.subject.robot.moving_joints}

    @property
    def named(self) -> bool:
        """Whether joint names identify joints: not in a result that only numbers its joints."""
        if self.document is None or self.document.get(ASSEMBLY) is not None:
            return True  # names of parts
        return any(joint.get("motor") for joint in self._reported())

    def std(self, joint: str, quantity: str) -> float | None:
        """Return a result's standard deviation of a joint.

        Args:
            joint: Its name.
            quantity: `axis_std` (rad) or `line_std` (m).

        Returns:
            The standard deviation; None where the result reports none.
        """
        for reported in self._reported():
            if reported["name"] == joint and reported.get(quantity) is not None:
                return float(reported[quantity])
        return None

    def bodies(self) -> dict[str, int]:
        """Return the number of each link's body in the skeleton by link name; 0 is fixed."""
        frames = self.kinematics.model.frames
        links = self.subject.robot.links
        return {link.name: int(frames[self._frame(link.name)].parentJoint) for link in links}

    def skeleton(self, values: Values, shift: NDArray[np.float64] | None = None) -> Skeleton:
        """Return the moving joints at a configuration, in the base frame.

        Args:
            values: Joint values (rad or m) by name.
            shift: (3,) translation (m) of the whole robot.
        """
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
        """Return a link's mass (kg); 0 where the URDF gives none."""
        found = next(item for item in self.subject.robot.links if item.name == link)
        return 0.0 if found.inertial is None else found.inertial.mass

    def surfaces(self, values: Values) -> dict[str, trimesh.Trimesh]:
        """Return the visible surface of each link in the base frame, by link name.

        The visual shapes of a link, or its collision shapes where it has no visual ones. Links
        without readable shapes are absent.
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
        """Return the surfaces joined by body, by the body's number."""
        parts: dict[int, list[trimesh.Trimesh]] = {}
        bodies = self.bodies()
        for link, surface in self.surfaces(values).items():
            parts.setdefault(bodies[link], []).append(surface)
        return {body: _joined(part) for body, part in parts.items()}

    def _frame(self, link: str) -> int:
        return self.kinematics.model.getFrameId(link, pin.FrameType.BODY)

    def _solid(self, shape: Shape) -> trimesh.Trimesh | None:
        """Return a shape in its link's frame; None where its mesh cannot be read."""
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
    """Read a result folder or a URDF file.

    Raises:
        InputError: The path is neither, or its content cannot be used.
    """
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
