"""A URDF as bodies and joints: Pinocchio joins links that fixed joints connect."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import numpy as np
import pinocchio as pin
import trimesh
from numpy.typing import NDArray

from autourdf_ros.data.parts.erased.mechanism import Body, BodyJoint, Mechanism, bare_mesh
from autourdf_ros.errors import InputError
from autourdf_ros.geometry.triangle_mesh import SurfaceMesh
from autourdf_ros.model.urdf.body_surfaces import body_surfaces
from autourdf_ros.model.urdf.robot_library import package_directories
from autourdf_ros.model.urdf.urdf_extras import read_mimics

_Y_TO_Z = pin.SE3(pin.rpy.rpyToMatrix(np.pi / 2, 0.0, 0.0), np.zeros(3))


def urdf_mechanism(
    urdf: Path, pose: Mapping[str, float] | None = None, up_axis: bool = False
) -> Mechanism:
    """Read a URDF in a pose.

    Args:
        urdf: The file.
        pose: Values of joints by name (rad or m); all others are at zero.
        up_axis: Whether Collada files that say Y_UP are turned to z; RViz and Pinocchio ignore what
            they say, and most models are made for that.

    Raises:
        InputError: The file or one of its meshes cannot be read, or a joint is not in it.
    """
    mimics = read_mimics(urdf)
    model, visual = _read(urdf)
    configuration = _configuration(model, pose or {}, urdf)
    data = model.createData()
    pin.computeJointJacobians(model, data, configuration)
    if up_axis:
        _turn_to_z(visual)
    surfaces = body_surfaces(visual, model.njoints)
    bodies = []
    for number in range(model.njoints):
        joint = _joint(model, data, configuration, number, mimics)
        surface, placed = surfaces[number], data.oMi[number].homogeneous
        bodies.append(
            Body(
                _body_name(model, number),
                -1 if number == 0 else int(model.parents[number]),
                () if joint is None else (joint,),
                None if surface is None else _placed(surface, placed),
            )
        )
    return Mechanism(urdf.stem, tuple(bodies))


def _read(urdf: Path) -> tuple[pin.Model, pin.GeometryModel]:
    try:
        model = pin.buildModelFromUrdf(str(urdf))
        visual = pin.buildGeomFromUrdf(
            model, str(urdf), pin.GeometryType.VISUAL, package_dirs=package_directories(urdf)
        )
    except Exception as error:  # what its parsers raise is not documented
        raise InputError(f"{urdf}: cannot be read ({error})") from error
    return model, visual


def _turn_to_z(visual: pin.GeometryModel) -> None:
    """Turn meshes of which the file says that y is up, within the frame that places them."""
    for item in visual.geometryObjects:
        path = Path(item.meshPath)
        if path.suffix.lower() == ".dae" and b"<up_axis>Y_UP" in path.read_bytes():
            item.placement = item.placement * _Y_TO_Z


def _configuration(model: pin.Model, pose: Mapping[str, float], urdf: Path) -> NDArray[np.float64]:
    """(nq,) neutral, but for the joints of `pose`."""
    tangent = np.zeros(model.nv)
    for name, value in pose.items():
        number = model.getJointId(name)
        if not 0 < number < model.njoints or model.joints[number].nv != 1:
            known = ", ".join(list(model.names)[1:])
            raise InputError(f"{urdf}: joint '{name}' does not move in it; accepted: {known}")
        tangent[model.joints[number].idx_v] = value
    return pin.integrate(model, pin.neutral(model), tangent)


def _joint(
    model: pin.Model,
    data: pin.Data,
    configuration: NDArray[np.float64],
    number: int,
    mimics: Mapping[str, tuple[str, float, float]],
) -> BodyJoint | None:
    """The joint of a body; None where it has not exactly one degree of freedom."""
    if number == 0 or model.joints[number].nv != 1:
        return None
    joint, name = model.joints[number], model.names[number]
    jacobian = pin.getJointJacobian(model, data, number, pin.ReferenceFrame.WORLD)
    column = jacobian.reshape(6, model.nv)[:, joint.idx_v]
    turns = bool(column[3:].any())
    axis = column[3:] if turns else column[:3]
    lower, upper = -np.inf, np.inf
    if joint.nq == 1:
        value = configuration[joint.idx_q]
        lower = float(model.lowerPositionLimit[joint.idx_q] - value)
        upper = float(model.upperPositionLimit[joint.idx_q] - value)
    return BodyJoint(
        name,
        "revolute" if turns else "prismatic",
        axis / np.linalg.norm(axis),
        data.oMi[number].translation.copy(),
        lower,
        upper,
        mimics.get(name, ("",))[0],
    )


def _body_name(model: pin.Model, number: int) -> str:
    """Name of the body's first link."""
    for frame in model.frames:
        if frame.type == pin.FrameType.BODY and frame.parentJoint == number:
            return str(frame.name)
    return str(model.names[number])


def _placed(surface: SurfaceMesh, pose: NDArray[np.float64]) -> trimesh.Trimesh:
    vertices = surface.vertices.astype(np.float64) @ pose[:3, :3].T + pose[:3, 3]
    return bare_mesh(vertices, surface.triangles)
