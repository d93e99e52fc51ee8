"""Coefficients of a cart-pole from a self-model are those of its simulator."""

from dataclasses import replace

import mujoco
import numpy as np
import pytest
from hinged_video import cart_pole_model

from autourdf_ros.commanding.predictive.cart_pole import advance
from autourdf_ros.commanding.predictive.modelled_cart_pole import cart_pole_of_model
from autourdf_ros.errors import InputError
from autourdf_ros.model.layers.dynamics import DynamicsLayer, JointDynamics
from autourdf_ros.model.layers.inertia import InertiaLayer, LinkInertia
from autourdf_ros.model.self_model import SelfModel
from autourdf_ros.workflows.mechanisms.model_simulator import simulated_xml


@pytest.fixture
def model() -> SelfModel:
    turned = np.array([[0.02, 0.002, 0.0], [0.002, 0.02, 0.001], [0.0, 0.001, 0.006]])
    links = {
        "cart": LinkInertia(1.1, np.zeros(3), 0.01 * np.eye(3)),
        "bar": LinkInertia(0.4, np.array([0.02, -0.07, -0.2]), turned),
    }
    joints = {"rail": JointDynamics(0.4, armature=0.2), "hinge": JointDynamics(0.003)}
    return (
        cart_pole_model()
        .with_layer(InertiaLayer(links=links))
        .with_layer(DynamicsLayer(joints=joints))
    )


def test_it_moves_as_the_simulator_of_the_model_does(model: SelfModel) -> None:
    xml = simulated_xml(model, frozenset({"cart", "bar"}), 1e-3)
    simulator = mujoco.MjModel.from_xml_string(xml)
    simulator.dof_damping[:], simulator.dof_armature[:] = (0.4, 0.003), (0.2, 0.0)
    data = mujoco.MjData(simulator)
    upright = np.pi + np.arctan2(0.02, 0.2)  # where the centre stands above the hinge
    data.qpos[1], data.qvel[:] = 2.0, (0.3, -1.0)
    data.qfrc_applied[0] = 3.0
    state = np.array([0.0, 2.0 - upright, 0.3, -1.0])
    mujoco.mj_step(simulator, data, 400)
    advance(state, 3.0, cart_pole_of_model(model).values, 0.4, 200)
    found = [data.qpos[0], data.qpos[1] - upright, *data.qvel]
    assert state == pytest.approx(found, abs=1e-5)


def test_what_is_no_cart_pole_is_named(model: SelfModel) -> None:
    rail, hinge = model.joints
    askew = np.array([0.0, np.cos(0.2), np.sin(0.2)])
    cases = [
        (replace(model, inertia=None), "no inertia layer"),
        (model.with_parts(joints=[rail, replace(hinge, axis=askew)]), "level hinge"),
        (model.with_parts(joints=[rail, replace(hinge, axis=rail.axis)]), "across it"),
        (model.with_parts(joints=[rail, replace(hinge, type="prismatic")]), "moving joints are"),
        (model.with_parts(joints=[replace(rail, type="revolute"), hinge]), "moving joints are"),
        (model.with_parts(joints=[replace(rail, type="fixed"), hinge]), "moving joints are"),
    ]
    for wrong, reason in cases:
        with pytest.raises(InputError, match=reason):
            cart_pole_of_model(wrong)
