import numpy as np
import pytest

from autourdf_ros.estimation.motion.result.unwound_values import unwound

OWNERS = np.repeat([0, 1], 6)
TRUE = np.concatenate([np.linspace(0, 9, 6), np.linspace(-3, 2, 6)])[:, None]  # winds by itself


@pytest.mark.parametrize("turns", [1, -2])
def test_whole_turns_between_two_frames_go_and_others_stay(turns):
    wound = TRUE + 2 * np.pi * turns * (np.arange(12) > 3)[:, None]
    np.testing.assert_allclose(unwound(wound, OWNERS, np.array([True])), TRUE, atol=1e-12)


def test_what_slides_or_follows_a_motor_stays():
    values = np.hstack([TRUE + 7 * (np.arange(12) > 3)[:, None]] * 2)
    found = unwound(values, OWNERS, np.array([False, True]))
    np.testing.assert_array_equal(found[:, 0], values[:, 0])
    assert np.abs(np.diff(found[:6, 1])).max() <= np.pi


def test_half_a_turn_is_no_whole_one():
    values = TRUE + np.pi * (np.arange(12) == 2)[:, None]
    found = unwound(values, OWNERS, np.array([True]))
    assert np.abs(np.exp(1j * found) - np.exp(1j * values)).max() < 1e-9
