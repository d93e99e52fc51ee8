"""An object that the simulated robot holds: its mass, and what cameras see of it."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pinocchio as pin
import trimesh
from numpy.typing import NDArray

from autourdf_ros.errors import InputError
from autourdf_ros.geometry.triangle_mesh import SurfaceMesh, merged, read_mesh
from autourdf_ros.model.inertial.inertial_parameters import is_consistent, moved, parameters_from
from autourdf_ros.model.urdf.simulated_robot import SimulatedRobot

Array = NDArray[np.float64]


@dataclass(frozen=True)
class HeldObject:
    """An object that a link bears.

    Attributes:
        link: The link.
        parameters: (10,) inertial parameters in the link's frame, in the order of `PARAMETERS`.
        surface: In the link's frame; None: cameras do not see it.
    """

    link: str
    parameters: Array
    surface: SurfaceMesh | None = None


def homogeneous_object(path: Path, density: float, link: str, pose: Array) -> HeldObject:
    """Return the object of a mesh file with one density.

    Args:
        path: Of the mesh (m).
        density: kg/m³.
        link: That bears it.
        pose: (4, 4) of the mesh's frame in the link's.

    Raises:
        InputError: the mesh cannot be read or bounds no volume.
    """
    # Only now what takes most of a second to import: a cell mostly holds nothing.
    from autourdf_ros.shape.solid.mesh_solid import mesh_solid

    surface = _surface(path)
    body = mesh_solid(trimesh.Trimesh(surface.vertices, surface.triangles, process=False))
    parameters = density * body.element_parameters().sum(axis=0)
    return HeldObject(link, moved(parameters, pose), surface.transformed(pose))


def stated_object(inertial: Array, path: Path | None, link: str, pose: Array) -> HeldObject:
    """Return an object of stated mass.

    Args:
        inertial: (10,) mass (kg), centre of mass (m), ixx iyy izz ixy ixz iyz about it (kg m²), in
            the object's frame.
        path: Of its mesh, in the object's frame (m); None: cameras do not see it.
        link: That bears it.
        pose: (4, 4) of the object's frame in the link's.

    Raises:
        InputError: no body has these numbers, or the mesh cannot be read.
    """
    ixx, iyy, izz, ixy, ixz, iyz = inertial[4:]
    tensor = np.array([[ixx, ixy, ixz], [ixy, iyy, iyz], [ixz, iyz, izz]])
    parameters = parameters_from(float(inertial[0]), inertial[1:4], tensor)
    if not is_consistent(parameters):
        raise InputError(
            f"held object of mass, centre and inertia {np.asarray(inertial).tolist()}: no body has "
            "them; accepted are a positive mass and moments of which each is less than the sum of "
            "the other two"
        )
    surface = None if path is None else _surface(path).transformed(pose)
    return HeldObject(link, moved(parameters, pose), surface)


def show_held(robot: SimulatedRobot, held: HeldObject) -> None:
    """Add what cameras see of a held object to the robot. Raise InputError for an unknown link."""
    body, placement = bearing_joint(robot, held.link)
    if held.surface is not None:
        own, shown = robot.surfaces[body], held.surface.transformed(placement)
        robot.surfaces[body] = shown if own is None else merged([own, shown])


def bearing_joint(robot: SimulatedRobot, link: str) -> tuple[int, Array]:
    """Return the body's number, and the pose (4, 4) of one of its links in the body's frame.

    Raises:
        InputError: there is no such link, or it does not move.
    """
    moving = {name: body for body, names in enumerate(robot.links) for name in names if body}
    if link not in moving:
        raise InputError(
            f"{robot.urdf}: {link!r} is no link that moves; accepted is one of {', '.join(moving)}"
        )
    return moving[link], link_placement(robot, link)


def link_placement(robot: SimulatedRobot, link: str) -> Array:
    """Return the pose (4, 4) of a link's frame in its body's."""
    frame = robot.model.frames[robot.model.getFrameId(link, pin.FrameType.BODY)]
    return np.asarray(frame.placement.homogeneous)


def _surface(path: Path) -> SurfaceMesh:
    if not path.is_file():
        raise InputError(f"mesh {path}: is no file; accepted is the mesh of the held object")
    found = read_mesh(path)
    if found is None:
        raise InputError(f"mesh {path}: has no triangles; accepted is one of a closed surface")
    return found
