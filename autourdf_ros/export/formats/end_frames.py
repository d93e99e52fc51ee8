"""Where tools are mounted: the frames `flange` and `tool0` of REP 199 at the end of an arm.

No motion shows where the flange is. It is taken to be where the axis of the last joint leaves the
last link, on the side on which the link is longer: an assumption, to be measured for real tools.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import trimesh
from lxml import etree
from numpy.typing import NDArray

from autourdf_ros.export.formats.planning_groups import PlanningGroup
from autourdf_ros.files.urdf_origin import roll_pitch_yaw
from autourdf_ros.model.urdf.described_robot import DescribedJoint, DescribedLink
from autourdf_ros.model.urdf.mesh_reading import MeshFile, read_meshes
from autourdf_ros.model.urdf.urdf_reading import read_description

FLANGE, TOOL = "flange", "tool0"

_TURNING = ("revolute", "continuous")
_TOOL_IN_FLANGE = "1.5707963267948966 0 1.5707963267948966"
"""Roll, pitch, yaw (rad): x of the flange, which points away from the arm, is z of the tool."""


@dataclass(frozen=True)
class EndFrame:
    """A flange, with the tool frame at the same place.

    Attributes:
        group: Chain that ends with it.
        link: That it is fixed to.
        prefix: Of both frames' names, where the robot has several arms.
        pose: (4, 4) of the flange in the link's frame (m).
    """

    group: str
    link: str
    prefix: str
    pose: NDArray[np.float64]

    @property
    def tool(self) -> str:
        """Name of the tool frame."""
        return f"{self.prefix}{TOOL}"

    def elements(self) -> list[etree._Element]:
        """Return the links and fixed joints of a URDF."""
        flange = f"{self.prefix}{FLANGE}"
        place = _text(self.pose[:3, 3]), _text(roll_pitch_yaw(self.pose))
        return [
            etree.Element("link", name=flange),
            _fixed(self.link, flange, *place),
            etree.Element("link", name=self.tool),
            _fixed(flange, self.tool, "0 0 0", _TOOL_IN_FLANGE),
        ]


def end_frames(urdf: Path, groups: Iterable[PlanningGroup]) -> tuple[EndFrame, ...]:
    """Return the frames of all chains whose last joint turns a link that has a shape.

    None where the robot has links of these names already.
    """
    robot = read_description(urdf)
    links = {link.name: link for link in robot.links}
    joints = {joint.name: joint for joint in robot.joints}
    ends = [
        (group.name, joints[group.joints[-1]])
        for group in groups
        if group.is_chain and group.joints and joints[group.joints[-1]].type in _TURNING
    ]
    if not ends or links.keys() & {FLANGE, TOOL}:
        return ()
    meshes = read_meshes(robot)
    found = []
    for name, joint in ends:
        pose = _flange(joint, _vertices(links[joint.child], meshes))
        if pose is not None:
            found.append(EndFrame(name, joint.child, f"{name}_" if len(ends) > 1 else "", pose))
    return tuple(found)


def _vertices(link: DescribedLink, meshes: Mapping[str, MeshFile]) -> NDArray[np.float64]:
    """(N, 3) vertices (m) of a link's collision shapes, in its frame."""
    found = [np.zeros((0, 3))]
    for shape in link.shapes:
        if shape.role != "collision":
            continue
        points = None
        if shape.kind == "mesh":
            mesh = meshes[shape.filename].mesh
            points = None if mesh is None else mesh.vertices * shape.scale
        elif shape.half_size is not None:
            points = trimesh.creation.box(2.0 * shape.half_size).vertices
        if points is not None:
            found.append(points @ shape.pose[:3, :3].T + shape.pose[:3, 3])
    return np.vstack(found)


def _flange(joint: DescribedJoint, vertices: NDArray[np.float64]) -> NDArray[np.float64] | None:
    """(4, 4) pose in the child's frame, whose origin is on the axis: x outwards, z upwards."""
    length = float(np.linalg.norm(joint.axis))
    if not len(vertices) or not length:
        return None
    axis = joint.axis / length
    along = vertices @ axis
    outwards = axis if along.max() >= -along.min() else -axis
    # At zero the frames of links are parallel to the base's.
    up = np.array([0.0, 0.0, 1.0]) if abs(outwards[2]) < 0.9 else np.array([0.0, 1.0, 0.0])
    side = np.cross(up, outwards)
    side /= np.linalg.norm(side)
    pose = np.eye(4)
    pose[:3, :3] = np.column_stack([outwards, side, np.cross(outwards, side)])
    pose[:3, 3] = outwards * float((vertices @ outwards).max())
    return pose


def _fixed(parent: str, child: str, xyz: str, rpy: str) -> etree._Element:
    joint = etree.Element("joint", name=f"{child}_fixture", type="fixed")
    etree.SubElement(joint, "parent", link=parent)
    etree.SubElement(joint, "child", link=child)
    etree.SubElement(joint, "origin", xyz=xyz, rpy=rpy)
    return joint


def _text(values: Sequence[float] | NDArray[np.float64]) -> str:
    return " ".join(f"{value + 0.0:.9g}" for value in np.round(values, 9))
