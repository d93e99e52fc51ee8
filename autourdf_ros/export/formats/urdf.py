"""The URDF of a model, by urchin."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import trimesh
import urchin
from lxml import etree
from numpy.typing import NDArray

from autourdf_ros.geometry.enclosing_shapes import Box, Cylinder, Primitive, enclosing
from autourdf_ros.model.forward_kinematics import link_frames, link_motions, link_poses
from autourdf_ros.model.layers.inertia import LinkInertia
from autourdf_ros.model.limits.drive_limits import assumed_limits
from autourdf_ros.model.names import legal_names
from autourdf_ros.model.palette import link_color
from autourdf_ros.model.result_files import MESHES, URDF
from autourdf_ros.model.self_model import Joint, Link, SelfModel
from autourdf_ros.parallel import on_all_cores
from autourdf_ros.progress import Progress, silent
from autourdf_ros.shape.collision.collision_mesh import (
    BUDGET,
    LEAST,
    collision_meshes,
)
from autourdf_ros.shape.collision.passing_links import NO_PASSAGE, Passage, passages
from autourdf_ros.shape.mass_properties import DENSITY
from autourdf_ros.shape.urdf_options import DEFAULTS, UrdfOptions
from autourdf_ros.shape.visual.link_solids import LinkSolid, link_solids
from autourdf_ros.shape.visual.mesh_files import MeshAppearance, write_collision, write_visual
from autourdf_ros.shape.visual.texture import bake
from autourdf_ros.shape.visual.unseen_surface import sight_reach
from autourdf_ros.shape.volume_inertia import link_mesh, volume_inertia, weighed

BASE_LINK = "base_link"
"""The empty root link, at the recording's fixed frame (REP 105; KDL wants no inertia there)."""

FLOATING_BASE = "floating_base"
"""The joint by which a base that floats hangs on the world, in formats that know such joints."""

# MuJoCo otherwise drops the folders of mesh names, and the visual meshes.
_MUJOCO = '<extra><mujoco><compiler strippath="false" discardvisual="false"/></mujoco></extra>'


@dataclass(frozen=True)
class UrdfNames:
    """Names in the URDF of the model's links and joints: legal, unique, `base_link` kept free."""

    robot: str
    links: Mapping[str, str]
    joints: Mapping[str, str]


def urdf_names(model: SelfModel, name: str | None = None) -> UrdfNames:
    """Return the legal names under which the model stands in its URDF."""
    (robot,) = legal_names([name or model.name]).values()
    links = legal_names([link.name for link in model.links], taken=[BASE_LINK])
    taken = [f"{BASE_LINK}_fixture", FLOATING_BASE]
    return UrdfNames(robot, links, legal_names([j.name for j in model.joints], taken=taken))


def write_urdf(
    model: SelfModel,
    folder: Path,
    *,
    name: str | None = None,
    options: UrdfOptions = DEFAULTS,
    solids: Sequence[LinkSolid | None] | None = None,
    progress: Progress = silent,
) -> Path:
    """Write `folder`/robot.urdf and the meshes it refers to by relative paths; return its path.

    The same model gives the same bytes. Joints have the model's limits. Links have the masses of
    its inertia layer; without one, those of `volume_inertia`. A comment names their origin.

    Args:
        model: What to write.
        folder: Where.
        name: Of the robot, if not the model's.
        options: Shapes, drives and density.
        solids: Of the links, where they are at hand; else they are made.
        progress: Is called with stage and fraction.
    """
    if solids is None:
        solids = link_solids(model, options.visual_triangles, progress)
    options = weighed(options, solids)
    names = urdf_names(model, name)
    for kind in ("visual", "collision"):
        (folder / MESHES / kind).mkdir(parents=True, exist_ok=True)
    inertia = model.inertia or volume_inertia(model, solids, options.density)
    frames = link_frames(model.tree)
    passing = _passing(model, solids, options)
    links = [urchin.Link(BASE_LINK, None, None, None)]
    share = max(LEAST, BUDGET // len(model.links))
    writers = [
        _LinkWriter(names.links[link.name], link_color(index), folder, options, share)
        for index, link in enumerate(model.links)
    ]
    shapes = on_all_cores(_LinkWriter.shape, writers, model.links, solids, frames, passing)
    for link, shape in zip(model.links, shapes, strict=True):
        links.append(
            urchin.Link(names.links[link.name], _inertial(inertia.links[link.name]), *shape)
        )
    base = urchin.Joint(
        f"{BASE_LINK}_fixture", "fixed", BASE_LINK, names.links[model.links[0].name]
    )
    robot = urchin.URDF(
        names.robot, links, [base, *_joints(model, names, options)], other_xml=_MUJOCO
    )
    path = folder / URDF
    with np.printoptions(precision=12, suppress=True, floatmode="maxprec"):
        robot.save(str(path))
    _tidy(path, _on_masses(options))
    return path


def _passing(
    model: SelfModel, solids: Sequence[LinkSolid | None], options: UrdfOptions
) -> tuple[Passage, ...]:
    """What the collision shapes of every link should leave out, where that is asked for."""
    if options.shapes != "mesh" or options.collision != "auto":
        return (NO_PASSAGE,) * len(model.links)
    return passages(model, [None if solid is None else solid.mesh for solid in solids])


def _on_masses(options: UrdfOptions) -> str:
    given = "which is assumed" if options.density == DENSITY else "which was given"
    if options.total_mass is not None:
        given = f"at which the whole robot weighs the {options.total_mass:g} kg given"
    return (
        " All masses and inertias are estimates: each link is taken for a solid that fills its "
        f"closed visual mesh, of one density, {options.density:.6g} kg/m^3, {given}. "
    )


def _tidy(path: Path, comment: str) -> None:
    """urchin gives a mass of 1 kg to every link that has none, and writes negative zeros."""
    tree = etree.parse(path, etree.XMLParser(remove_blank_text=True))
    base = tree.find(f"link[@name='{BASE_LINK}']")
    base.remove(base.find("inertial"))
    for element in tree.iter("origin", "axis"):
        for key, numbers in element.items():
            element.set(key, " ".join(f"{float(number) + 0.0:.12g}" for number in numbers.split()))
    tree.getroot().insert(0, etree.Comment(comment))
    tree.write(path, pretty_print=True, xml_declaration=True, encoding="utf-8")


@dataclass(frozen=True)
class _LinkWriter:
    """Writes the mesh files of one link.

    Attributes:
        name: The link's.
        color: (3,) of one without colours.
        share: Triangles of its collision meshes.
    """

    name: str
    color: NDArray[np.float64]
    folder: Path
    options: UrdfOptions
    share: int

    def shape(
        self, link: Link, solid: LinkSolid | None, frame: NDArray[np.float64], passing: Passage
    ) -> tuple[list[urchin.Visual], list[urchin.Collision]]:
        """The link's elements. frame: its own at the reference configuration. passing: in the base
        frame.
        """
        mesh = link_mesh(solid, frame)
        if solid is None or mesh is None:
            return [], []
        shapes: tuple[Primitive, ...] = ()
        if self.options.shapes != "mesh":
            shapes = enclosing(mesh, self.options.shapes)
        shown, dull = mesh, solid.unseen > 0.5
        if solid.given is not None:
            shown = solid.given.copy().apply_transform(np.linalg.inv(frame))
            dull = np.zeros(len(shown.faces), bool)
        primitives = shapes if self.options.show_shapes else ()
        visuals = self._visuals(link, solid, (shown, dull), primitives)
        return visuals, self._collisions(mesh, shapes, passing.moved(np.linalg.inv(frame)))

    def _visuals(
        self,
        link: Link,
        solid: LinkSolid,
        shown: tuple[trimesh.Trimesh, NDArray[np.bool_]],
        shapes: Sequence[Primitive],
    ) -> list[urchin.Visual]:
        """shown: mesh in the link's frame, and which of its triangles are greyer."""
        points, colors = link.surface.points, link.surface.colors
        material = None
        if shapes or colors is None:
            material = urchin.Material(f"{self.name}_color", color=np.append(self.color, 1.0))
        if shapes:
            return [
                urchin.Visual(_primitive(shape), origin=_origin(shape), material=material)
                for shape in shapes
            ]
        skin: MeshAppearance = self.color
        if colors is not None:
            skin = bake(solid.mesh, points, colors, sight_reach(points))
        folder = self.folder / MESHES / "visual"
        path = write_visual(folder, self.name, shown[0], skin, shown[1])
        return [urchin.Visual(self._mesh(path), material=material)]

    def _collisions(
        self, mesh: trimesh.Trimesh, shapes: Sequence[Primitive], passing: Passage
    ) -> list[urchin.Collision]:
        if shapes:
            return [
                urchin.Collision(name=None, origin=_origin(shape), geometry=_primitive(shape))
                for shape in shapes
            ]
        folder = self.folder / MESHES / "collision"
        parts = collision_meshes(mesh, self.share, self.options.collision, passing)
        paths = [write_collision(folder, self.name, part) for part in parts]
        return [
            urchin.Collision(name=None, origin=None, geometry=self._mesh(path)) for path in paths
        ]

    def _mesh(self, path: Path) -> urchin.Geometry:
        relative = path.relative_to(self.folder).as_posix()
        return urchin.Geometry(mesh=urchin.Mesh(relative, combine=False, lazy_filename=str(path)))


def _inertial(own: LinkInertia) -> urchin.Inertial:
    centre = np.eye(4)
    centre[:3, 3] = nine_digits(own.centre)
    return urchin.Inertial(float(nine_digits(own.mass)), nine_digits(own.inertia), centre)


def _primitive(shape: Primitive) -> urchin.Geometry:
    if isinstance(shape, Box):
        return urchin.Geometry(box=urchin.Box(nine_digits(shape.size)))
    radius = float(nine_digits(shape.radius))
    if isinstance(shape, Cylinder):
        return urchin.Geometry(cylinder=urchin.Cylinder(radius, float(nine_digits(shape.length))))
    return urchin.Geometry(sphere=urchin.Sphere(radius))


def _origin(shape: Primitive) -> NDArray[np.float64]:
    return shape.pose.round(9)


def _joints(model: SelfModel, names: UrdfNames, options: UrdfOptions) -> list[urchin.Joint]:
    at_zero = np.zeros(len(model.joints))
    index = {link.name: i for i, link in enumerate(model.links)}
    origins = link_poses(model.tree, at_zero)[:, :3, 3]
    rotations = link_motions(model.tree, at_zero)[:, :3, :3]
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


def nine_digits(values: NDArray[np.float64] | float) -> NDArray[np.float64]:
    """Return values of nine significant digits: enough for any mass, and short to read."""
    values = np.asarray(values, float)
    exponents = np.floor(np.log10(np.where(values == 0, 1, np.abs(values))))
    scale = 10.0 ** (8 - exponents)
    return np.round(values * scale) / scale
