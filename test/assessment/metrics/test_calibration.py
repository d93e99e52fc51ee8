from dataclasses import replace

import numpy as np
import pytest
from scipy.stats import chi2, kstest
from skeletons import X, Y, Z, joint, skeleton

from autourdf_ros.assessment.metrics.assignment import assign_joints
from autourdf_ros.assessment.metrics.calibration import calibrations, covered, value_scores
from autourdf_ros.estimation.common.joint_fit import across_basis
from autourdf_ros.estimation.motion.fitting.articulation import Articulation, move_lines
from autourdf_ros.estimation.motion.reconstruction import (
    CommonError,
    Reconstruction,
    SequenceMotion,
)
from autourdf_ros.geometry.rigid_motion import revolute_twist
from autourdf_ros.model.layers.kinematics import Confidence, JointEstimate
from autourdf_ros.model.layers.shape import Surface
from autourdf_ros.model.self_model import Joint, Link, SelfModel
from autourdf_ros.model.skeleton import skeleton_of

NOTHING = Surface(np.empty((0, 3)), np.empty((0, 3)))


def model(axis, point, covariance, type="revolute"):
    across = np.linalg.svd(axis[None])[2][1:]
    estimate = JointEstimate(covariance, across, Confidence(1.0, 1.0, 1.0))
    turn = Joint("j", type, "a", "b", axis, point, -1.0, 1.0, estimate=estimate)
    return SelfModel.of("robot", (Link("a", NOTHING), Link("b", NOTHING)), (turn,))


def scored(estimate, truth):
    guess = skeleton_of(estimate)
    (score,) = calibrations(estimate, guess, truth, assign_joints(guess, truth))
    return score


def test_hand_made_errors():
    truth = skeleton([joint("t", Z, [0, 0, 0], 0, 1)])
    covariance = np.diag([0.01, 0.01, 0.002, 0.002]) ** 2
    # The estimate is 4 mm off along x; where along the axis its point lies says nothing.
    score = scored(model(-Z, np.array([0.004, 0, 0.7]), covariance), truth)
    assert sorted(np.abs(score.scores)) == pytest.approx([0, 0, 0, 2], abs=1e-12)
    assert score.chi_square == pytest.approx(4)
    tilted = np.array([np.sin(0.03), 0, np.cos(0.03)])
    score = scored(model(tilted, np.zeros(3), covariance), truth)
    assert sorted(np.abs(score.scores)) == pytest.approx([0, 0, 0, 3], abs=1e-3)


def test_a_prismatic_joint_has_no_position():
    truth = skeleton([joint("t", Y, [0, 0, 0], 0, 1, "prismatic")])
    covariance = np.diag([1e-4, 1e-4, np.nan, np.nan])
    score = scored(model(Y, np.ones(3), covariance, "prismatic"), truth)
    assert np.isnan(score.scores[2:]).all()
    assert score.degrees == 2


@pytest.mark.slow
def test_errors_drawn_from_their_covariance_are_covered():
    rng = np.random.default_rng(0)
    factor = rng.normal(size=(4, 4)) * [[0.01], [0.01], [0.002], [0.002]]
    covariance = factor @ factor.T
    scores = []
    for _ in range(1500):
        true_axis = X
        across = np.linalg.svd(true_axis[None])[2][1:]
        error = factor @ rng.normal(size=4)
        axis = true_axis - np.cross(error[:2] @ across, true_axis)
        axis /= np.linalg.norm(axis)
        point = np.array([0.3, 0.1, 0.2])
        estimate = model(axis, point, covariance)
        # Where the true line passes the estimate's point, in the estimate's own basis.
        crossing = point + estimate.joints[0].estimate.across.T @ error[2:]
        truth = skeleton([joint("t", true_axis, crossing, 0, 1)])
        scores.append(scored(estimate, truth))
    for column in np.array([score.scores for score in scores]).T:
        assert covered(column) == pytest.approx(0.954, abs=0.03)
    probabilities = [chi2.cdf(score.chi_square, 4) for score in scores]
    assert kstest(probabilities, "uniform").pvalue > 1e-3


@pytest.mark.parametrize("sense", [1.0, -1.0])
def test_scores_are_the_steps_that_a_line_is_off(sense):
    """The parameters of the adjustment's covariance, also where the axis is turned round."""
    axis, point = np.array([0.6, 0.0, 0.8]), np.array([[0.3, 0.1, 0.2]])
    revolute = np.array([True])
    true = Articulation(np.array([0]), revolute_twist(axis[None], point), revolute, point)
    steps = 1e-5 * np.array([[1.0, -2.0, 3.0, -4.0]])
    off = move_lines(true, steps)
    found = off.twists[0, :3]
    estimate = JointEstimate(1e-10 * np.eye(4), across_basis(found), Confidence(1.0, 1.0, 1.0))
    turn = Joint("j", "revolute", "a", "b", sense * found, off.anchors[0], -1.0, 1.0)
    robot = (Link("a", NOTHING), Link("b", NOTHING))
    score = scored(
        SelfModel.of("robot", robot, (replace(turn, estimate=estimate),)),
        skeleton([joint("t", axis, point[0], 0, 1)]),
    )
    np.testing.assert_allclose(score.scores, -steps[0] / 1e-5, atol=1e-2)


def test_nothing_scored_covers_nothing():
    assert np.isnan(covered(np.array([np.nan])))
    assert covered(np.array([np.nan, 1.0, -3.0])) == 0.5


def test_values_are_scored_from_where_the_reference_frame_is():
    """The estimated axis points the other way, and has a zero of its own."""
    truth = skeleton([joint("t", Z, [0, 0, 0], 0, 1)])
    estimate = model(-Z, np.zeros(3), np.eye(4))
    true = np.array([0.5, 0.6, 0.4, 0.9])
    values = 2.0 - (true - true[0]) + [0.0, 0.01, -0.02, 9.0]
    motion = SequenceMotion(
        values[:, None],
        np.array([[0.0], [0.01], [0.01], [np.nan]]),
        np.tile(np.eye(4), (4, 1, 1)),
        np.zeros(4),
        np.array([True, True, True, False]),
        np.zeros(4, bool),
    )
    labels = np.zeros(0, dtype=np.int64)
    found = Reconstruction(estimate, (motion,), 1e-3, np.empty((0, 3)), labels, "trusted")
    guess = skeleton_of(estimate)
    scores = value_scores(found, guess, truth, assign_joints(guess, truth), {"t": true})
    np.testing.assert_allclose(scores["t"], [-1.0, 2.0])


def test_what_the_whole_robot_is_off_by_counts_as_well():
    estimate = model(Z, np.zeros(3), np.diag([1e-6, 1e-6, 1e-8, 1e-8]))
    guess = skeleton_of(estimate)
    tilted = np.array([0.002, 0.001, 1.0]) / np.linalg.norm([0.002, 0.001, 1.0])
    truth = skeleton([joint("t", tilted, [1e-3, 2e-3, 0], 0, 1)])
    pairs = assign_joints(guess, truth)
    (alone,) = calibrations(estimate, guess, truth, pairs)
    (together,) = calibrations(estimate, guess, truth, pairs, CommonError(1e-3, 1e-3))
    widened = np.sqrt([2.0, 2.0, 101.0, 101.0])
    np.testing.assert_allclose(together.scores * widened, alone.scores, atol=1e-9)
