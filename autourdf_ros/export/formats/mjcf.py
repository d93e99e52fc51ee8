"""MJCF: the robot as MuJoCo simulates it, by MuJoCo's own compiler."""

from __future__ import annotations

import math
from collections.abc import Iterable
from pathlib import Path

import mujoco
import numpy as np
from numpy.typing import NDArray

from autourdf_ros.export.formats.semantics import MovingJoint, Semantics
from autourdf_ros.export.formats.srdf import HOME
from autourdf_ros.export.formats.urdf import BASE_LINK, FLOATING_BASE
from autourdf_ros.model.layers.dynamics import FRICTION_IMPEDANCE, FRICTION_STEPS
from autourdf_ros.model.result_files import MJCF, URDF
from autourdf_ros.shape.collision.collision_pairs import DisabledPair

CATCH_UP = 0.1
"""A drive gives its full effort for the error that it makes good in so many seconds at full speed;
less where that would shake its link:"""
BANDWIDTH = 200.0
"""rad/s of a drive and what it moves at most: far below what a step of 2 ms can integrate."""

VISUAL_GROUP, COLLISION_GROUP = 2, 3  # as in MuJoCo Menagerie: the viewer hides the latter


def write_mjcf(semantics: Semantics, pairs: Iterable[DisabledPair], folder: Path) -> Path:
    """Write `folder`/robot.mjcf.xml from the URDF there; returns its path.

    Meshes keep their relative paths. Every driven joint has a position actuator of its name,
    critically damped at home; `pairs` are excluded from contact; joints that follow are tied by
    MuJoCo's reading of the URDF. The keyframe `home` is where the robot stood in the reference
    frame. A base that floats has a free joint.
    """
    spec = mujoco.MjSpec.from_file(str(folder / URDF))
    spec.compiler.fusestatic = False  # or links that do not move lose their names
    spec.option.integrator = mujoco.mjtIntegrator.mjINT_IMPLICITFAST  # damping is stiff
    for geom in spec.geoms:
        seen = geom.contype == 0 and geom.conaffinity == 0
        geom.group = VISUAL_GROUP if seen else COLLISION_GROUP
        if seen and geom.meshname:
            _paint(spec, geom, folder)
    if semantics.floating:
        spec.body(BASE_LINK).add_freejoint(name=FLOATING_BASE)
    bodies = {body.name for body in spec.bodies}
    for pair in pairs:
        if {pair.link1, pair.link2} <= bodies:
            spec.add_exclude(bodyname1=pair.link1, bodyname2=pair.link2)
    for joint in semantics.joints:
        own = spec.joint(joint.name)
        own.solref_friction = [FRICTION_STEPS * spec.option.timestep, 1.0]
        own.solimp_friction = FRICTION_IMPEDANCE
        if joint.armature:
            own.armature = joint.armature
    model = spec.compile()
    home = {joint.name: joint.home for joint in semantics.joints}
    qpos = np.array(model.qpos0)
    for name, value in home.items():
        qpos[model.joint(name).qposadr] = value
    driven = [joint for joint in semantics.joints if joint.role == "driven"]
    inertias = _inertias(model, qpos)
    for joint in driven:
        _actuate(spec, joint, inertias[model.joint(joint.name).dofadr[0]])
    spec.add_key(name=HOME, qpos=qpos, ctrl=[joint.home for joint in driven])
    spec.compile()
    path = folder / MJCF
    path.write_text(spec.to_xml())
    return path


def _paint(spec: mujoco.MjSpec, geom: mujoco.MjsGeom, folder: Path) -> None:
    """Give a geom its mesh's texture: MuJoCo reads the OBJ, but not the materials beside it."""
    picture = Path(spec.mesh(geom.meshname).file).with_suffix(".png")
    if (folder / picture).is_file():
        spec.add_texture(
            name=picture.stem, type=mujoco.mjtTexture.mjTEXTURE_2D, file=picture.as_posix()
        )
        material = spec.add_material(name=picture.stem)
        material.textures[mujoco.mjtTextureRole.mjTEXROLE_RGB] = picture.stem
        geom.material = picture.stem


def _inertias(model: mujoco.MjModel, qpos: NDArray[np.float64]) -> NDArray[np.float64]:
    """(nv,) what every joint moves when the others and the base stand still (kg m² or kg)."""
    data = mujoco.MjData(model)
    data.qpos[:] = qpos
    mujoco.mj_forward(model, data)
    inertias = np.zeros(model.nv)
    for index, unit in enumerate(np.eye(model.nv)):
        row = np.zeros(model.nv)
        mujoco.mj_mulM(model, data, row, unit)
        inertias[index] = row[index]
    return inertias


def _actuate(spec: mujoco.MjSpec, joint: MovingJoint, inertia: float) -> None:
    """Add the drive of a joint. inertia: what it moves at home (kg m² or kg)."""
    drive = joint.drive
    actuator = spec.add_actuator(
        name=joint.name, target=joint.name, trntype=mujoco.mjtTrn.mjTRN_JOINT
    )
    stiffness = min(drive.effort / (drive.velocity * CATCH_UP), inertia * BANDWIDTH**2)
    limited = spec.joint(joint.name).limited != mujoco.mjtLimited.mjLIMITED_FALSE
    damping = 2 * math.sqrt(stiffness * inertia)
    actuator.set_to_position(kp=stiffness, kv=damping, inheritrange=limited)
    actuator.forcerange = [-drive.effort, drive.effort]
