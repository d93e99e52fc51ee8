import numpy as np
import pinocchio
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.spatial.transform import Rotation

from autourdf_ros.model.inertial.inertial_parameters import (
    geodesic_distance,
    is_consistent,
    mass_centre_inertia,
    moved,
    moving_matrix,
    parameters_from,
    parameters_of,
    parameters_of_points,
    pseudo_inertia,
)
from autourdf_ros.model.inertial.log_cholesky import (
    from_log_cholesky,
    log_cholesky_jacobian,
    to_log_cholesky,
)

seeds = st.integers(0, 2**32 - 1)


def _body(seed):
    rng = np.random.default_rng(seed)
    return parameters_of_points(rng.normal(size=(9, 3)), rng.uniform(0.1, 2, 9))


def _motion(seed):
    rng = np.random.default_rng(seed)
    motion = np.eye(4)
    motion[:3, :3] = Rotation.random(random_state=seed).as_matrix()
    motion[:3, 3] = rng.normal(size=3)
    return motion


@given(seeds)
def test_parameters_are_those_of_pinocchio(seed):
    body = _body(seed)
    mass, centre, inertia = mass_centre_inertia(body)
    theirs = pinocchio.Inertia(mass, centre, inertia).toDynamicParameters()
    np.testing.assert_allclose(body, theirs, atol=1e-9)
    np.testing.assert_allclose(parameters_from(mass, centre, inertia), body, atol=1e-9)


@given(seeds)
def test_pseudo_inertia_and_back(seed):
    np.testing.assert_allclose(parameters_of(pseudo_inertia(_body(seed))), _body(seed), atol=1e-12)


@given(seeds)
def test_a_moved_body_is_that_of_moved_points(seed):
    rng = np.random.default_rng(seed)
    points, masses, motion = rng.normal(size=(9, 3)), rng.uniform(0.1, 2, 9), _motion(seed)
    there = points @ motion[:3, :3].T + motion[:3, 3]
    expected = parameters_of_points(there, masses)
    body = parameters_of_points(points, masses)
    np.testing.assert_allclose(moved(body, motion), expected, atol=1e-9)
    np.testing.assert_allclose(moving_matrix(motion) @ body, expected, atol=1e-9)


@given(seeds, seeds)
def test_distance_does_not_depend_on_the_frame(one, other):
    first, second, motion = _body(one), _body(other), _motion(one)
    here = geodesic_distance(first, second)
    assert geodesic_distance(second, first) == pytest.approx(here, abs=1e-6)
    there = geodesic_distance(moved(first, motion), moved(second, motion))
    assert there == pytest.approx(here, abs=1e-5)


def test_twice_the_mass_is_as_far_as_the_logarithm_says():
    body = _body(1)
    assert geodesic_distance(body, 2 * body) == pytest.approx(np.sqrt(2) * np.log(2))


def test_an_impossible_body_is_infinitely_far():
    body = _body(1)
    wrong = body.copy()
    wrong[4] = 10 * (body[6] + body[9])
    assert not is_consistent(wrong)
    assert geodesic_distance(body, wrong) == np.inf


@given(st.lists(st.floats(-2, 2), min_size=10, max_size=10))
def test_every_free_number_is_a_body(numbers):
    theta = np.array(numbers)
    body = from_log_cholesky(theta)
    assert is_consistent(body)
    np.testing.assert_allclose(to_log_cholesky(body), theta, atol=1e-5)


def test_jacobian_of_the_free_numbers():
    theta = to_log_cholesky(_body(3))
    step = 1e-6
    numeric = np.column_stack(
        [
            (from_log_cholesky(theta + step * e) - from_log_cholesky(theta - step * e)) / (2 * step)
            for e in np.eye(10)
        ]
    )
    np.testing.assert_allclose(log_cholesky_jacobian(theta), numeric, atol=1e-7)
