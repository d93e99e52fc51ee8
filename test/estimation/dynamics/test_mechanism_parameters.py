"""Parameters of a mechanism are read from MuJoCo's model and set into it as they are named."""

import mujoco
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from swinging_mechanisms import cart_pole

from autourdf_ros.errors import InputError
from autourdf_ros.estimation.dynamics.mechanism.body_coordinates import (
    body_coordinates,
    body_parameters,
)
from autourdf_ros.estimation.dynamics.mechanism.dynamic_parameter import KINDS
from autourdf_ros.estimation.dynamics.mechanism.simulated_mechanism import mechanism_of_mjcf
from autourdf_ros.estimation.dynamics.mechanism.simulator_parameters import inertial_parameters
from autourdf_ros.model.inertial.inertial_parameters import is_consistent

pytestmark = pytest.mark.fast

numbers = st.lists(st.floats(-1.5, 1.5), min_size=10, max_size=10).map(np.array)


@given(numbers)
def test_every_value_of_the_coordinates_is_a_body_and_comes_back(coordinates):
    parameters = body_parameters(coordinates)
    assert is_consistent(parameters)
    np.testing.assert_allclose(body_coordinates(parameters), coordinates, atol=1e-6)


@given(numbers, st.floats(0.1, 10))
def test_a_scaled_body_differs_in_its_first_coordinate_only(coordinates, factor):
    scaled = body_coordinates(factor * body_parameters(coordinates))
    np.testing.assert_allclose(scaled[0] - coordinates[0], np.log(factor), atol=1e-9)
    np.testing.assert_allclose(scaled[1:], coordinates[1:], atol=1e-6)


def test_a_simulator_of_the_nominal_values_is_the_nominal_one():
    mechanism = mechanism_of_mjcf(cart_pole(), ("mass", "centre", "radius", "shear", "damping"))
    model = mechanism.simulator()
    for body in (1, 2):
        np.testing.assert_allclose(
            inertial_parameters(model, body),
            inertial_parameters(mechanism.nominal, body),
            rtol=1e-6,
            atol=1e-12,
        )
    np.testing.assert_allclose(model.dof_damping, mechanism.nominal.dof_damping)
    np.testing.assert_allclose(model.dof_M0, mechanism.nominal.dof_M0, rtol=1e-6)


@settings(max_examples=20, deadline=None)
@given(st.floats(0.2, 5))
def test_a_common_factor_of_all_that_is_scaled_leaves_the_free_motion_as_it_is(factor):
    mechanism = mechanism_of_mjcf(cart_pole(), ("mass", "damping", "friction"))
    table = mechanism.table
    scaled = table.prior_mean + np.log(factor) * table.scale
    ends = []
    for coordinates in (table.prior_mean, scaled):
        model = mechanism.simulator(coordinates)
        data = mujoco.MjData(model)
        data.qpos[:] = 0.0, 1.0
        mujoco.mj_step(model, data, 200)
        ends.append(data.qpos.copy())
    np.testing.assert_allclose(ends[0], ends[1], atol=1e-6)


def test_values_are_set_where_they_belong():
    mechanism = mechanism_of_mjcf(cart_pole(), ("mass", "damping", "friction", "armature"))
    table = mechanism.table.with_values({"mass of pole": 0.7, "friction of hinge": 0.03})
    model = mechanism.with_table(table).simulator()
    assert model.body("pole").mass[0] == pytest.approx(0.7)
    assert model.dof_frictionloss[1] == pytest.approx(0.03)
    assert model.body("cart").mass[0] == pytest.approx(1.0)


def test_the_prior_states_a_common_scale():
    table = mechanism_of_mjcf(cart_pole(), ("mass", "centre")).table
    index = [table.names.index(name) for name in ("mass of cart", "mass of pole")]
    block = table.prior_covariance[np.ix_(index, index)]
    assert block[0, 1] == pytest.approx(table.scale_std**2)
    assert np.all(np.linalg.eigvalsh(table.prior_covariance) > 0)


@pytest.mark.parametrize(
    ("xml", "free", "words"),
    [
        ("<mujoco", KINDS, "cannot read"),
        ("<mujoco><worldbody/></mujoco>", KINDS, "no joint"),
        (cart_pole().replace('name="slide"', ""), KINDS, "named hinges"),
        (cart_pole(), ("colour",), "colour"),
    ],
)
def test_what_cannot_be_used_is_named(xml, free, words):
    with pytest.raises(InputError, match=words):
        mechanism_of_mjcf(xml, free)
