"""An alternative fits the motion that it made, and no other one does."""

import numpy as np
import pytest

from autourdf_ros.estimation.parts.assembly_trace import JointCandidate
from autourdf_ros.estimation.parts.confirmation.alternative_fit import fit_alternative
from autourdf_ros.estimation.parts.confirmation.confirmation_options import ConfirmationOptions
from autourdf_ros.estimation.parts.confirmation.tracking.pose_search import twist_of
from autourdf_ros.geometry.rigid_motion import exp_se3

OPTIONS = ConfirmationOptions()
VALUES = np.array([0.0, 0.4, 0.9, -0.6, 1.2])
METRIC = np.tile(np.diag([10.0] * 3 + [100.0] * 3) * 1e4, (len(VALUES), 1, 1))
SIZE = 0.4  # m
HINGE = JointCandidate("revolute", np.array([0, 0, 1.0]), np.array([0.2, 0.1, 0.0]), 1.0)
OTHERS = (
    JointCandidate("revolute", np.array([0, 0, 1.0]), np.array([-0.2, 0.1, 0.0]), 1.0),
    JointCandidate("revolute", np.array([1.0, 0, 0]), np.array([0.2, 0.1, 0.0]), 1.0),
    JointCandidate("prismatic", np.array([0, 1.0, 0]), np.array([0.2, 0.1, 0.0]), 1.0),
    JointCandidate("fixed", np.array([0, 1.0, 0]), np.array([0.2, 0.1, 0.0]), 1.0),
)


def moved_by(candidate):
    return exp_se3(VALUES[:, None] * twist_of(candidate))


def test_its_own_motion_gives_its_values():
    fit = fit_alternative(HINGE, moved_by(HINGE), METRIC, SIZE, OPTIONS)
    assert fit.values == pytest.approx(VALUES, abs=1e-6)
    assert fit.costs == pytest.approx(np.zeros(len(VALUES)), abs=1e-6)


@pytest.mark.parametrize("other", OTHERS)
def test_another_one_is_less_likely_by_far(other):
    motion = moved_by(HINGE)
    own = fit_alternative(HINGE, motion, METRIC, SIZE, OPTIONS)
    wrong = fit_alternative(other, motion, METRIC, SIZE, OPTIONS)
    assert own.log_likelihood - wrong.log_likelihood > 10


def test_an_axis_that_is_off_comes_to_the_true_one():
    tilted = np.array([0.03, -0.02, 1.0])
    off = JointCandidate("revolute", tilted / np.linalg.norm(tilted), HINGE.point + 0.004, 1.0)
    fit = fit_alternative(off, moved_by(HINGE), METRIC, SIZE, OPTIONS)
    assert fit.twist[:3] == pytest.approx(HINGE.axis, abs=1e-3)
    assert fit.values == pytest.approx(VALUES, abs=1e-3)
