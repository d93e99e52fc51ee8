"""A joint that images do not support is never trusted."""

import re
from dataclasses import replace

import numpy as np
import pytest

from autourdf_ros.estimation.appearance.axis_check import AxisCheck
from autourdf_ros.estimation.appearance.held_out_images import HeldOutErrors
from autourdf_ros.estimation.appearance.joints.image_joints import AxisCorrections
from autourdf_ros.estimation.appearance.kinematics.image_motors import ImageMotor
from autourdf_ros.estimation.appearance.unknown.joint_support import JointSupport
from autourdf_ros.estimation.appearance.unknown.self_model_doubts import verdict_of
from autourdf_ros.estimation.appearance.unknown.self_model_options import SelfModelOptions
from autourdf_ros.model.kinematic_tree import KinematicTree
from autourdf_ros.model.tree_joint import TreeJoint

TREE = KinematicTree(
    ("root", "a"),
    (TreeJoint("a", "revolute", "root", "a", np.eye(3)[2], np.zeros(3), -1, 1),),
)
STILL = AxisCheck(AxisCorrections.none(1), AxisCorrections.none(1), np.array([True]))
SUPPORT = JointSupport(np.array([1.0]), np.array([1.0]))
ERRORS = HeldOutErrors(np.full(3, 1e-4), np.full(3, 1e-3), np.full(2, 1e-3), np.full(3, 0.98))


def judged(lost=(), axes=STILL, support=SUPPORT, errors=ERRORS):
    return verdict_of(TREE, lost, axes, support, errors, SelfModelOptions())


def test_what_all_supports_is_trusted():
    assert judged().trust == "trusted"


def turned(correction, error):
    """Groups of images see the axis so far off, in degrees, with that scatter."""
    return AxisCheck(
        replace(STILL.corrections, turns=np.radians([[correction, 0.0]])),
        replace(STILL.errors, turns=np.radians([[error, 0.0]])),
        STILL.moved,
    )


@pytest.mark.parametrize(
    ("given", "reason"),
    [
        ({"support": JointSupport(np.array([0.9]), np.array([1.0]))}, "not nearer to the model"),
        ({"support": JointSupport(np.array([1.0]), np.array([0.6]))}, "may hang on another link"),
        ({"axes": turned(1.5, 0.01)}, "see the axis of a 1.50"),
        ({"axes": turned(0.0, 4.0)}, "see the axis of a 0.00 [+]- 4.00"),
        ({"errors": replace(ERRORS, overlap=np.full(3, 0.5))}, "overlap by 50%"),
        ({"errors": replace(ERRORS, links=np.array([1e-3, 0.1]))}, "a is predicted with 10.0 dB"),
        ({"errors": replace(ERRORS, links=np.array([1e-3, np.nan]))}, "a is seen in no held-out"),
        (
            {"lost": [ImageMotor(("b", "c"), np.ones(3, bool), np.arange(3))]},
            "motor b, c moves nothing",
        ),
    ],
)
def test_each_doubt_is_named(given, reason):
    verdict = judged(**given)

    assert verdict.trust == "doubtful"
    (sentence,) = verdict.reasons
    assert re.search(reason, sentence)
