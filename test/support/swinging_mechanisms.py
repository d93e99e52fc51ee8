"""Cart-pole and double pendulum for tests of dynamics, and their motions with a tracker's noise."""

from __future__ import annotations

from collections.abc import Callable

import mujoco
import numpy as np

from autourdf_ros.estimation.dynamics.joint_motion_data import JointMotion, JointMotionData

CART_POLE = """<mujoco><option timestep="0.004" integrator="RK4"/><worldbody>
<body name="cart"><joint name="slide" type="slide" axis="1 0 0" damping="{slide_damping}"
 frictionloss="{slide_friction}"/><geom name="block" type="box" size=".1 .05 .05" mass="{cart}"
 contype="0" conaffinity="0"/>
<body name="pole"><joint name="hinge" axis="0 1 0" damping="{hinge_damping}"
 frictionloss="{hinge_friction}"/><geom name="rod" type="capsule" fromto="0 0 0 0 0 -.5" size=".02"
 mass="{pole}" contype="0" conaffinity="0"/></body></body></worldbody></mujoco>"""
CART_POLE_TRUTH = {
    "cart": 1.0,
    "pole": 0.3,
    "slide_damping": 0.5,
    "slide_friction": 0.2,
    "hinge_damping": 0.01,
    "hinge_friction": 0.01,
}

DOUBLE_PENDULUM = """<mujoco><option timestep="0.004" integrator="RK4"/><worldbody>
<body name="upper"><joint name="shoulder" axis="0 1 0" damping="0.02"/>
<geom type="capsule" fromto="0 0 0 0 0 -.3" size=".02" mass="0.5" contype="0" conaffinity="0"/>
<body name="lower" pos="0 0 -.3"><joint name="elbow" axis="0 1 0" damping="0.01"/>
<geom type="capsule" fromto="0 0 0 0 0 -.25" size=".02" mass="0.3" contype="0" conaffinity="0"/>
</body></body></worldbody></mujoco>"""

STDS = {"slide": 0.0005, "hinge": np.deg2rad(0.05)}
"""A tracker's: m and rad."""

Push = Callable[[float, np.ndarray, np.ndarray], np.ndarray]
"""Generalised forces (J,) at a time, at positions and velocities (J,)."""


def cart_pole(**changed: float) -> str:
    """Return the MJCF with some of the true values changed."""
    return CART_POLE.format(**{**CART_POLE_TRUTH, **changed})


def observed(
    xml: str,
    stamps: np.ndarray,
    start: np.ndarray,
    seed: int = 0,
    forces: np.ndarray | None = None,
    push: Push | None = None,
) -> JointMotionData:
    """Return one noisy motion of a mechanism from rest.

    Args:
        xml: The true mechanism; it is simulated at an eighth of its time step.
        stamps: (T,) s.
        start: (J,) positions at the first stamp.
        seed: Of the noise.
        forces: (T, J) known forces, held from each stamp on.
        push: Further forces that nobody knows.
    """
    model = mujoco.MjModel.from_xml_string(xml)
    model.opt.timestep /= 8
    data = mujoco.MjData(model)
    data.qpos[:] = start
    true = [start]
    held = np.zeros((len(stamps), model.nv)) if forces is None else forces
    for number, end in enumerate(stamps[1:] - stamps[0]):
        while data.time < end - 1e-9:
            late = np.clip((data.time + model.opt.timestep - end) / model.opt.timestep, 0, 1)
            data.qfrc_applied[:] = (1 - late) * held[number] + late * held[number + 1]
            if push is not None:
                data.qfrc_applied[:] += push(data.time, data.qpos, data.qvel)
            before, then = data.qpos.copy(), data.time
            mujoco.mj_step(model, data)
        share = (end - then) / (data.time - then)
        true.append(before + share * (data.qpos - before))
    names = tuple(model.joint(number).name for number in range(model.njnt))
    stds = np.array([STDS.get(name, STDS["hinge"]) for name in names])
    noise = np.random.default_rng(seed).standard_normal((len(stamps), len(names))) * stds
    motion = JointMotion(
        stamps,
        np.array(true) + noise,
        np.broadcast_to(stds, noise.shape).copy(),
        forces,
        None if forces is None else stamps,
    )
    return JointMotionData(names, (motion,))
