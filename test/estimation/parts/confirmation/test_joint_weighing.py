"""Alternatives that motion refines to one joint do not compete; a bad frame does not decide."""

from dataclasses import replace

import numpy as np
import pytest

from autourdf_ros.estimation.parts.assembly_trace import EdgeJoint, JointCandidate
from autourdf_ros.estimation.parts.confirmation.confirmation_options import ConfirmationOptions
from autourdf_ros.estimation.parts.confirmation.joint_weighing import (
    RelativeMotion,
    weigh_alternatives,
)
from autourdf_ros.estimation.parts.confirmation.tracking.pose_search import twist_of
from autourdf_ros.geometry.rigid_motion import exp_se3

OPTIONS = ConfirmationOptions()
VALUES = np.array([0.0, 0.4, 0.9, -0.6, 1.2])
METRIC = np.tile(np.diag([10.0] * 3 + [100.0] * 3) * 1e4, (len(VALUES), 1, 1))
SIZE, NOISE = 0.4, 0.001  # m
HINGE = JointCandidate("revolute", np.array([0, 0, 1.0]), np.array([0.2, 0.1, 0.0]), 1.0)
NEAR = replace(HINGE, point=HINGE.point + np.array([0.002, -0.001, 0.0]))
ACROSS = replace(HINGE, axis=np.array([1.0, 0, 0]))


def weighed(*alternatives, bad=0):
    motion = exp_se3(VALUES[:, None] * twist_of(HINGE))
    motion[len(motion) - bad :, :3, 3] += 0.1
    relative = RelativeMotion(np.arange(5), motion, METRIC, np.full(5, 20.0))
    return weigh_alternatives(EdgeJoint(0, 1, alternatives), relative, SIZE, NOISE, OPTIONS)


def test_two_that_become_one_joint_are_decided_together():
    found = weighed(HINGE, NEAR, ACROSS)
    assert found.posterior.max() < OPTIONS.decided
    assert found.certainty == pytest.approx(1.0, abs=1e-3)


def test_one_across_adds_nothing():
    found = weighed(HINGE, ACROSS)
    assert found.certainty == pytest.approx(found.posterior[0])


def test_one_bad_frame_of_five_does_not_decide_and_two_do():
    assert weighed(HINGE, ACROSS, bad=1).residual < 0.005
    assert weighed(HINGE, ACROSS, bad=1).errors.max() > 0.005
    assert weighed(HINGE, ACROSS, bad=2).residual > 0.005
