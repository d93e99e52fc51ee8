"""The parts of a result folder of an assembly, and the ranked alternatives of its joints."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from autourdf_ros.data.parts.part_assembly import Part, PartAssembly
from autourdf_ros.errors import InputError
from autourdf_ros.estimation.parts.assembly_trace import EdgeJoint, JointCandidate
from autourdf_ros.export.joint_replacement import frames_at_zero
from autourdf_ros.model.document.entries import Entries
from autourdf_ros.model.result_files import DOCUMENT, URDF, result_document
from autourdf_ros.model.urdf.described_robot import DescribedRobot
from autourdf_ros.model.urdf.mesh_reading import read_meshes
from autourdf_ros.model.urdf.urdf_reading import read_description

SECTION = "assembly"
"""Key of the document under which an assembly's joints are."""
_NO_PARTS = "is no result of parts: accepted is a folder that autourdf assemble wrote"


@dataclass(frozen=True)
class AssembledResult:
    """What a result folder says of its parts.

    Attributes:
        assembly: The links' visual meshes, in the base frame with all joints at zero.
        root: Number of the root part.
        joints: With their alternatives.
        names: Of the joints, in this order.
    """

    assembly: PartAssembly
    root: int
    joints: tuple[EdgeJoint, ...]
    names: tuple[str, ...]


def read_assembled(folder: Path) -> AssembledResult:
    """Read the parts and the alternatives of a result folder.

    Raises:
        InputError: It is no result of an assembly, or is damaged; names file and key.
    """
    document = result_document(folder)
    if not isinstance(document.get(SECTION), Mapping):
        raise InputError(f"{folder}: {_NO_PARTS}")
    section = Entries(document[SECTION], f"{folder / DOCUMENT}.{SECTION}")
    assembly = _assembly(folder, [link["name"] for link in document["links"]])
    numbers = {part.name: number for number, part in enumerate(assembly.parts)}
    entries = section.each("joints")
    return AssembledResult(
        assembly,
        _number(section.child("tree"), "root", numbers),
        tuple(_joint(entry, numbers) for entry in entries),
        tuple(entry.text("joint") for entry in entries),
    )


def _joint(entry: Entries, numbers: Mapping[str, int]) -> EdgeJoint:
    alternatives = tuple(_alternative(one) for one in entry.each("alternatives"))
    if not alternatives:
        raise InputError(f"{entry.where}.alternatives: is empty; accepted is one or more")
    return EdgeJoint(
        _number(entry, "parent", numbers),
        _number(entry, "child", numbers),
        alternatives,
        entry.flag("ambiguous"),
        entry.text("reason"),
        entry.number("edge_probability", np.nan),
    )


def _alternative(entry: Entries) -> JointCandidate:
    kinds: dict[str, Any] = {kind: kind for kind in ("revolute", "prismatic", "fixed")}
    axis = entry.array("axis", (3,))
    length = float(np.linalg.norm(axis))
    if not length > 0:
        raise InputError(f"{entry.where}.axis: is {axis}; accepted is a vector that is not zero")
    return JointCandidate(
        kinds[entry.text("type", tuple(kinds))],
        axis / length,
        entry.array("point", (3,)),
        entry.number("score", 0.0),
        entry.number("probability", np.nan),
        entry.number("lower", -np.inf),
        entry.number("upper", np.inf),
    )


def _number(entry: Entries, key: str, numbers: Mapping[str, int]) -> int:
    name = entry.text(key)
    if name not in numbers:
        raise InputError(f"{entry.where}.{key}: is {name!r}; accepted are {', '.join(numbers)}")
    return numbers[name]


def _assembly(folder: Path, names: list[str]) -> PartAssembly:
    robot, frames = read_description(folder / URDF), frames_at_zero(folder / URDF)
    meshes = read_meshes(robot)
    parts = []
    for name in names:
        vertices, triangles = [np.empty((0, 3))], [np.empty((0, 3), np.int64)]
        for shape in _visuals(robot, name):
            mesh = meshes[shape.filename].mesh if shape.kind == "mesh" else None
            if mesh is None:
                continue
            pose = frames[name] @ shape.pose
            placed = (np.asarray(mesh.vertices) * shape.scale) @ pose[:3, :3].T + pose[:3, 3]
            triangles.append(np.asarray(mesh.faces, np.int64) + sum(map(len, vertices)))
            vertices.append(placed)
        if len(vertices) == 1:
            raise InputError(f"{folder / URDF}: link {name} has no visual mesh that can be read")
        parts.append(Part(name, np.vstack(vertices), np.vstack(triangles)))
    return PartAssembly(robot.name, tuple(parts), source=folder)


def _visuals(robot: DescribedRobot, name: str) -> list[Any]:
    link = next(one for one in robot.links if one.name == name)
    return [shape for shape in link.shapes if shape.role == "visual"]
