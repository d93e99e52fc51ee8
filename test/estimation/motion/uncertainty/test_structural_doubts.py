"""What is doubtful is reported in words, and nothing else is."""

from dataclasses import replace

import numpy as np
import pytest

from autourdf_ros.estimation.motion.reconstruction import BaseMotion, LinkCost, Loop, WeakDirection
from autourdf_ros.estimation.motion.structure.pruning.savings import Saving
from autourdf_ros.estimation.motion.uncertainty.findings import (
    FrameFindings,
    JointFindings,
    LinkFindings,
    MotorFindings,
)
from autourdf_ros.estimation.motion.uncertainty.uncertainty_assessment import no_likelier
from autourdf_ros.estimation.motion.uncertainty.verdict import judge
from autourdf_ros.model.layers.kinematics import Confidence, JointEstimate
from autourdf_ros.model.self_model import Joint

FRAMES = 5
VALUES = np.linspace(0, 1, FRAMES)[:, None] * np.array([1.0, 0.5])


def joint(name, parent, child, confidence=None, std=1e-3):
    estimate = JointEstimate(
        std**2 * np.eye(4), np.eye(3)[:2], confidence or Confidence(1.0, 0.99, 1.0)
    )
    up = np.array([0, 0, 1.0])
    return Joint(name, "revolute", parent, child, up, 0 * up, 0.0, 1.0, 0.0, estimate=estimate)


PAN, LIFT = joint("pan", "link_0", "link_1"), joint("lift", "link_1", "link_2")


def judgement(
    pan=PAN,
    margins=(99.0, 99.0),
    root_motion="still",
    base=BaseMotion("fixed"),  # noqa: B008 (frozen)
    weak=(),
    loops=(),
):
    """The judgement of a chain of two joints of which everything is right."""
    names = [f"0000/{number}" for number in range(FRAMES)]
    return judge(
        FrameFindings(names, np.ones(FRAMES, dtype=bool), 0.001, None, ((1,),)),
        root_motion,
        base,
        JointFindings((pan, LIFT), np.ptp(VALUES, axis=0), np.array(margins), weak, loops),
        LinkFindings((LinkCost(0.5, 0.5),) * 3),
        MotorFindings(False),
    )


def judged(*joints, **changes):
    """Warnings and verdict alone."""
    return judgement(*joints, **changes)[:2]


def test_nothing_doubtful_is_trusted():
    assert judged() == ([], "trusted")


@pytest.mark.parametrize(
    ("confidence", "words"),
    [
        (Confidence(0.4, 0.99, 1.0), "'pan' may not exist"),
        (Confidence(1.0, 0.99, 0.6), "'pan' may be one that slides"),
    ],
)
def test_a_doubtful_joint_is_reported(confidence, words):
    warnings, verdict = judged(joint("pan", "link_0", "link_1", confidence))
    assert verdict == "doubtful"
    assert len(warnings) == 1 and words in warnings[0]


def test_a_joint_is_no_likelier_than_what_frames_confirm_of_it():
    """A finger that is confirmed by half among others is sure; points that only vanish are not."""
    exists, saved = np.array([1.0, 0.97, 1.0]), [Saving(2.0, 1.2), Saving(4.0, 1.0)]
    assert no_likelier(exists, [2, 3], saved).tolist() == [1.0, 0.97, 0.25]


def test_another_parent_that_fits_is_reported():
    warnings, verdict = judged(margins=(99.0, 1.5))
    assert verdict == "doubtful"
    assert "'lift' might hang on another link" in warnings[0]


def test_doubts_of_links_or_joints_are_kept_apart_from_what_is_not_known_well():
    weak = WeakDirection(("pan", "lift"), (0.07, 0.05), (0.0, 0.012))
    assert not judgement().structure_doubted
    assert not judgement(joint("pan", "link_0", "link_1", std=0.2)).structure_doubted
    assert not judgement(weak=(weak,)).structure_doubted
    slides = joint("pan", "link_0", "link_1", confidence=Confidence(1.0, 0.99, 0.6))
    assert not judgement(slides).structure_doubted
    assert judgement(margins=(99.0, 1.5)).structure_doubted
    may_not_exist = joint("pan", "link_0", "link_1", Confidence(0.4, 0.99, 1.0))
    assert judgement(may_not_exist).structure_doubted


def test_axes_that_may_turn_together_are_named_once():
    weak = WeakDirection(("pan", "lift"), (0.07, 0.05), (0.0, 0.012))
    smaller = replace(weak, turns=(0.04, 0.04))
    wide = joint("pan", "link_0", "link_1", std=0.1)
    warnings, verdict = judged(wide, weak=(weak, smaller))
    assert verdict == "doubtful"
    assert warnings == [
        "the axis of joint 'pan' can turn by 4.0 degrees, with it that of joint 'lift' turn by "
        "2.9 degrees and shift by 12.0 mm, and the frames would hardly look different"
    ]


@pytest.mark.parametrize(
    ("base", "words"),
    [
        (BaseMotion("floating", 0.2, 0.1, 0.3, 0.5), None),
        (BaseMotion("shifting frames", 0.05, 0.01, 1.1, 0.7), None),
        (BaseMotion("floating", 0.9, 0.1, 0.3, 0.05), "95% as one joint would"),
        (BaseMotion("shifting frames", 1.1, 0.03, 0.7, 0.2), "turns by 63 degrees"),
        (BaseMotion("floating", 0.2, 0.1), "too few frames"),
    ],
)
def test_a_base_that_floats_is_doubtful_only_where_it_may_be_a_link(base, words):
    warnings, verdict = judged(root_motion="turns", base=base)
    assert verdict == ("doubtful" if words else "trusted")
    assert len(warnings) == bool(words)
    assert all(words in warning for warning in warnings)


def test_where_a_chain_closes_another_parent_is_no_doubt():
    up = np.array([0, 0, 1.0])
    loop = Loop(("link_0", "link_2"), ("pan", "lift"), "revolute", up, 0 * up, 1.0)
    assert judged(margins=(1.0, 1.1), loops=(loop,)) == ([], "trusted")
    other = replace(loop, joints=("pan",))
    assert len(judged(margins=(1.0, 1.1), loops=(other,))[0]) == 1
