import numpy as np
import pytest
from moved_finger import EVERYWHERE, FRAMES, ONE_SEQUENCE, moved_finger

from autourdf_ros.estimation.motion.fitting.frame_fit import States
from autourdf_ros.estimation.motion.fitting.tracking import Motion
from autourdf_ros.estimation.motion.structure.tracking.jumps import jumps_of, without_jumps

LOST = 5


def steps(jump):
    """A joint that goes on steadily, and in one frame is off by `jump`."""
    values = 0.1 * np.arange(FRAMES)[:, None]
    values[LOST] += jump
    return values


def test_a_jump_away_and_back_is_found():
    jumps, middles = jumps_of(steps(1.5), ONE_SEQUENCE, EVERYWHERE)
    assert np.argwhere(jumps).tolist() == [[LOST, 0]]
    assert middles[LOST, 0] == pytest.approx(0.1 * LOST)


def test_steps_are_no_jumps():
    back_and_forth = np.where(np.arange(FRAMES) % 2, 0.3, -0.3)[:, None]
    assert not jumps_of(back_and_forth, ONE_SEQUENCE, EVERYWHERE)[0].any()
    to_another_place = np.repeat([0.0, 2.0], [4, 9])[:, None]
    assert not jumps_of(to_another_place, ONE_SEQUENCE, EVERYWHERE)[0].any()


def test_neither_another_sequence_nor_a_frame_left_out_makes_a_jump():
    assert not jumps_of(steps(1.5), np.arange(FRAMES) // LOST, EVERYWHERE)[0].any()
    assert not jumps_of(steps(1.5), ONE_SEQUENCE, np.arange(FRAMES) != LOST)[0].any()


def left_of(problem, candidate, values, scores):
    """Joint values (F, 1) that are left where these were found."""
    base = np.tile(np.eye(4), (FRAMES, 1, 1))
    motion = Motion(States(values, base), scores, EVERYWHERE, EVERYWHERE)
    return without_jumps(problem, candidate, motion).states.values


@pytest.mark.parametrize("hidden", [True, False], ids=["hidden", "seen there"])
def test_a_jump_is_taken_back_unless_points_confirm_it(hidden):
    """A finger that one frame lacks turns over and lies on the plate, or really is elsewhere."""
    values = 0.05 * np.arange(FRAMES)[:, None]
    values[LOST] = np.pi if hidden else -0.8
    found = moved_finger(values, [LOST] if hidden else [])
    expected = values.copy()
    if hidden:
        expected[LOST] = 0.05 * LOST
    fits_well = np.zeros(FRAMES)
    np.testing.assert_allclose(left_of(*found, values, fits_well), expected)


def test_a_frame_that_was_followed_wrongly_is_followed_again():
    true = 0.05 * np.arange(FRAMES)[:, None]
    problem, candidate = moved_finger(true)
    wrong = true.copy()
    wrong[LOST] = -0.8
    left = left_of(problem, candidate, wrong, np.full(FRAMES, 9.0))
    np.testing.assert_allclose(left, true, atol=0.02)
