"""Efforts by the regressor are those of Pinocchio's inverse dynamics."""

import numpy as np
import pinocchio as pin
import pytest
from simulated_arm import ARM, simulated_arm

from autourdf_ros.errors import InputError
from autourdf_ros.estimation.inertia.links.information.base_parameters import (
    base_parameters,
    random_states,
)
from autourdf_ros.estimation.inertia.links.torque_model import RESISTANCES, TorqueModel


@pytest.fixture
def arm(tmp_path):
    return simulated_arm(tmp_path)


def test_rigid_efforts_are_those_of_inverse_dynamics(arm):
    states = random_states(arm.model, 3)
    links = arm.truth.copy()
    links[10 * len(arm.model.links) :] = 0
    found = arm.model.regressor(states) @ links
    model = pin.buildModelFromUrdf(str(arm.urdf))
    data = model.createData()
    for record in range(len(found)):
        own = [one[record] for one in (states.positions, states.velocities, states.accelerations)]
        np.testing.assert_allclose(pin.rnea(model, data, *own), found[record], atol=1e-9)


def test_links_that_are_fixed_to_each_other_keep_columns_of_their_own(arm):
    assert arm.model.links == ("upper", "fore", "hand", "tool")
    assert arm.model.names[30] == "m tool"


def test_resistances_act_on_their_own_joint(arm):
    states = random_states(arm.model, 0)
    rows = arm.model.regressor(states)[:, :, 40:].reshape(-1, 3, 3, len(RESISTANCES))
    np.testing.assert_allclose(rows[:, 1, 1, 1], states.velocities[:, 1])
    np.testing.assert_allclose(rows[:, 1, 1, 2], states.accelerations[:, 1])
    np.testing.assert_array_equal(np.abs(rows[:, 1, 1, 0]), 1.0)
    assert not rows[:, 0, 1].any()


def test_the_mass_matrix_holds_the_armature(arm):
    states = random_states(arm.model, 0)
    still = np.zeros_like(states.velocities)
    unit = np.tile([0.0, 1.0, 0.0], (len(still), 1))
    kind = type(states)
    moved, rest = (
        arm.model.regressor(kind(states.positions, still, rise, still[0], still[0])) @ arm.truth
        for rise in (unit, still)
    )
    inertias = arm.model.mass_matrices(states.positions, arm.truth)
    np.testing.assert_allclose(inertias[:, :, 1], moved - rest, atol=1e-9)


def test_a_mimic_joint_counts_for_the_one_that_it_follows(tmp_path):
    urdf = tmp_path / "arm.urdf"
    limit = '<limit lower="-2" upper="2" velocity="3" effort="200"/>'
    mimic = limit + '<mimic joint="pitch" multiplier="-2"/>'
    head, tail = ARM.split('name="roll"')
    urdf.write_text(head + 'name="roll"' + tail.replace(limit, mimic, 1))
    model = TorqueModel(urdf, ("yaw", "pitch"))
    assert model.joints == ("yaw", "pitch")
    free = TorqueModel(simulated_arm(tmp_path).urdf, ("yaw", "pitch", "roll"))
    states = random_states(model, 1)
    kind = type(states)
    follow = np.array([[1, 0, 0], [0, 1, -2]], float)
    still = np.zeros(3)
    whole = kind(
        states.positions @ follow,
        states.velocities @ follow,
        states.accelerations @ follow,
        still,
        still,
    )
    expected = np.einsum("jk,nkp->njp", follow, free.regressor(whole)[:, :, :40])
    np.testing.assert_allclose(model.regressor(states)[:, :, :40], expected, atol=1e-9)


def test_a_joint_without_readings_stands_still(arm):
    model = TorqueModel(arm.urdf, ("pitch", "roll", "untrusted"))
    assert model.unmeasured == ("yaw",)
    assert model.links == ("fore", "hand", "tool")


def test_names_of_no_joint_are_refused(arm):
    with pytest.raises(InputError, match="has none of the joints elbow; its joints are yaw"):
        TorqueModel(arm.urdf, ("elbow",))


def test_base_parameters_give_the_same_efforts_as_all_parameters(arm):
    base = base_parameters(arm.model)
    rows = arm.model.regressor(random_states(arm.model, 9))
    np.testing.assert_allclose(
        rows[:, :, base.chosen] @ base.grouping @ arm.truth, rows @ arm.truth, atol=1e-7
    )
    singular = np.linalg.svd(rows.reshape(-1, rows.shape[-1]), compute_uv=False)
    assert len(base.chosen) == (singular > 1e-9 * singular[0]).sum()


def test_names_of_base_parameters_say_what_is_grouped(arm):
    names = base_parameters(arm.model).names
    assert any(name.startswith("Izz upper") and "armature yaw" in name for name in names)
    assert not any(name.startswith("m upper") for name in names)


def test_no_data_reach_what_is_in_no_base_parameter(arm):
    base = base_parameters(arm.model)
    left = base.unreachable(np.eye(arm.model.size))
    assert left[0, 0] == pytest.approx(1.0)
    np.testing.assert_allclose(base.grouping @ left, 0, atol=1e-8)
