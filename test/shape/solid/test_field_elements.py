import numpy as np
import pytest

from autourdf_ros.model.inertial.inertial_parameters import geodesic_distance, parameters_from
from autourdf_ros.shape.solid.field_elements import corner_values, field_elements, lattice_over
from autourdf_ros.shape.solid.solid_body import SolidBody

RADIUS = 0.05


def on_sphere(count):
    points = np.random.default_rng(0).standard_normal((count, 3))
    return RADIUS * points / np.linalg.norm(points, axis=1)[:, None]


def ball(places):
    return RADIUS - np.linalg.norm(places, axis=1)


def test_elements_of_a_ball_have_its_moments():
    points = on_sphere(2000)
    lattice = lattice_over(points, 0.005)
    centres, volumes, moments = field_elements(lattice, corner_values(lattice, points, 0.02, ball))
    body = SolidBody(centres, volumes, moments, None, np.ones(len(volumes), bool), 0.0)
    volume = 4 / 3 * np.pi * RADIUS**3
    expected = parameters_from(volume, np.zeros(3), 0.4 * volume * RADIUS**2 * np.eye(3))
    assert body.volume == pytest.approx(volume, rel=0.02)
    assert geodesic_distance(expected, body.element_parameters().sum(0)) < 0.02


def test_far_space_that_is_joined_through_a_hole_is_asked_everywhere():
    points = on_sphere(2000)
    points = points[points[:, 2] < 0.8 * RADIUS]
    lattice = lattice_over(points, 0.004)
    values = corner_values(lattice, points, 0.008, ball)
    inside = values > 0
    places = lattice.corners(np.indices(values.shape).reshape(3, -1).T)
    assert np.array_equal(inside.ravel(), ball(places) > 0)
