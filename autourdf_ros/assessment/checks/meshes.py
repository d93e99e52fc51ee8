"""Check that mesh files exist, are closed and have the size of robot parts."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import trimesh

from autourdf_ros.assessment.checks.finding import Finding, concluded, skipped
from autourdf_ros.assessment.checks.subject import Subject
from autourdf_ros.model.urdf.described_robot import Role, Shape

EXIST, SIZE = "meshes exist", "mesh sizes"
CLOSED: dict[Role, str] = {
    "visual": "visual meshes closed",
    "collision": "collision meshes closed",
}

SMALLEST, LARGEST = 1e-3, 10.0
"""m of a mesh's longest side. A mesh beyond was most likely written in mm, or scaled twice."""

MOST_TRIANGLES = 200_000
"""MuJoCo reads no STL file with more."""


def check_meshes_exist(subject: Subject) -> tuple[Finding, ...]:
    """Check that every mesh file exists and can be read."""
    if not subject.meshes:
        return skipped(EXIST, "no shape is a mesh")
    failures = [
        f"link '{_owner(name, subject)}': mesh {file.problem}"
        for name, file in subject.meshes.items()
        if file.mesh is None
    ]
    return concluded(EXIST, failures, f"{len(subject.meshes)} files")


def check_visual_closed(subject: Subject) -> tuple[Finding, ...]:
    """Check that visual meshes are closed and oriented outwards.

    Meshes that a user gave are written as they are, and may be open.
    """
    findings = _check_closed(subject, "visual")
    open_ones = sum(finding.outcome == "failed" for finding in findings)
    if subject.meshes_given and open_ones:
        reason = f"the meshes are as they were given; {open_ones} are open or inside out"
        return skipped(CLOSED["visual"], reason)
    return findings


def check_collision_closed(subject: Subject) -> tuple[Finding, ...]:
    """Check that collision meshes are closed and oriented outwards."""
    return _check_closed(subject, "collision")


def check_mesh_sizes(subject: Subject) -> tuple[Finding, ...]:
    """Check the longest side of every mesh, at its scale, and its number of triangles."""
    shapes = list(_readable(subject))
    if not shapes:
        return skipped(SIZE, "there is no mesh that can be read")
    failures = []
    for link, shape, mesh in shapes:
        where = f"link '{link}': mesh '{shape.filename}'"
        longest = float((mesh.extents * np.abs(shape.scale)).max())
        if not SMALLEST <= longest <= LARGEST:
            failures.append(
                f"{where} is {longest:.3g} m long; accepted are {SMALLEST:g} to {LARGEST:g} m"
            )
        if len(mesh.faces) > MOST_TRIANGLES:
            failures.append(
                f"{where} has {len(mesh.faces)} triangles; accepted are {MOST_TRIANGLES}"
            )
    return concluded(SIZE, failures, f"{len(shapes)} meshes")


def _check_closed(subject: Subject, role: Role) -> tuple[Finding, ...]:
    """Check that meshes bound a volume: every edge joins two triangles of the same orientation."""
    files = {
        shape.filename: (link, mesh)
        for link, shape, mesh in _readable(subject)
        if shape.role == role
    }
    if not files:
        return skipped(CLOSED[role], f"there is no {role} mesh that can be read")
    failures = []
    for name, (link, mesh) in files.items():
        if not mesh.is_watertight:
            fault = "is not closed"
        elif not mesh.is_winding_consistent or mesh.volume <= 0:
            fault = "is closed, but inside out"
        else:
            continue
        where = f"link '{link}': {role} mesh '{name}'"
        failures.append(f"{where} {fault}; accepted is a closed surface")
    return concluded(CLOSED[role], failures, f"{len(files)} files")


def _readable(subject: Subject) -> Iterator[tuple[str, Shape, trimesh.Trimesh]]:
    for link, shape in subject.robot.shapes:
        mesh = subject.meshes[shape.filename].mesh if shape.kind == "mesh" else None
        if mesh is not None:
            yield link, shape, mesh


def _owner(name: str, subject: Subject) -> str:
    return next(link for link, shape in subject.robot.shapes if shape.filename == name)
