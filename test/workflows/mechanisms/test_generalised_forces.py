"""Forces on bodies as forces along joints."""

import mujoco
import numpy as np
import pytest
from hinged_video import BAR_POSE, cart_pole_model

from autourdf_ros.data.video.force_table import ForceTable
from autourdf_ros.errors import InputError
from autourdf_ros.workflows.mechanisms.generalised_forces import generalised_forces
from autourdf_ros.workflows.mechanisms.mechanism_dynamics import interpolated

ORIGINS = {"cart": np.eye(4), "bar": BAR_POSE}
JOINTS = ("rail", "hinge")
XML = """<mujoco><worldbody><body name="cart"><joint type="slide" axis="1 0 0"/><geom size=".1"/>
<body name="bar"><joint axis="0 1 0"/><geom size=".1" pos="0 0 -.2"/></body></body></worldbody>
</mujoco>"""


def test_a_force_at_a_point_does_the_work_that_mujoco_says() -> None:
    random = np.random.default_rng(0)
    values, forces = random.uniform(-1, 1, (5, 2)), random.uniform(-3, 3, (5, 3))
    points = random.uniform(-1, 1, (5, 3))
    table = ForceTable(np.arange(5.0), {"bar": forces}, {"bar": points})
    found = generalised_forces(table, cart_pole_model().tree, ORIGINS, values, JOINTS)
    model = mujoco.MjModel.from_xml_string(XML)
    data = mujoco.MjData(model)
    for row, own in enumerate(values):
        data.qpos[:] = own
        mujoco.mj_forward(model, data)
        expected = np.zeros(2)
        bar = model.body("bar").id
        mujoco.mj_applyFT(model, data, forces[row], np.zeros(3), points[row], bar, expected)
        assert found[row] == pytest.approx(expected)


def test_without_a_point_the_origin_of_the_body_is_pushed_and_efforts_add() -> None:
    table = ForceTable(np.zeros(1), {"bar": np.array([[2.0, 0, 0]])}, {}, {"rail": np.ones(1)})
    found = generalised_forces(table, cart_pole_model().tree, ORIGINS, np.zeros((1, 2)), JOINTS)
    assert found[0] == pytest.approx([3.0, -0.5])


def test_unknown_bodies_are_refused() -> None:
    table = ForceTable(np.zeros(1), {"lid": np.zeros((1, 3))})
    with pytest.raises(InputError, match="body 'lid' is unknown; accepted are cart, bar"):
        generalised_forces(table, cart_pole_model().tree, ORIGINS, np.zeros((1, 2)), JOINTS)


def test_values_are_interpolated_over_frames_that_lack() -> None:
    values = np.array([[0.0, np.nan], [np.nan, np.nan], [2.0, np.nan]])
    found = interpolated(np.arange(3.0), values, np.array([-1.0, 1.0, 9.0]), np.array([5.0, 7.0]))
    assert found.tolist() == [[0, 7], [1, 7], [2, 7]]
