"""Cones, discs, colours and words of joint axes."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.spatial.transform import Rotation

from autourdf_ros.report.axis_markers import axis_words, direction_cone, grade_color, position_disc

turns = st.lists(st.floats(-3, 3), min_size=3, max_size=3)
deviations = st.tuples(st.floats(1e-4, 0.2), st.floats(1e-4, 0.2), st.floats(0, np.pi))


def spread(deviation):
    one, two, angle = deviation
    turn = np.array([[np.cos(angle), -np.sin(angle)], [np.sin(angle), np.cos(angle)]])
    return turn @ np.diag([one**2, two**2]) @ turn.T


@given(turns, deviations, st.floats(0.5, 3))
def test_the_rim_of_the_cone_is_as_unlikely_everywhere(turn, deviation, sigmas):
    rows = Rotation.from_rotvec(turn).as_matrix()
    axis, across, covariance = rows[0], rows[1:], spread(deviation)
    corners = direction_cone(axis, across, covariance, 0.3, sigmas)
    assert corners.shape[0] % 3 == 0
    heights = corners @ axis
    assert np.all(np.isclose(np.abs(heights), 0.3) | np.isclose(heights, 0, atol=1e-12))
    sideways = corners @ np.cross(across, axis).T
    rim = (np.linalg.norm(sideways, axis=1) > 1e-9) & (heights > 0)
    ratio = np.linalg.norm(sideways[rim], axis=1, keepdims=True) / heights[rim, None]
    angles = np.arctan(ratio) * sideways[rim] / np.linalg.norm(sideways[rim], axis=1, keepdims=True)
    squares = np.einsum("ni,ij,nj->n", angles, np.linalg.inv(covariance), angles)
    np.testing.assert_allclose(squares, sigmas**2, rtol=1e-6)
    # It opens to both ends alike.
    assert {tuple(c) for c in corners.round(9)} == {tuple(c) for c in (-corners).round(9) + 0.0}


@given(turns, deviations)
def test_the_disc_stands_across_the_axis(turn, deviation):
    rows = Rotation.from_rotvec(turn).as_matrix()
    corners = position_disc(rows[1:], spread(deviation), 2.0)
    np.testing.assert_allclose(corners @ rows[0], 0, atol=1e-12)
    reach = np.linalg.norm(corners, axis=1).max()
    assert 1.9 * max(deviation[:2]) <= reach <= 2.0 * max(deviation[:2]) + 1e-12


def test_what_is_not_known_is_not_drawn():
    unknown = np.full((2, 2), np.nan)
    assert len(direction_cone(np.eye(3)[2], np.eye(3)[:2], unknown, 1.0, 2.0)) == 0
    assert len(position_disc(np.eye(3)[:2], unknown, 2.0)) == 0


def test_a_cone_that_shows_nothing_has_an_end():
    corners = direction_cone(np.eye(3)[2], np.eye(3)[:2], 9 * np.eye(2), 0.1, 2.0)
    assert np.abs(corners).max() < 0.1 * np.tan(np.radians(80.1))


@pytest.mark.parametrize(("grade", "channels"), [("good", "g"), ("fair", "rg"), ("doubtful", "r")])
def test_green_is_trusted_and_red_is_not(grade, channels):
    color = grade_color(grade)
    bright = {name for name, value in zip("rgb", color, strict=True) if value > 0.5}
    assert bright == set(channels)
    assert np.ptp(grade_color(None)) == 0


def test_words_give_degrees_and_millimetres():
    covariance = np.diag([*np.radians([3.0, 4.0]), 1e-3, 7e-3]) ** 2
    assert axis_words("elbow", covariance) == "elbow\n3.54°, 5.00 mm"
    covariance[2:, 2:] = np.nan
    assert axis_words("slide", covariance) == "slide\n3.54°"
    assert axis_words("given", np.full((4, 4), np.nan)) == "given"
