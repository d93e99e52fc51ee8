"""The subject of the checks: a URDF, its meshes and the recorded configurations."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from autourdf_ros.errors import InputError
from autourdf_ros.model.result_files import ASSEMBLY, DOCUMENT, URDF, result_document
from autourdf_ros.model.urdf.described_robot import DescribedRobot, Limit, Shape
from autourdf_ros.model.urdf.mesh_reading import MeshFile, read_meshes
from autourdf_ros.model.urdf.urdf_reading import read_description


@dataclass(frozen=True)
class Recorded:
    """The configurations of the robot in a recording.

    Attributes:
        names: Of J joints.
        values: (F, J) rad or m.
    """

    names: tuple[str, ...]
    values: NDArray[np.float64]

    def frame(self, index: int) -> dict[str, float]:
        """Return the joint values (rad or m) of a frame by name."""
        return dict(zip(self.names, self.values[index].tolist(), strict=True))


@dataclass(frozen=True)
class Subject:
    """A robot description with all that the checks need.

    Attributes:
        robot: The parsed URDF.
        meshes: By file name as the URDF writes it.
        reference: Joint values (rad or m) by name.
        recorded: The recorded configurations; None for a bare URDF.
        meshes_given: Whether the visual meshes are a user's own, written as they were given.
    """

    robot: DescribedRobot
    meshes: Mapping[str, MeshFile]
    reference: Mapping[str, float]
    recorded: Recorded | None
    meshes_given: bool = False

    def bounds(self, shape: Shape) -> NDArray[np.float64] | None:
        """Return the (2, 3) lower and upper corner (m) of a shape in its frame; None if unknown."""
        if shape.half_size is not None:
            return np.array([-shape.half_size, shape.half_size])
        mesh = self.meshes[shape.filename].mesh
        if mesh is None:
            return None
        corners = mesh.bounds * shape.scale
        return np.array([corners.min(0), corners.max(0)])


def open_subject(path: Path) -> Subject:
    """Read a result folder or a bare URDF file.

    Raises:
        InputError: The path is neither, or its content cannot be read.
    """
    accepted = "accepted is a result folder or a URDF file"
    if not path.is_dir():
        try:
            return subject_of(path, None)
        except InputError as error:
            if "; accepted" in str(error):
                raise
            raise InputError(f"{error}; {accepted}") from error
    urdf = path / URDF
    if not urdf.is_file():
        raise InputError(f"{path}: has no {URDF}; {accepted}")
    return subject_of(urdf, read_document(path))


def subject_of(urdf: Path, document: Mapping[str, Any] | None) -> Subject:
    """Read a URDF and its meshes, with the configurations of its reconstruction.json.

    Joints without a reference value stand at zero, or at the nearest limit where zero is beyond
    the limits.

    Args:
        urdf: The URDF file.
        document: The content of its reconstruction.json; None for a bare URDF.

    Raises:
        InputError: As `read_description` raises it, or the document is damaged.
    """
    robot = read_description(urdf)
    reference = {joint.name: _nearest_to_zero(joint.limit) for joint in robot.moving_joints}
    recorded = None
    if document is not None:
        try:
            given = document["reference_configuration"]
            reference |= {k: float(v) for k, v in given.items() if k in reference}
            recorded = _recorded(document)
        except (AttributeError, KeyError, TypeError, ValueError) as error:
            raise InputError(
                f"{urdf.with_name(DOCUMENT)}: is damaged ({type(error).__name__}: {error}); "
                "accepted is what autourdf wrote"
            ) from error
    for joint in robot.moving_joints:
        if joint.mimic is not None and joint.mimic.joint in reference:
            leader = reference[joint.mimic.joint]
            reference[joint.name] = joint.mimic.multiplier * leader + joint.mimic.offset
    given = document is not None and document.get(ASSEMBLY) is not None
    return Subject(robot, read_meshes(robot), reference, recorded, given)


def _nearest_to_zero(limit: Limit | None) -> float:
    if limit is None or not limit.lower <= limit.upper:
        return 0.0
    return min(max(0.0, limit.lower), limit.upper)


def _recorded(document: Mapping[str, Any]) -> Recorded:
    names = tuple(str(joint["name"]) for joint in document["joints"])
    rows = [
        np.array(sequence["joint_values"], dtype=float).reshape(len(sequence["used"]), len(names))[
            np.array(sequence["used"], dtype=bool)
        ]
        for sequence in document["sequences"]
    ]
    values = np.vstack([np.empty((0, len(names))), *rows])
    values = values[np.isfinite(values).all(axis=1)]
    moving = [
        index for index, joint in enumerate(document["joints"]) if joint.get("type") != "fixed"
    ]
    return Recorded(tuple(names[index] for index in moving), values[:, moving])


def read_document(folder: Path) -> Mapping[str, Any] | None:
    """Return the content of a folder's reconstruction.json; None without one.

    Raises:
        InputError: The file is no reconstruction.json, or one of another version.
    """
    return result_document(folder) if (folder / DOCUMENT).is_file() else None
