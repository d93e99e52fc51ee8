"""An MJCF as bodies and joints: MuJoCo compiles it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path

import mujoco
import numpy as np
import trimesh

from autourdf_ros.data.parts.erased.mechanism import (
    Body,
    BodyJoint,
    Mechanism,
    bare_mesh,
    joined_meshes,
)
from autourdf_ros.errors import InputError

_VISIBLE_GROUPS = 3  # MuJoCo's viewer shows the geometry of groups 0 to 2
_WORLD = 0


def mjcf_mechanism(
    path: Path,
    pose: Mapping[str, float] | None = None,
    keep: Iterable[str] = (),
    drop: Iterable[str] = (),
) -> Mechanism:
    """Read an MJCF in a pose.

    Of every body's geometry that is used which does not collide and is visible; without any, all
    that is visible; without any, all. Planes are left out.

    Args:
        path: The file.
        pose: Values of joints by name (rad or m); all others are at their reference.
        keep: Names of bodies; only they and what hangs on them are used. Empty for all.
        drop: Names of bodies that are left out, with what hangs on them.

    Raises:
        InputError: The file cannot be read, or a joint or body is not in it.
    """
    try:
        model = mujoco.MjModel.from_xml_path(str(path))
    except Exception as error:  # what its compiler raises is not documented
        raise InputError(f"{path}: cannot be read ({error})") from error
    data = mujoco.MjData(model)
    _set_pose(model, data, pose or {}, path)
    mujoco.mj_kinematics(model, data)
    mujoco.mj_comPos(model, data)
    kept = _kept(model, tuple(keep), tuple(drop), path)
    heads = [number for number in kept if number == _WORLD or model.body_weldid[number] == number]
    place = {number: index for index, number in enumerate(heads)}
    bodies = []
    for number in heads:
        welded = [one for one in kept if model.body_weldid[one] == number]
        parent = -1 if number == _WORLD else place[_head(model, int(model.body_parentid[number]))]
        name = model.body(number).name
        if number == _WORLD and keep and len(welded) > 1:
            name = model.body(welded[1]).name
        bodies.append(Body(name, parent, _joints(model, data, number), _mesh(model, data, welded)))
    return Mechanism(path.stem, tuple(bodies))


def _set_pose(
    model: mujoco.MjModel, data: mujoco.MjData, pose: Mapping[str, float], path: Path
) -> None:
    data.qpos[:] = model.qpos0
    for name, value in pose.items():
        number = mujoco.mj_name2id(model, mujoco.mjtObj.mjOBJ_JOINT, name)
        if number < 0:
            known = ", ".join(model.joint(one).name for one in range(model.njnt))
            raise InputError(f"{path}: joint '{name}' is not in it; accepted: {known}")
        data.qpos[model.jnt_qposadr[number]] = value


def _kept(
    model: mujoco.MjModel, keep: tuple[str, ...], drop: tuple[str, ...], path: Path
) -> list[int]:
    """Numbers of the kept bodies; the world's geometry only where all is kept."""
    kept = _with_descendants(model, {_body(model, name, path) for name in keep} or {_WORLD})
    dropped = _with_descendants(model, {_body(model, name, path) for name in drop})
    return sorted({_WORLD, *kept} - dropped)


def _body(model: mujoco.MjModel, name: str, path: Path) -> int:
    number = mujoco.mj_name2id(model, mujoco.mjtObj.mjOBJ_BODY, name)
    if number < 0:
        known = ", ".join(model.body(one).name for one in range(1, model.nbody))
        raise InputError(f"{path}: body '{name}' is not in it; accepted: {known}")
    return int(number)


def _with_descendants(model: mujoco.MjModel, bodies: set[int]) -> set[int]:
    for number in range(1, model.nbody):  # parents come before their children
        if int(model.body_parentid[number]) in bodies:
            bodies.add(number)
    return bodies


def _head(model: mujoco.MjModel, number: int) -> int:
    return int(model.body_weldid[number])


def _joints(model: mujoco.MjModel, data: mujoco.MjData, body: int) -> tuple[BodyJoint, ...]:
    """All joints of a body; none where one is free or a ball."""
    found = []
    start = int(model.body_jntadr[body])
    for number in range(start, start + int(model.body_jntnum[body])):
        kind = int(model.jnt_type[number])
        if kind not in (mujoco.mjtJoint.mjJNT_HINGE, mujoco.mjtJoint.mjJNT_SLIDE):
            return ()
        lower, upper = -np.inf, np.inf
        if model.jnt_limited[number]:
            value = data.qpos[model.jnt_qposadr[number]]
            lower, upper = (float(one - value) for one in model.jnt_range[number])
        found.append(
            BodyJoint(
                model.joint(number).name,
                "revolute" if kind == mujoco.mjtJoint.mjJNT_HINGE else "prismatic",
                data.xaxis[number].copy(),
                data.xanchor[number].copy(),
                lower,
                upper,
            )
        )
    return tuple(found)


def _mesh(model: mujoco.MjModel, data: mujoco.MjData, bodies: list[int]) -> trimesh.Trimesh | None:
    """The best geometry of bodies that move as one, in the world's frame."""
    geoms = [
        geom
        for geom in range(model.ngeom)
        if int(model.geom_bodyid[geom]) in bodies
        and int(model.geom_type[geom]) != mujoco.mjtGeom.mjGEOM_PLANE
    ]
    visible = [
        geom
        for geom in geoms
        if int(model.geom_group[geom]) < _VISIBLE_GROUPS and _alpha(model, geom) > 0
    ]
    seen_only = [
        geom for geom in visible if not (model.geom_contype[geom] or model.geom_conaffinity[geom])
    ]
    shapes = (_geometry(model, data, geom) for geom in seen_only or visible or geoms)
    return joined_meshes([shape for shape in shapes if shape is not None])


def _alpha(model: mujoco.MjModel, geom: int) -> float:
    material = int(model.geom_matid[geom])
    return float(model.mat_rgba[material, 3] if material >= 0 else model.geom_rgba[geom, 3])


def _geometry(model: mujoco.MjModel, data: mujoco.MjData, geom: int) -> trimesh.Trimesh | None:
    """One geometry in the world's frame; None for a kind that is no surface of a body."""
    kind, size = int(model.geom_type[geom]), model.geom_size[geom]
    shapes = mujoco.mjtGeom
    if kind == shapes.mjGEOM_MESH:
        mesh = _compiled(model, int(model.geom_dataid[geom]))
    elif kind == shapes.mjGEOM_BOX:
        mesh = trimesh.creation.box(2 * size)
    elif kind == shapes.mjGEOM_SPHERE:
        mesh = trimesh.creation.icosphere(subdivisions=4, radius=size[0])
    elif kind == shapes.mjGEOM_ELLIPSOID:
        mesh = trimesh.creation.icosphere(subdivisions=4).apply_scale(size)
    elif kind == shapes.mjGEOM_CYLINDER:
        mesh = trimesh.creation.cylinder(size[0], 2 * size[1], sections=64)
    elif kind == shapes.mjGEOM_CAPSULE:
        mesh = trimesh.creation.capsule(2 * size[1], size[0], count=[64, 64])
        mesh.apply_translation(-mesh.bounds.mean(axis=0))
    else:
        return None
    rotation = data.geom_xmat[geom].reshape(3, 3)
    return bare_mesh(mesh.vertices @ rotation.T + data.geom_xpos[geom], mesh.faces)


def _compiled(model: mujoco.MjModel, number: int) -> trimesh.Trimesh:
    first, count = int(model.mesh_vertadr[number]), int(model.mesh_vertnum[number])
    start, faces = int(model.mesh_faceadr[number]), int(model.mesh_facenum[number])
    return trimesh.Trimesh(
        model.mesh_vert[first : first + count],
        model.mesh_face[start : start + faces],
        process=False,
    )
