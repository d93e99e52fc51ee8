"""A damped bar that swings below a block on a rail: its joint values, by MuJoCo."""

from __future__ import annotations

import mujoco
import numpy as np

from autourdf_ros.workflows.mechanisms.mechanism_dynamics import MechanismDynamicsOptions

DAMPING = (0.6, 0.004)
PERIOD = 1 / 30
QUICK = MechanismDynamicsOptions(free=("mass", "damping"))
"""Only what these bodies have is asked for: a third of the time, for tests of what comes after."""

_XML = """<mujoco><option integrator="implicitfast"/><worldbody><body name="cart">
<joint name="rail" type="slide" axis="1 0 0" damping="0.6"/>
<geom type="box" size=".1 .05 .05" density="1000" contype="0" conaffinity="0"/>
<body name="bar"><joint name="hinge" axis="0 1 0" damping="0.004"/>
<geom type="box" size=".015 .015 .25" pos="0 -.07 -.25" density="1000" contype="0" conaffinity="0"/>
</body></body></worldbody></mujoco>"""


def swinging_values(
    frames: int, forces: np.ndarray | None = None, period: float = PERIOD
) -> np.ndarray:
    """Return joint values (frames, 2) of `hinged_video`'s bodies of 1000 kg/m³, from 1 rad on.

    Args:
        frames: Number of values.
        forces: (frames, 2) held from each frame to the next; None: no force.
        period: Of the frames (s).
    """
    simulator = mujoco.MjModel.from_xml_string(_XML)
    simulator.opt.timestep = period / 64
    data = mujoco.MjData(simulator)
    data.qpos[1] = 1.0
    path = []
    for frame in range(frames):
        path.append(data.qpos.copy())
        data.qfrc_applied[:] = 0 if forces is None else forces[frame]
        mujoco.mj_step(simulator, data, 64)
    return np.array(path)
