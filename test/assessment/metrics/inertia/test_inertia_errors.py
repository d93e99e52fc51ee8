"""Tests of the errors of inertial parameters."""

import numpy as np
import pytest

from autourdf_ros.assessment.metrics.inertia.inertia_errors import (
    authors_extents,
    inertia_errors,
    turned_extents,
    within_two_sigma,
)
from autourdf_ros.model.inertial.inertial_parameters import parameters_from

TRUTH = parameters_from(2.0, np.array([0.1, 0, 0]), np.diag([0.01, 0.02, 0.025]))
EXTENTS = np.array([0.4, 0.2, 0.1])


def test_the_truth_has_no_error():
    errors = inertia_errors(TRUTH, TRUTH, EXTENTS)
    assert (errors.mass, errors.centre, errors.inertia) == (0, 0, 0)
    assert errors.geodesic == pytest.approx(0, abs=1e-9)
    assert errors.consistent


def test_errors_are_relative_to_mass_and_size():
    moved = parameters_from(2.02, np.array([0.1, 0.002, 0]), np.diag([0.01, 0.02, 0.025]))
    errors = inertia_errors(moved, TRUTH, EXTENTS)
    assert errors.mass == pytest.approx(1.0)
    assert errors.centre == pytest.approx(1 / 3)
    box = 2.0 / 12 * (0.04 + 0.01)
    wrong = TRUTH.copy()
    wrong[4] += 0.01 * box
    assert inertia_errors(wrong, TRUTH, EXTENTS).inertia == pytest.approx(1 / 6)


def test_the_authors_cut_the_errors_of_the_centre():
    moved = parameters_from(2.0, np.array([0.1, 0.0039, 0]), np.diag([0.01, 0.02, 0.025]))
    assert inertia_errors(moved, TRUTH, EXTENTS, truncated=True).centre == pytest.approx(1 / 3)
    assert inertia_errors(moved, TRUTH, EXTENTS).centre == pytest.approx(1.95 / 3)


def test_a_turned_vector_of_extents_is_no_box():
    points = np.array([[0, 0, 0], [1.0, 0.1, 0.1], [1, 0, 0], [0, 0.1, 0.1]])
    turn = np.array([[1, 1, 0], [-1, 1, 0], [0, 0, np.sqrt(2)]]) / np.sqrt(2)
    theirs, right = authors_extents(points, turn), turned_extents(points, turn)
    assert theirs[1] < right[1]
    np.testing.assert_allclose(
        authors_extents(points, np.eye(3)), turned_extents(points, np.eye(3))
    )


def test_what_is_no_body_has_no_distance():
    errors = inertia_errors(TRUTH * [1, 1, 1, 1, -1, 1, 1, 1, 1, 1], TRUTH, EXTENTS)
    assert errors.geodesic == float("inf")
    assert not errors.consistent


def test_two_deviations_are_counted_for_each_entry():
    covariance = np.eye(10) * 1e-6
    moved = TRUTH.copy()
    moved[0] += 3e-3
    inside = within_two_sigma(moved, covariance, TRUTH)
    assert inside["mass"] == [False]
    assert inside["inertia"] == [True] * 6
