"""Read the shape of a held object with joints from its description."""

from __future__ import annotations

import numpy as np
import trimesh

from autourdf_ros.errors import InputError
from autourdf_ros.model.inertial.jointed_description import JointedDescription
from autourdf_ros.model.urdf.described_robot import DescribedRobot
from autourdf_ros.model.urdf.mesh_reading import read_meshes
from autourdf_ros.model.urdf.urdf_reading import read_description
from autourdf_ros.shape.described_solids import link_solid
from autourdf_ros.shape.solid.mesh_solid import mesh_solid
from autourdf_ros.shape.solid.solid_body import joined_bodies
from autourdf_ros.workflows.payloads.payload_result import HeldObject


def jointed_object(jointed: JointedDescription) -> HeldObject:
    """Return a held object with joints, as it is at its joint values.

    Its body has volume elements of every link's visual shapes, or else of its collision shapes.

    Raises:
        InputError: names the link that has no shape.
    """
    robot = read_description(jointed.path)
    solids = [_solid(robot, name) for name in jointed.links]
    posed = list(zip(solids, jointed.poses, strict=True))
    bodies = [mesh_solid(solid).transformed(pose) for solid, pose in posed]
    return HeldObject(
        joined_bodies(bodies),
        np.vstack([trimesh.transform_points(one.vertices, pose) for one, pose in posed]),
        None,
        jointed.path.stem,
        jointed=jointed,
        links=np.repeat(np.arange(len(bodies)), [len(one.volumes) for one in bodies]),
    )


def _solid(robot: DescribedRobot, name: str) -> trimesh.Trimesh:
    """Return the shape of a link in its frame."""
    solid = link_solid(robot, name)
    if solid is None:
        raise InputError(
            f"{robot.path}: link {name!r} has no shape with a volume{_why(robot, name)}; accepted "
            "are links of which each has a mesh, box, cylinder or sphere"
        )
    return solid


def _why(robot: DescribedRobot, name: str) -> str:
    """Return what is wrong with the link's meshes, in brackets; empty where it has none."""
    files = read_meshes(robot)
    named = [shape.filename for link, shape in robot.shapes if link == name and shape.filename]
    problems = [files[one].problem for one in named if files[one].problem]
    return f" ({'; '.join(problems)})" if problems else ""
