"""A small link that follows another surface in a few frames is found again."""

import numpy as np
import pytest
from moved_finger import EVERYWHERE, FRAMES, moved_finger

from autourdf_ros.estimation.motion.fitting.frame_fit import States
from autourdf_ros.estimation.motion.fitting.tracking import Motion
from autourdf_ros.estimation.motion.structure.tracking.lost_tracks import (
    between,
    lost_track_links,
    with_lost_tracks_recovered,
)

POINTS = 300
TRUE = 0.05 * np.arange(FRAMES)[:, None]


def found_from(values, scene, used=EVERYWHERE):
    """Joint values (F, 1) when what was lost at these is found again. All frames fit."""
    base = np.tile(np.eye(4), (FRAMES, 1, 1))
    motion = Motion(States(values, base), np.ones(FRAMES), used, used)
    return with_lost_tracks_recovered(*scene, motion).states.values


@pytest.mark.parametrize(
    "lost", [[5], [5, 6, 7], [FRAMES - 2, FRAMES - 1]], ids=["one", "a run", "to the end"]
)
def test_a_link_that_was_lost_in_frames_is_found_there(lost):
    """Like the solo's lower leg that followed the next one for three frames, 26 degrees away."""
    wrong = TRUE.copy()
    wrong[lost] -= 0.8
    np.testing.assert_allclose(
        found_from(wrong, moved_finger(TRUE, points=POINTS)), TRUE, atol=0.02
    )


def test_frames_in_which_nothing_is_lost_stay_as_they_are():
    np.testing.assert_array_equal(found_from(TRUE, moved_finger(TRUE, points=POINTS)), TRUE)


def test_what_no_other_place_explains_better_stays():
    """A finger that really is elsewhere in one frame."""
    elsewhere = TRUE.copy()
    elsewhere[5] = -0.8
    found = found_from(elsewhere, moved_finger(elsewhere, points=POINTS))
    np.testing.assert_array_equal(found, elsewhere)


def test_a_frame_that_is_no_inlier_is_left_alone():
    wrong = TRUE.copy()
    wrong[5] -= 0.8
    used = np.arange(FRAMES) != 5
    np.testing.assert_array_equal(found_from(wrong, moved_finger(TRUE, points=POINTS), used), wrong)


def test_lost_is_what_costs_far_more_than_typical():
    costs = np.ones((6, 3))
    costs[:, 1], costs[:, 2] = 2.5, np.nan
    costs[1, 0], costs[2, 1], costs[3, 1], costs[4, 0] = 3.1, 4.9, 5.1, 9.0
    lost, limits = lost_track_links(costs, np.arange(6) != 4)
    assert np.argwhere(lost).tolist() == [[1, 0], [3, 1]]
    np.testing.assert_array_equal(limits[:2], [3.0, 5.0])


def test_the_frames_around_show_where_a_lost_joint_is():
    values = np.array([[0.0, 5.0], [9.0, 5.0], [9.0, 5.0], [3.0, 5.0], [9.0, 5.0]])
    known = np.array([True, False, False, True, False])[:, None] & np.array([True, False])
    both = np.array([True, True])
    np.testing.assert_allclose(between(values, 1, both, known), [1.0, 5.0])
    np.testing.assert_allclose(between(values, 4, both, known), [3.0, 5.0])
    np.testing.assert_allclose(between(values, 1, ~both, known), values[1])
