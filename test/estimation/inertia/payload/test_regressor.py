"""Tests of the map from inertial parameters to wrenches."""

import numpy as np
from weighed_tools import random_parameters, slow_motion, true_parameters, weighed

from autourdf_ros.estimation.inertia.payload.regressor import (
    acceleration_derivatives,
    condition_number,
    recording_regressor,
    regressor,
)
from autourdf_ros.model.inertial.inertial_parameters import (
    mass_centre_inertia,
    parameters_of_points,
)


def test_it_is_the_sum_of_the_forces_of_points():
    random = np.random.default_rng(0)
    points, masses = random.normal(size=(5, 3)), random.uniform(0.1, 1, 5)
    fall, turning, spin = random.normal(size=(3, 3))
    moving = np.cross(turning, points) + np.cross(spin, np.cross(spin, points))
    forces = masses[:, None] * (fall - moving)
    wrench = np.concatenate([forces.sum(0), np.cross(points, forces).sum(0)])
    rows = regressor(fall[None], turning[None], spin[None])[0]
    np.testing.assert_allclose(rows @ parameters_of_points(points, masses), wrench, atol=1e-12)


def test_at_rest_the_load_pulls_with_its_weight():
    rows = regressor(np.array([[0, 0, -9.81]]), np.zeros((1, 3)), np.zeros((1, 3)))
    parameters = random_parameters(1)
    mass, centre, _ = mass_centre_inertia(parameters)
    wrench = rows[0] @ parameters
    np.testing.assert_allclose(wrench[:3], [0, 0, -9.81 * mass])
    np.testing.assert_allclose(wrench[3:], np.cross(centre, [0, 0, -9.81 * mass]))


def test_its_derivatives_are_those_of_accelerations():
    random = np.random.default_rng(2)
    fall, turning, spin, step = random.normal(size=(4, 1, 3))
    before = regressor(fall, turning, spin)
    after = regressor(fall - step, turning + step, spin)
    tilt = acceleration_derivatives()
    change = np.tensordot(np.r_[step[0], step[0]], tilt, axes=1)
    np.testing.assert_allclose(after[0] - before[0], change, atol=1e-12)


def test_motion_makes_the_regressor_well_conditioned_and_rest_does_not():
    moving = recording_regressor(weighed(force=0.0, torque=0.0))
    assert condition_number(moving) < 1e3
    assert condition_number(np.where(np.arange(10) < 4, moving, 0.0)) == np.inf
    assert len(slow_motion()[0]) == len(moving)
    assert true_parameters()[0] > 0
