"""A self-model becomes a mechanism that moves as its tree says."""

import mujoco
import numpy as np
import pytest

from autourdf_ros.errors import InputError
from autourdf_ros.estimation.dynamics.mechanism.modelled_mechanism import mechanism_of_model
from autourdf_ros.model.kinematic_tree import KinematicTree
from autourdf_ros.model.layers.dynamics import DynamicsLayer, JointDynamics
from autourdf_ros.model.self_model import SelfModel
from autourdf_ros.model.tree_joint import TreeJoint
from autourdf_ros.shape.mass_properties import MassProperties

pytestmark = pytest.mark.fast

AXIS = np.array([0.6, 0.0, 0.8])
TREE = KinematicTree(
    ("base", "cart", "plate", "pole"),
    (
        TreeJoint("slide", "prismatic", "base", "cart", AXIS, np.zeros(3), -1.0, 1.0, 0.2),
        TreeJoint("weld", "fixed", "cart", "plate", AXIS, np.array([0.1, 0, 0]), 0.0, 0.0),
        TreeJoint(
            "swing",
            "continuous",
            "plate",
            "pole",
            np.array([0.0, 1.0, 0.0]),
            np.array([0.1, 0.2, 0.3]),
            -np.inf,
            np.inf,
            -0.5,
        ),
    ),
)
SOLIDS = {
    "cart": MassProperties(2.0, np.array([0.0, 0.0, 0.1]), 0.02 * np.eye(3)),
    "pole": MassProperties(0.5, np.array([0.1, 0.2, 0.0]), np.diag([0.02, 0.02, 0.001])),
}


def made(**changed):
    layer = DynamicsLayer(joints={"swing": JointDynamics(damping=0.3, friction=0.1)})
    return mechanism_of_model(SelfModel("swing", TREE, dynamics=layer), SOLIDS, **changed)


def test_links_stand_where_the_tree_puts_them():
    mechanism = made()
    assert mechanism.joints == ("slide", "swing")
    data = mujoco.MjData(mechanism.nominal)
    values = np.array([0.5, 1.1])
    data.qpos[:] = values
    mujoco.mj_forward(mechanism.nominal, data)
    motions = TREE.motions([0.5, 0.0, 1.1])
    for link in ("cart", "pole"):
        place = TREE.links.index(link)
        centre = motions[place] @ np.append(SOLIDS[link].centre, 1.0)
        np.testing.assert_allclose(data.body(link).xipos, centre[:3], atol=1e-9)


def test_masses_friction_and_limits_are_the_model_s():
    mechanism = made(free=("mass", "friction"))
    model = mechanism.nominal
    assert model.body("pole").mass[0] == pytest.approx(0.5)
    assert model.joint("swing").damping[0] == pytest.approx(0.3)
    assert tuple(model.joint("slide").range) == (-1.0, 1.0)
    assert not model.jnt_limited[model.joint("swing").id]
    assert "mass of pole" in mechanism.table.names


def test_a_solid_of_no_link_is_named():
    with pytest.raises(InputError, match="lid"):
        mechanism_of_model(SelfModel("swing", TREE), {"lid": SOLIDS["pole"]})
