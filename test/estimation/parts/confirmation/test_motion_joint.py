"""Where no alternative fits, the motion proposes a joint, which replaces them if it is sure."""

from dataclasses import replace

import numpy as np
import pytest

from autourdf_ros.estimation.parts.assembly_trace import EdgeJoint, JointCandidate
from autourdf_ros.estimation.parts.confirmation.confirmation_options import ConfirmationOptions
from autourdf_ros.estimation.parts.confirmation.joint_weighing import (
    Parents,
    RelativeMotion,
    weigh_alternatives,
)
from autourdf_ros.estimation.parts.confirmation.motion_joint import motion_joint
from autourdf_ros.estimation.parts.confirmation.tracking.pose_search import twist_of
from autourdf_ros.estimation.parts.confirmation.verdicts import (
    judged,
    verdict_of,
    with_motion_joint,
)
from autourdf_ros.geometry.rigid_motion import exp_se3

OPTIONS = ConfirmationOptions()
VALUES = np.array([0.0, 0.4, 0.9, -0.6, 1.2])
METRIC = np.tile(np.diag([10.0] * 3 + [100.0] * 3) * 1e4, (len(VALUES), 1, 1))
SIZE, NOISE, LARGEST = 0.4, 0.001, 0.005  # m
HINGE = JointCandidate("revolute", np.array([0, 0, 1.0]), np.array([0.2, 0.1, 0.0]), 1.0)
SLIDE = JointCandidate("prismatic", np.array([0.6, 0.8, 0.0]), np.zeros(3), 1.0)
ACROSS = JointCandidate("revolute", np.array([1.0, 0, 0]), np.array([0.2, 0.1, 0.0]), 1.0)
OPENED = JointCandidate("prismatic", np.array([0, 0, 1.0]), np.zeros(3), 1.0)
LIST = EdgeJoint(0, 1, (ACROSS, OPENED))
ALONE = Parents(0.5)
BOTH = (LARGEST, OPTIONS)
NAMES = ("frame", "door")


def moved_by(candidate, values=VALUES):
    metric = METRIC[: len(values)]
    motion = exp_se3(values[:, None] * twist_of(candidate))
    return RelativeMotion(np.arange(len(values)), motion, metric, np.full(len(values), 20.0))


def proposed(relative):
    weighed = weigh_alternatives(LIST, relative, SIZE, NOISE, OPTIONS)
    body = np.array([0.1, 0.1, 0.3]), SIZE
    return weighed, motion_joint(LIST, weighed, relative, body, NOISE, OPTIONS)


def result(relative, parents=ALONE):
    weighed, new = proposed(relative)
    found = judged(LIST, weighed, relative, parents, len(relative.frames), BOTH, NAMES)
    assert found.status == "contradicted"
    return with_motion_joint(found, new, parents, BOTH, NAMES)


@pytest.mark.parametrize("true", [HINGE, SLIDE])
def test_the_joint_that_made_the_motion_is_proposed(true):
    new = proposed(moved_by(true))[1]
    assert new.joint.type == true.type
    assert abs(new.joint.axis @ true.axis) == pytest.approx(1.0, abs=1e-6)
    assert np.abs(new.values) == pytest.approx(np.abs(VALUES), abs=1e-6)
    assert new.joint.source == "motion" and new.joint.probability > 0.99


def test_a_point_of_its_axis_is_the_one_next_to_the_child():
    point = proposed(moved_by(HINGE))[1].joint.point
    assert point == pytest.approx([0.2, 0.1, 0.3], abs=1e-6)


def test_it_replaces_the_alternatives_and_is_not_confirmed():
    found = result(moved_by(HINGE))
    assert found.status == "replaced" and found.decides
    assert found.refined.source == "motion"
    assert found.probability == found.proposed.joint.probability
    assert verdict_of((found,), ())[0] == "partly confirmed"


def test_it_only_stands_in_the_report_where_another_part_may_be_the_parent():
    found = result(moved_by(HINGE), Parents(0.6, 0, False))
    assert found.status == "contradicted" and not found.decides
    assert found.proposed is not None
    assert result(moved_by(HINGE), Parents(0.99, 0, True)).status == "contradicted"


def test_a_motion_of_two_freedoms_is_no_joint():
    both = moved_by(HINGE)
    turned = exp_se3(VALUES[::-1][:, None] * twist_of(ACROSS))
    found = result(replace(both, motion=both.motion @ turned))
    assert found.status == "contradicted" and found.proposed is None


def test_two_frames_away_from_the_given_pose_propose_nothing():
    assert proposed(moved_by(HINGE, np.array([0.0, 0.4, 0.9])))[1] is None
