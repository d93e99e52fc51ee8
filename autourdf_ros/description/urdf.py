"""The URDF of a `RobotModel`, by urchin."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
import urchin
from lxml import etree
from numpy.typing import NDArray

from autourdf_ros.description.collision_mesh import convex_mesh
from autourdf_ros.description.drive_limits import DriveLimits, assumed_limits
from autourdf_ros.description.inertia import DENSITY, mass_properties
from autourdf_ros.description.mesh_files import Look, write_collision, write_visual
from autourdf_ros.description.names import legal_names
from autourdf_ros.description.palette import link_color
from autourdf_ros.description.posing import link_frames, link_motions, link_poses
from autourdf_ros.description.result_files import MESHES, URDF
from autourdf_ros.description.robot_model import Joint, Link, RobotModel
from autourdf_ros.description.surface_mesh import closed_mesh
from autourdf_ros.description.texture import bake
from autourdf_ros.progress import Progress, silent

BASE_LINK = "base_link"
"""The empty root link, at the recording's fixed frame (REP 105; KDL wants no inertia there)."""

# MuJoCo otherwise drops the folders of mesh names, and the visual meshes.
_MUJOCO = '<extra><mujoco><compiler strippath="false" discardvisual="false"/></mujoco></extra>'


@dataclass(frozen=True)
class UrdfOptions:
    """What seeing a robot move cannot tell, assumed so that simulators and planners can work.

    density: kg/m³ of the links' closed volumes. drives: by joint name in the model, where they are
    known; the others' are `assumed_limits`. visual_triangles: of a link's visual mesh, at most.
    """

    density: float = DENSITY
    drives: Mapping[str, DriveLimits] = field(default_factory=dict)
    visual_triangles: int = 4000


DEFAULTS = UrdfOptions()


@dataclass(frozen=True)
class UrdfNames:
    """Names in the URDF of the model's links and joints: legal, unique, `base_link` kept free."""

    robot: str
    links: Mapping[str, str]
    joints: Mapping[str, str]


def urdf_names(model: RobotModel, name: str | None = None) -> UrdfNames:
    """The legal names under which the model stands in its URDF."""
    (robot,) = legal_names([name or model.name]).values()
    links = legal_names([link.name for link in model.links], taken=[BASE_LINK])
    fixture = f"{BASE_LINK}_fixture"
    return UrdfNames(robot, links, legal_names([j.name for j in model.joints], taken=[fixture]))


def write_urdf(
    model: RobotModel,
    folder: Path,
    *,
    name: str | None = None,
    options: UrdfOptions = DEFAULTS,
    progress: Progress = silent,
) -> Path:
    """Write `folder`/robot.urdf and the meshes it refers to by relative paths; returns its path.

    The same model gives the same bytes. Joints carry the model's limits; links that move carry
    the inertia of their closed volume at `options.density`.
    """
    names = urdf_names(model, name)
    for kind in ("visual", "collision"):
        (folder / MESHES / kind).mkdir(parents=True, exist_ok=True)
    frames = link_frames(model)
    links = [urchin.Link(BASE_LINK, None, None, None)]
    for index, (link, frame) in enumerate(zip(model.links, frames, strict=True)):
        progress(f"mesh of {link.name}", index / len(model.links))
        look = link_color(index)
        links.append(_link(link, names.links[link.name], frame, look, folder, options))
    base = urchin.Joint(
        f"{BASE_LINK}_fixture", "fixed", BASE_LINK, names.links[model.links[0].name]
    )
    robot = urchin.URDF(
        names.robot, links, [base, *_joints(model, names, options)], other_xml=_MUJOCO
    )
    path = folder / URDF
    with np.printoptions(precision=12, suppress=True, floatmode="maxprec"):
        robot.save(str(path))
    _tidy(path)
    return path


def _tidy(path: Path) -> None:
    """urchin gives a mass of 1 kg to every link that has none, and writes negative zeros."""
    tree = etree.parse(path, etree.XMLParser(remove_blank_text=True))
    base = tree.find(f"link[@name='{BASE_LINK}']")
    base.remove(base.find("inertial"))
    for element in tree.iter("origin", "axis"):
        for key, numbers in element.items():
            element.set(key, " ".join(f"{float(number) + 0.0:.12g}" for number in numbers.split()))
    tree.write(path, pretty_print=True, xml_declaration=True, encoding="utf-8")


def _link(
    link: Link,
    name: str,
    frame: NDArray[np.float64],
    look: NDArray[np.float64],
    folder: Path,
    options: UrdfOptions,
) -> urchin.Link:
    """A link with its mesh files written; `frame` is its frame at the reference configuration."""
    mesh = closed_mesh(link.surface, options.visual_triangles)
    visuals: list[urchin.Visual] = []
    collisions: list[urchin.Collision] = []
    if mesh is not None:
        material = None
        skin: Look = look
        if link.surface.colors is None:
            material = urchin.Material(f"{name}_color", color=np.append(look, 1.0))
        else:
            skin = bake(mesh, link.surface.points, link.surface.colors)
        mesh.apply_transform(np.linalg.inv(frame))
        visual = write_visual(folder / MESHES / "visual", name, mesh, skin)
        collision = write_collision(folder / MESHES / "collision", name, convex_mesh(mesh))
        visuals = [urchin.Visual(_geometry(visual, folder), name=None, material=material)]
        collisions = [
            urchin.Collision(name=None, origin=None, geometry=_geometry(collision, folder))
        ]
    mass = mass_properties(mesh, options.density)
    centre = np.eye(4)
    centre[:3, 3] = _digits(mass.centre)
    inertial = urchin.Inertial(float(_digits(mass.mass)), _digits(mass.inertia), centre)
    return urchin.Link(name, inertial, visuals, collisions)


def _geometry(path: Path, folder: Path) -> urchin.Geometry:
    relative = path.relative_to(folder).as_posix()
    return urchin.Geometry(mesh=urchin.Mesh(relative, combine=False, lazy_filename=str(path)))


def _joints(model: RobotModel, names: UrdfNames, options: UrdfOptions) -> list[urchin.Joint]:
    at_zero = np.zeros(len(model.joints))
    index = {link.name: i for i, link in enumerate(model.links)}
    origins = link_poses(model, at_zero)[:, :3, 3]
    rotations = link_motions(model, at_zero)[:, :3, :3]
    joints = []
    for joint in model.joints:
        parent, child = index[joint.parent], index[joint.child]
        origin = np.eye(4)
        origin[:3, 3] = (origins[child] - origins[parent]).round(9)
        joints.append(
            urchin.Joint(
                names.joints[joint.name],
                joint.type,
                names.links[joint.parent],
                names.links[joint.child],
                axis=(rotations[child] @ joint.axis).round(12),
                origin=origin,
                limit=_limit(joint, options),
                mimic=_mimic(joint, names),
            )
        )
    return joints


def _limit(joint: Joint, options: UrdfOptions) -> urchin.JointLimit | None:
    if joint.type == "fixed":
        return None
    drive = options.drives.get(joint.name) or assumed_limits(joint)
    if joint.type == "continuous":
        return urchin.JointLimit(drive.effort, drive.velocity)
    lower, upper = round(joint.lower, 6), round(joint.upper, 6)
    return urchin.JointLimit(drive.effort, drive.velocity, lower, upper)


def _mimic(joint: Joint, names: UrdfNames) -> urchin.JointMimic | None:
    if joint.mimic is None:
        return None
    multiplier, offset = round(joint.mimic.multiplier, 9), round(joint.mimic.offset, 9)
    return urchin.JointMimic(names.joints[joint.mimic.joint], multiplier, offset)


def _digits(values: NDArray[np.float64] | float) -> NDArray[np.float64]:
    """Rounded to nine significant digits: enough for any mass, and short to read."""
    values = np.asarray(values, float)
    exponents = np.floor(np.log10(np.where(values == 0, 1, np.abs(values))))
    scale = 10.0 ** (8 - exponents)
    return np.round(values * scale) / scale
