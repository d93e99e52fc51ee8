"""An arm of six joints whose efforts show what it holds."""

import numpy as np
from weighed_tools import true_parameters

from autourdf_ros.data.efforts.effort_recording import EffortRecording
from autourdf_ros.simulation.live.wrist_load import rigid_body

LINK = """<link name="l{0}"><inertial><origin xyz="0 0 0.1"/><mass value="1.5"/>
<inertia ixx="0.01" iyy="0.01" izz="0.002" ixy="0" ixz="0" iyz="0"/></inertial></link>"""
JOINT = """<joint name="j{0}" type="revolute"><parent link="l{0}"/><child link="l{1}"/>
<origin xyz="0 0 0.2"/><axis xyz="{2}"/><limit lower="-3" upper="3" effort="99" velocity="9"/>
</joint>"""
AXES = ("0 0 1", "0 1 0", "0 1 0", "1 0 0", "0 1 0", "0 0 1")
ARM = (
    '<robot name="arm">'
    + "".join(LINK.format(i) for i in range(7))
    + "".join(JOINT.format(i, i + 1, axis) for i, axis in enumerate(AXES))
    + "</robot>"
)

NOISE = np.array([0.5, 0.8, 0.5, 0.1, 0.1, 0.05])
"""Of the efforts (N m)."""


def held_mallet(folder, seed=0, friction=1.0, count=1500):
    """Return the arm's file, and its efforts at uneven times while it holds the mallet.

    It stops at fifteen poses; at the first, all six joints at 0, the Jacobian is singular.
    """
    import pinocchio as pin

    urdf = folder / "arm.urdf"
    urdf.write_text(ARM)
    model = pin.buildModelFromUrdf(str(urdf))
    model.appendBodyToJoint(
        6, rigid_body(true_parameters(), pin.SE3.Identity()), pin.SE3.Identity()
    )
    random = np.random.default_rng(seed)
    times = np.cumsum(random.uniform(0.005, 0.045, count))
    stops = np.vstack([np.zeros(6), random.uniform(-1.5, 1.5, (14, 6)), np.zeros(6)])
    motion = _stop_and_go(times, stops)
    data = model.createData()
    efforts = np.array([pin.rnea(model, data, *state) for state in zip(*motion, strict=True)])
    efforts += friction * NOISE * (2 * np.sign(motion[1]) + motion[1])
    efforts += NOISE * random.standard_normal(efforts.shape)
    positions = motion[0] + 1e-4 * random.standard_normal(efforts.shape)
    return urdf, EffortRecording(tuple(f"j{i}" for i in range(6)), times, positions, efforts)


def _stop_and_go(times, stops):
    """Positions, velocities and accelerations (n, J): quintics between stops, which last."""
    period = times[-1] / (len(stops) - 1)
    whole = np.minimum((times / period).astype(int), len(stops) - 2)
    share = 0.7 * period
    part = np.clip((times - whole * period) / share, 0, 1)[:, None]
    way = stops[whole + 1] - stops[whole]
    forms = (
        part**3 * (10 - 15 * part + 6 * part**2),
        30 * part**2 * (1 - part) ** 2 / share,
        60 * part * (1 - 3 * part + 2 * part**2) / share**2,
    )
    return stops[whole] + way * forms[0], way * forms[1], way * forms[2]
