import numpy as np
import pytest

from autourdf_ros.estimation.motion.structure.candidate_model import CandidateModel
from autourdf_ros.estimation.motion.structure.candidate_tree import (
    CandidateTree,
    MotorFits,
    motor_fits,
)

READINGS = np.array([[0.1, -0.2], [0.3, 0.4], [-0.5, 0.2]])


def candidate_of(motors):
    """A candidate of which nothing is known but its joints' motors."""
    count = len(motors.columns)
    tree = CandidateTree(
        np.arange(count + 1),
        np.arange(count),
        np.zeros((count, 6)),
        np.ones(count, dtype=bool),
        np.zeros((3, count)),
        np.zeros(count),
        np.ones(count),
        motors,
    )
    return CandidateModel(None, None, None, tree, None, None)


def test_joints_are_predicted_by_their_motors():
    motors = MotorFits(np.array([1, 0]), np.array([1.0, -0.5]), np.array([0.0, 0.05]))
    np.testing.assert_allclose(
        candidate_of(motors).predicted(READINGS), np.stack([READINGS[:, 1], -READINGS[:, 0] / 2], 1)
    )
    assert candidate_of(motors).predicted(READINGS[:0]).shape == (0, 2)


def test_a_joint_that_no_motor_explains_is_not_predicted():
    motors = MotorFits(np.array([1, 0, 0]), np.ones(3), np.array([0.0, 0.5, 0.05]))
    predicted = candidate_of(motors).predicted(READINGS)
    assert np.isnan(predicted[:, 1]).all()
    np.testing.assert_allclose(predicted[:, [0, 2]], READINGS[:, [1, 0]])


def test_a_joint_found_without_readings_is_not_predicted():
    """The initial estimate may be one that was found without; later readings say nothing of it."""
    motors = motor_fits(np.ones((3, 2)), None)
    assert np.isnan(candidate_of(motors).predicted(READINGS)).all()


@pytest.mark.parametrize(
    ("columns", "unexplained_shares", "matched_count"),
    [
        ([0, 1, 2], [0.0, 0.0, 0.0], 3),
        ([0, 1, 1], [0.0, 0.0, 0.05], 2),
        ([0, 1, 2], [0.0, 0.0, 0.5], 1),
        ([0, 0], [0.5, 0.5], -2),
    ],
)
def test_matched_count_is_motors_that_explain_less_joints_that_none_does(
    columns, unexplained_shares, matched_count
):
    motors = MotorFits(np.array(columns), np.ones(len(columns)), np.array(unexplained_shares))
    assert candidate_of(motors).matched_count == matched_count
