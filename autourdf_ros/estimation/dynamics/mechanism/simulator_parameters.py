"""Read a mechanism's parameters from an MjModel, and set them."""

from __future__ import annotations

import copy
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

import mujoco
import numpy as np
from numpy.typing import NDArray

from autourdf_ros.estimation.dynamics.mechanism.body_coordinates import (
    body_coordinates,
    body_parameters,
)
from autourdf_ros.estimation.dynamics.mechanism.dynamic_parameter import (
    DynamicParameter,
    Kind,
    ParameterTable,
)
from autourdf_ros.model.inertial.inertial_parameters import mass_centre_inertia, parameters_from

Array = NDArray[np.float64]

GRAVITY = "gravity"
"""Target of the parameters that tilt it: to first order of the angles."""
_BODY: dict[Kind, int] = {"mass": 0, "centre": 1, "radius": 4, "shear": 7}
"""Where a kind starts among the ten coordinates of a body."""
_JOINT: dict[Kind, str] = {
    "damping": "dof_damping",
    "friction": "dof_frictionloss",
    "armature": "dof_armature",
    "stiffness": "jnt_stiffness",
}


@dataclass(frozen=True)
class PriorOptions:
    """Standard deviations of the prior, each about the mechanism's nominal value.

    Attributes:
        scale: Logarithm of the overall scale: the density of what things are made of.
        mass: Logarithm of one body's mass beside that.
        shape: Centre and shears in radii of gyration of the body, and the radii's logarithms: how
            unevenly the mass is spread within the shape.
        resistance: Logarithm of damping, friction, armature and springs.
        contact: Logarithm of contact friction.
        tilt: Of gravity's direction against the world's z axis (rad): how well a camera's pose is
            known.
        rate: Damping over inertia where the mechanism states none (1/s).
        level: Friction, likewise, as acceleration (rad/s² or m/s²); armature over inertia too.
    """

    scale: float = 0.7
    mass: float = 0.35
    shape: float = 0.2
    resistance: float = 1.5
    contact: float = 0.7
    tilt: float = 0.01
    rate: float = 0.1
    level: float = 0.1


def table_of(model: mujoco.MjModel, options: PriorOptions = PriorOptions()) -> ParameterTable:
    """Return all parameters of a mechanism, with their nominal values and priors.

    Bodies that no joint moves have none; nor has a joint limit or contact that is not there.
    """
    tilts = [
        DynamicParameter("tilt", GRAVITY, "rad", 0.0, options.tilt, component)
        for component in range(2)
    ]
    found = [
        *_of_bodies(model, options),
        *_of_joints(model, options),
        *_of_geoms(model, options),
        *tilts,
    ]
    return ParameterTable(tuple(found), options.scale)


def _of_bodies(model: mujoco.MjModel, options: PriorOptions) -> Iterator[DynamicParameter]:
    for body in range(1, model.nbody):
        if model.body_weldid[body] == 0 or model.body_mass[body] <= 0:
            continue
        name = model.body(body).name
        own = body_coordinates(inertial_parameters(model, body))
        radii = np.exp(own[4:7])
        sizes = {
            "centre": radii.max() * np.ones(3),
            "radius": np.ones(3),
            "shear": np.sqrt(radii[[0, 0, 1]] * radii[[1, 2, 2]]),
        }
        yield DynamicParameter("mass", name, "kg", float(np.exp(own[0])), options.mass)
        for kind, size in sizes.items():
            start = _BODY[kind]  # type: ignore[index]
            values = np.exp(own[start : start + 3]) if kind == "radius" else own[start : start + 3]
            for part in range(3):
                yield DynamicParameter(
                    kind,  # type: ignore[arg-type]
                    name,
                    "m",
                    float(values[part]),
                    options.shape * float(size[part]),
                    part,
                )


def _of_joints(model: mujoco.MjModel, options: PriorOptions) -> Iterator[DynamicParameter]:
    for joint in range(model.njnt):
        name, address = model.joint(joint).name, model.jnt_dofadr[joint]
        turns = mujoco.mjtJoint(model.jnt_type[joint]) == mujoco.mjtJoint.mjJNT_HINGE
        torque, per, own = ("N m", "rad", "kg m²") if turns else ("N", "m", "kg")
        inertia = float(model.dof_M0[address])
        guesses: tuple[tuple[Kind, str, float, float], ...] = (
            ("damping", f"{torque} s/{per}", model.dof_damping[address], options.rate),
            ("friction", torque, model.dof_frictionloss[address], options.level),
            ("armature", own, model.dof_armature[address], options.level),
            ("stiffness", f"{torque}/{per}", model.jnt_stiffness[joint], options.level),
        )
        for kind, unit, stated, share in guesses:
            value = float(stated) if stated > 0 else share * inertia
            yield DynamicParameter(kind, name, unit, value, options.resistance)
        if model.jnt_limited[joint]:
            value = -_direct(model.jnt_solref[joint], model.jnt_solimp[joint])[0]
            yield DynamicParameter("limit stiffness", name, "1/s²", value, options.resistance)


def _of_geoms(model: mujoco.MjModel, options: PriorOptions) -> Iterator[DynamicParameter]:
    for geom in range(model.ngeom):
        touches = model.geom_contype[geom] or model.geom_conaffinity[geom]
        if touches and model.geom(geom).name and model.body_weldid[model.geom_bodyid[geom]]:
            value = float(model.geom_friction[geom, 0])
            yield DynamicParameter(
                "contact friction", model.geom(geom).name, "1", value, options.contact
            )


def inertial_parameters(model: mujoco.MjModel, body: int) -> Array:
    """Return the inertial parameters (10,) of a body in its frame."""
    flat = np.empty(9)
    mujoco.mju_quat2Mat(flat, model.body_iquat[body])
    turn = flat.reshape(3, 3)
    inertia = turn @ np.diag(model.body_inertia[body]) @ turn.T
    return parameters_from(float(model.body_mass[body]), model.body_ipos[body], inertia)


@dataclass(frozen=True)
class ParameterSetter:
    """Sets natural values of parameters into copies of a nominal MjModel.

    Attributes:
        nominal: Where everything else comes from.
        table: The parameters.
    """

    nominal: mujoco.MjModel
    table: ParameterTable
    _bodies: dict[int, Array] = field(default_factory=dict)

    def models(self, values: Array) -> list[mujoco.MjModel]:
        """Return a model for every row of natural values (n, P)."""
        return [self.model(row) for row in np.atleast_2d(values)]

    def model(self, values: Iterable[float]) -> mujoco.MjModel:
        """Return a model with these P natural values."""
        model = copy.copy(self.nominal)
        bodies: dict[int, Array] = {}
        for one, value in zip(self.table.parameters, values, strict=True):
            if one.kind in _BODY:
                body = model.body(one.target).id
                own = bodies.setdefault(body, self._coordinates(body).copy())
                own[_BODY[one.kind] + one.component] = np.log(value) if one.is_log else value
            elif one.kind == "tilt":
                model.opt.gravity[one.component] += float(self.nominal.opt.gravity[2]) * value
            elif one.kind == "contact friction":
                geom = model.geom(one.target).id
                model.geom_friction[geom, 0], model.geom_priority[geom] = value, 1
            else:
                _set_joint(model, one, value)
        for body, own in bodies.items():
            _set_body(model, body, body_parameters(own))
        mujoco.mj_setConst(model, mujoco.MjData(model))
        return model

    def _coordinates(self, body: int) -> Array:
        if body not in self._bodies:
            self._bodies[body] = body_coordinates(inertial_parameters(self.nominal, body))
        return self._bodies[body]


def _set_joint(model: mujoco.MjModel, one: DynamicParameter, value: float) -> None:
    joint = model.joint(one.target).id
    if one.kind == "limit stiffness":
        stiffness, damping = _direct(model.jnt_solref[joint], model.jnt_solimp[joint])
        model.jnt_solref[joint] = -value, damping * np.sqrt(-value / stiffness)
        return
    place = joint if one.kind == "stiffness" else model.jnt_dofadr[joint]
    getattr(model, _JOINT[one.kind])[place] = value


def _set_body(model: mujoco.MjModel, body: int, parameters: Array) -> None:
    mass, centre, inertia = mass_centre_inertia(parameters)
    moments, axes = np.linalg.eigh(inertia)
    axes[:, 2] = np.cross(axes[:, 0], axes[:, 1])
    quaternion = np.empty(4)
    mujoco.mju_mat2Quat(quaternion, np.ascontiguousarray(axes).ravel())
    model.body_mass[body], model.body_ipos[body] = mass, centre
    model.body_inertia[body], model.body_iquat[body] = moments, quaternion


def _direct(solref: Array, solimp: Array) -> tuple[float, float]:
    """Stiffness and damping of a limit as the negative numbers that MuJoCo takes directly.

    MuJoCo's documentation, "Solver parameters": b = 2 / (dmax T), k = 1 / (dmax² T² ζ²).
    """
    if solref[0] <= 0:
        return float(solref[0]), float(solref[1])
    greatest, time, ratio = float(solimp[1]), float(solref[0]), float(solref[1])
    return -1 / (greatest * time * ratio) ** 2, -2 / (greatest * time)
