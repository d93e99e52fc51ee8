import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from autourdf_ros.geometry.lines import axis_angle, line_distance, perpendicular_distance

X, Y, Z = np.eye(3)
vectors = arrays(np.float64, 3, elements=st.floats(-10, 10))
directions = vectors.filter(lambda v: np.linalg.norm(v) > 0.1).map(lambda v: v / np.linalg.norm(v))


def test_angle_of_hand_made_axes():
    assert axis_angle(X, Y) == pytest.approx(90)
    assert axis_angle(X, -X) == 0
    assert axis_angle(Z, np.array([0, np.sin(0.01), -np.cos(0.01)])) == pytest.approx(
        np.degrees(0.01)
    )


def test_a_tiny_angle_is_not_rounded_away():
    assert axis_angle(Z, np.array([1e-10, 0, 1])) == pytest.approx(np.degrees(1e-10), rel=1e-9)


def test_distance_of_skew_lines():
    # The x axis, and a line along y half a metre above it: they pass at (7, 0, 0) and (7, 0, 0.5).
    assert line_distance(np.zeros(3), X, np.array([7, 9, 0.5]), Y) == pytest.approx(0.5)


def test_distance_of_parallel_and_of_crossing_lines():
    assert line_distance(np.zeros(3), Z, np.array([3, 4, 5]), -Z) == pytest.approx(5)
    assert line_distance(np.zeros(3), X, np.array([2, -3, 0]), Y) == pytest.approx(0)


def test_distance_of_point_to_line():
    assert perpendicular_distance(np.array([3, 4, 5]), np.array([0, 0, 100]), Z) == pytest.approx(5)


@given(vectors, directions, vectors, directions)
def test_lines_are_never_further_apart_than_a_point_of_one_from_the_other(p, a, q, b):
    assert line_distance(p, a, q, b) <= perpendicular_distance(p, q, b) + 1e-6


@given(vectors, directions, vectors, directions, st.floats(-10, 10), st.sampled_from([-1.0, 1.0]))
def test_any_point_and_any_sign_describe_the_same_line(p, a, q, b, step, sign):
    assert line_distance(p, a, q, b) == pytest.approx(
        line_distance(p + step * a, a, q, sign * b), abs=1e-4
    )
    assert perpendicular_distance(p, q, b) == pytest.approx(
        perpendicular_distance(p, q + step * b, sign * b), abs=1e-9
    )
    assert axis_angle(a, b) == pytest.approx(axis_angle(b, sign * a), abs=1e-9)
