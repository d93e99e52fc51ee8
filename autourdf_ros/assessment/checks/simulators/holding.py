"""Check that the robot, simulated under gravity, stays where its drives hold it."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

import mujoco
import numpy as np
from numpy.typing import NDArray

from autourdf_ros.assessment.checks.finding import Finding, concluded, skipped
from autourdf_ros.assessment.checks.simulators.mujoco_copy import mujoco_copy
from autourdf_ros.assessment.checks.subject import Subject
from autourdf_ros.model.urdf.described_robot import DescribedJoint

HOLDS = "holds itself up"

DURATION, SETTLED = 5.0, 1.0
"""Simulated time (s), and its last part (s), in which the errors count."""

ACCEPTED = {"prismatic": 0.01, "revolute": 0.1, "continuous": 0.1}
"""Accepted error (m or rad) of a joint."""

STIFFNESS = 100.0
"""Natural frequency of the drives (rad/s). It is high, so that gravity bends a joint that moves a
body of radius of gyration r by at most g / (2 r STIFFNESS²): 0.1 rad where r is 5 mm."""

_STEP = 1e-3  # s
_EVERY = 10  # steps between two evaluations
_UNITS = {"prismatic": "m", "revolute": "rad", "continuous": "rad"}


@dataclass(frozen=True)
class _Run:
    """A simulation.

    Attributes:
        errors: (J,) largest errors (rad or m) while settled.
        energy: Largest change of the mechanical energy (J).
        allowed: Accepted change of the mechanical energy (J).
        ended: Time (s) at which the state was no longer finite, or `DURATION`.
        gravity: (J,) torque or force (N m or N) of gravity on each joint at the start.
    """

    errors: NDArray[np.float64]
    energy: float
    allowed: float
    ended: float
    gravity: NDArray[np.float64]


def check_holding(subject: Subject) -> tuple[Finding, ...]:
    """Simulate the robot for five seconds in MuJoCo and check that it stays where it is held.

    The base is fixed, there is no floor, and the simulation starts at the reference configuration.
    A drive with proportional and derivative gains M ω² and 2 M ω holds every joint (critically
    damped; M: its diagonal entry of the mass matrix, followers included; ω: `STIFFNESS`), within
    its effort limit; mimics are equality constraints. Links that overlap at the start do not
    collide.

    The state must stay finite. Kinetic plus potential energy must never change by more than m g L,
    which the robot (mass m, size L) would gain by falling its own length. The error of no joint may
    exceed `ACCEPTED` in the last second.
    """
    joints = subject.robot.moving_joints
    if not joints:
        return skipped(HOLDS, "no joint moves")
    try:
        with _quiet():
            run = _simulate(subject, joints)
    except (ValueError, mujoco.FatalError) as error:
        return (Finding(HOLDS, "failed", f"MuJoCo: {' '.join(str(error).split())}"),)
    if run.ended < DURATION:
        state = f"is no longer finite after {run.ended:.2f} s"
        return (Finding(HOLDS, "failed", f"the simulation {state}; accepted are {DURATION:g} s"),)
    failures = []
    if run.energy > run.allowed:
        failures.append(
            f"the energy changes by {run.energy:.3g} J; accepted are {run.allowed:.3g} J (m g L)"
        )
    for joint, off, torque in zip(joints, run.errors, run.gravity, strict=True):
        if off > ACCEPTED[joint.type]:
            failures.append(_off(joint, float(off), float(torque)))
    worst = int(np.argmax(run.errors))
    examined = (
        f"{DURATION:g} s; largest error {run.errors[worst]:.2g} {_UNITS[joints[worst].type]} "
        f"('{joints[worst].name}')"
    )
    return concluded(HOLDS, failures, examined)


def _off(joint: DescribedJoint, error: float, torque: float) -> str:
    unit = _UNITS[joint.type]
    text = f"joint '{joint.name}' ends {error:.3g} {unit} from where it is held"
    if joint.limit is not None and abs(torque) > joint.limit.effort:
        effort = "N" if joint.type == "prismatic" else "N m"
        text += f" (gravity asks {abs(torque):.3g} {effort}, its limit is {joint.limit.effort:.3g})"
    return f"{text}; accepted are {ACCEPTED[joint.type]:g} {unit}"


def _simulate(subject: Subject, joints: tuple[DescribedJoint, ...]) -> _Run:
    model = _model(subject, joints)
    data = mujoco.MjData(model)
    places = np.array([model.joint(joint.name).qposadr[0] for joint in joints])
    target = np.array([subject.reference[joint.name] for joint in joints])
    data.qpos[places] = target
    mujoco.mj_forward(model, data)
    _tune(model, data)
    data.ctrl[:] = [subject.reference[model.actuator(i).name] for i in range(model.nu)]
    dofs = [model.joint(joint.name).dofadr[0] for joint in joints]
    gravity = np.array(data.qfrc_bias[dofs])
    start = data.energy.sum()
    allowed = float(model.body_mass.sum() * np.linalg.norm(model.opt.gravity) * model.stat.extent)
    errors, energy = np.zeros(len(joints)), 0.0
    while data.time < DURATION - _STEP / 2:
        mujoco.mj_step(model, data, _EVERY)
        change = abs(float(data.energy.sum() - start))
        if not (np.isfinite(data.qpos).all() and np.isfinite(data.qvel).all() and change < np.inf):
            return _Run(errors, energy, allowed, float(data.time), gravity)
        energy = max(energy, change)
        if data.time > DURATION - SETTLED:
            errors = np.maximum(errors, np.abs(data.qpos[places] - target))
    return _Run(errors, energy, allowed, DURATION, gravity)


def _model(subject: Subject, joints: tuple[DescribedJoint, ...]) -> mujoco.MjModel:
    """Return the robot with a drive on every joint but mimics; overlapping links never collide."""
    text, meshes = mujoco_copy(subject, visuals=False)
    spec = mujoco.MjSpec.from_string(text, assets=meshes)
    spec.option.timestep = _STEP
    spec.option.integrator = mujoco.mjtIntegrator.mjINT_IMPLICITFAST
    spec.option.enableflags |= mujoco.mjtEnableBit.mjENBL_ENERGY
    spec.option.disableflags |= mujoco.mjtDisableBit.mjDSBL_AUTORESET
    for joint in joints:
        if joint.mimic is None:
            drive = spec.add_actuator(name=joint.name, target=joint.name)
            drive.trntype = mujoco.mjtTrn.mjTRN_JOINT
            drive.gaintype = mujoco.mjtGain.mjGAIN_FIXED
            drive.biastype = mujoco.mjtBias.mjBIAS_AFFINE
    model = spec.compile()
    overlaps = _overlaps(model, {joint.name: subject.reference[joint.name] for joint in joints})
    if not overlaps:
        return model
    for one, two in overlaps:
        spec.add_exclude(bodyname1=one, bodyname2=two)
    return spec.compile()


def _overlaps(model: mujoco.MjModel, values: dict[str, float]) -> list[tuple[str, str]]:
    data = mujoco.MjData(model)
    for name, value in values.items():
        data.qpos[model.joint(name).qposadr[0]] = value
    mujoco.mj_forward(model, data)
    bodies = {tuple(sorted(model.geom_bodyid[contact.geom])) for contact in data.contact}
    return [(model.body(one).name, model.body(two).name) for one, two in sorted(bodies)]


def _tune(model: mujoco.MjModel, data: mujoco.MjData) -> None:
    """Set the gains of the drives from the inertia that each of them moves at the start."""
    mass = np.zeros((model.nv, model.nv))
    mujoco.mj_fullM(model, data, mass)
    followers = np.eye(model.nv)
    for _ in range(model.neq):  # one may follow another
        for index in range(model.neq):
            if model.eq_type[index] == mujoco.mjtEq.mjEQ_JOINT:
                follower, leader = (
                    model.jnt_dofadr[joint[index]] for joint in (model.eq_obj1id, model.eq_obj2id)
                )
                followers[follower] = model.eq_data[index, 1] * followers[leader]
    moved = np.einsum("ji,jk,ki->i", followers, mass, followers)
    for index in range(model.nu):
        inertia = moved[model.jnt_dofadr[model.actuator_trnid[index, 0]]]
        model.actuator_gainprm[index, 0] = inertia * STIFFNESS**2
        model.actuator_biasprm[index, 1] = -inertia * STIFFNESS**2
        model.actuator_biasprm[index, 2] = -2 * inertia * STIFFNESS


@contextmanager
def _quiet() -> Iterator[None]:
    """Discard MuJoCo's warnings, which it writes into the working folder; the state is checked."""
    mujoco.set_mju_user_warning(lambda message: None)
    try:
        yield
    finally:
        mujoco.set_mju_user_warning(None)
