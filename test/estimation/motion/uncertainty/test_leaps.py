import numpy as np
import pytest

from autourdf_ros.estimation.motion.uncertainty.leaps import FARTHER, leaps_of

OWNERS = np.repeat([0, 1], 8)
USED = np.ones(16, dtype=bool)
STEPS = np.tile(np.arange(8) * 0.1, 2)


def found(values, used=USED, revolute=(True, True)):
    return leaps_of(np.column_stack([STEPS, values]), OWNERS, used, np.array(revolute))


def test_a_joint_that_goes_on_leaps_nowhere_and_sequences_begin_anywhere():
    assert found(2 * STEPS + 3.0 * OWNERS).tolist() == [0, 0]


@pytest.mark.parametrize("leap", [np.pi, -2 * np.pi])
def test_half_and_whole_turns_between_two_frames_are_leaps(leap):
    turned = STEPS + leap * (np.arange(16) > 12)
    assert found(turned)[1] == pytest.approx(abs(leap + 0.1))
    assert found(turned)[0] == 0
    assert found(turned, revolute=(True, False)).tolist() == [0, 0]


def test_a_step_to_a_frame_that_was_left_out_is_none():
    turned = STEPS + np.pi * (np.arange(16) == 12)
    assert found(turned)[1] > 0
    assert found(turned, used=np.arange(16) != 12).tolist() == [0, 0]


def test_a_robot_whose_joints_all_go_far_leaps_nowhere():
    random = np.random.default_rng(0).uniform(-2.0, 2.0, (16, 2))
    assert leaps_of(random, OWNERS, USED, np.ones(2, bool)).tolist() == [0, 0]
    assert leaps_of(random[:1], OWNERS[:1], USED[:1], np.ones(2, bool)).tolist() == [0, 0]
    assert FARTHER > 1
