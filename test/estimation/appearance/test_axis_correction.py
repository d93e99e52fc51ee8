"""What images and model together say of axes, and when it is kept."""

import numpy as np
import pytest
from numpy.testing import assert_allclose

from autourdf_ros.estimation.appearance.axis_check import AxisCheck
from autourdf_ros.estimation.appearance.axis_correction import (
    SHIFT,
    TURN,
    AxisCorrection,
    combined,
)
from autourdf_ros.estimation.appearance.joints.image_joints import AxisCorrections


def check_of(turn, error, moved=True):
    corrections = AxisCorrections(np.array([[turn, 0.0]]), np.array([[2e-3, 0.0]]))
    errors = AxisCorrections(np.full((1, 2), error), np.full((1, 2), 1e-4))
    return AxisCheck(corrections, errors, np.array([moved]))


def test_without_a_prior_the_images_decide():
    means, covariances = combined(
        check_of(0.02, 1e-3), check_of(0.02, 1e-3), 4, np.full((1, 4, 4), np.nan)
    )
    assert_allclose(means.turns, [[0.02, 0]], atol=1e-12)
    assert_allclose(means.shifts, [[2e-3, 0]], atol=1e-12)
    assert_allclose(np.diag(covariances[0])[:2], 3e-6 + TURN**2)
    assert_allclose(np.diag(covariances[0])[2:], 3e-8 + SHIFT**2)


def test_the_surer_of_model_and_images_has_the_greater_weight():
    prior = np.diag([1e-4, 1e-4, np.nan, np.nan])[None]
    images = 3e-6 + TURN**2
    means, covariances = combined(check_of(0.02, 1e-3), check_of(0.02, 1e-3), 4, prior)
    share = (1 / images) / (1 / images + 1e4)
    assert means.turns[0, 0] == pytest.approx(0.02 * share)
    assert covariances[0, 0, 0] == pytest.approx(1 / (1 / images + 1e4))
    sure, _ = combined(check_of(0.02, 1e-3), check_of(0.02, 1e-3), 4, np.diag([1e-10] * 4)[None])
    assert abs(sure.turns[0, 0]) < 1e-6
    still, covariances = combined(check_of(0.02, 1e-3, moved=False), check_of(0.02, 1e-3), 4, prior)
    assert not still.turns.any() and covariances[0, 0, 0] == 1e-4


def test_what_the_last_round_has_changed_counts_as_a_deviation():
    nothing = np.full((1, 4, 4), np.nan)
    _, covariances = combined(check_of(0.02, 1e-3), check_of(0.015, 1e-3), 4, nothing)
    assert covariances[0, 0, 0] == pytest.approx(3e-6 + TURN**2 + 0.005**2)


def test_only_what_surely_predicts_held_out_images_better_is_kept():
    def of(gains):
        none = AxisCorrections.none(1)
        return AxisCorrection(none, np.zeros((1, 4, 4)), np.ones(1, bool), np.array(gains))

    assert of([2e-4, 3e-4, 2.5e-4, np.nan]).accepted
    assert not of([-2e-4, -3e-4, -2.5e-4]).accepted
    assert not of([9e-4, -2e-4, 1e-4, -1e-4]).accepted
    assert not of([1e-3]).accepted
