"""Joints are graded as the verdict judges them, from what reconstruction.json says."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from synthetic_robot import arm_model, moving_recording

from autourdf_ros.estimation.motion.reconstruction import BaseMotion, LinkCost
from autourdf_ros.estimation.motion.uncertainty.findings import (
    FrameFindings,
    JointFindings,
    LinkFindings,
    MotorFindings,
)
from autourdf_ros.estimation.motion.uncertainty.verdict import judge
from autourdf_ros.model.joint_grading import judge_joints
from autourdf_ros.model.layers.kinematics import Confidence

RECORDING = moving_recording(6, 10)
JOINT = arm_model().joints[0]


def entry(**changes):
    """A joint of which nothing is doubtful, but for what is changed."""
    sure = {"exists": 1.0, "parent": 1.0, "type": 1.0} | changes.pop("probabilities", {})
    plain = {
        "name": "lift",
        "type": "revolute",
        "parent": "link_0",
        "child": "link_1",
        "observed": [-1.0, 1.0],
        "axis_std": 0.001,
        "motor": {"name": "lift"},
        "probabilities": sure,
    }
    return plain | changes


def document(*joints, **changes):
    links = {joint[end] for joint in joints for end in ("parent", "child")}
    plain = {
        "joints": list(joints),
        "links": [{"name": name, "cost": 0.5, "held_out_cost": 0.6} for name in sorted(links)],
    }
    return plain | changes


def warnings(joint, travel, margin):
    """What the verdict says of a model of this joint alone, about which all else is well."""
    return judge(
        FrameFindings(RECORDING.frame_names, np.ones(6, bool), 0.001, None, ((1,),)),
        "still",
        BaseMotion("fixed"),
        JointFindings([joint], np.array([travel]), np.array([margin])),
        LinkFindings([LinkCost(0.5, 0.6)] * 2),
        MotorFindings(True),
    )[0]


@pytest.mark.slow
@given(
    axis_std=st.floats(1e-4, 0.2),
    margin=st.floats(1.0, 50.0),
    exists=st.floats(0.0, 1.0),
    kind=st.floats(0.0, 1.0),
    travel=st.floats(0.0, 2.0),
)
def test_doubtful_is_what_the_verdict_warns_of(axis_std, margin, exists, kind, travel):
    assume(abs(margin - 3) > 1e-9)  # rounding decides there
    parent = 1 - 1 / (1 + margin)
    estimate = replace(
        JOINT.estimate,
        covariance=np.diag([axis_std**2, axis_std**2, 1e-8, 1e-8]),
        confidence=Confidence(exists, parent, kind),
    )
    found = warnings(replace(JOINT, estimate=estimate), travel, margin)
    judged = entry(
        axis_std=estimate.axis_std,
        observed=[0.0, travel],
        probabilities={"exists": exists, "parent": parent, "type": kind},
    )
    assert (judge_joints(document(judged))["lift"].grade == "doubtful") == bool(found)


@pytest.mark.parametrize(
    ("change", "expected", "words"),
    [
        ({}, "good", ""),
        ({"axis_std": 0.018}, "fair", "axis known to 1.0°"),
        ({"axis_std": 0.036}, "doubtful", "axis known to 2.1°"),
        ({"axis_std": None}, "doubtful", "axis is unknown"),
        ({"observed": [0.1, 0.4]}, "fair", "turned by only 17.2°"),
        ({"observed": [0.1, 0.2]}, "doubtful", "turned by only 5.7°"),
        ({"observed": [0.1, 0.1]}, "doubtful", "turned by only 0.0°"),
        ({"observed": [None, None]}, "doubtful", "never seen to move"),
        ({"type": "prismatic", "observed": [0.0, 0.01]}, "good", ""),
        ({"probabilities": {"exists": 0.5}}, "doubtful", "50% sure that it exists"),
        ({"probabilities": {"type": 0.93}}, "fair", "93% sure that it is revolute"),
        ({"probabilities": {"parent": 0.7}}, "doubtful", "70% sure of its parent"),
        ({"probabilities": {"parent": 0.8}}, "fair", "80% sure of its parent"),
    ],
)
def test_a_joint_by_itself(change, expected, words):
    joint = entry(**change)
    judgement = judge_joints(document(joint))["lift"]
    assert judgement.grade == expected
    assert (words in judgement.reasons[0]) if words else judgement.reasons == ()


def test_a_joint_of_which_nothing_was_estimated_is_not_doubted():
    bolt = {"name": "bolt", "type": "fixed", "parent": "link_0", "child": "link_1"}
    assert judge_joints(document(bolt))["bolt"].grade == "good"


def test_what_else_the_document_says():
    lift, turn = entry(), entry(name="turn", parent="link_1", child="link_2")
    same = document(lift, turn)
    assert {j.grade for j in judge_joints(same).values()} == {"good"}
    weak = judge_joints(same | {"weak_directions": [{"joints": ["turn"]}]})
    assert weak["turn"].grade == "doubtful" and weak["lift"].grade == "good"
    patched = judge_joints(same | {"unexplained_patches": [{"link": "link_2"}]})
    assert patched["turn"].grade == "doubtful" and patched["lift"].grade == "good"
    undriven = judge_joints(document(lift, turn | {"motor": None}))
    assert undriven["turn"].reasons == ("no motor explains it",)
    without_readings = judge_joints(document(lift | {"motor": None}, turn | {"motor": None}))
    assert without_readings["turn"].grade == "good"


def test_how_the_points_of_its_child_follow_it():
    lift, turn = entry(), entry(name="turn", parent="link_1", child="link_2")
    same = document(lift, turn)
    worse = judge_joints(
        same | {"links": [*same["links"][:2], {"name": "link_2", "cost": 0.5, "held_out_cost": 7}]}
    )
    assert worse["turn"].reasons == ("points of link_2 follow badly (cost 7.0)",)
    unseen = [{"name": f"link_{i}", "cost": None, "held_out_cost": None} for i in range(3)]
    judged = judge_joints(same | {"links": unseen})
    assert judged["lift"].grade == "good"  # what hangs on it shows it
    assert judged["turn"].reasons == ("no point follows link_2",)


def test_that_a_joint_of_a_closed_chain_may_hang_elsewhere_is_no_doubt():
    joint = entry(probabilities={"parent": 0.6})
    assert judge_joints(document(joint, loops=[{"joints": ["lift"]}]))["lift"].grade == "good"


def test_reasons_for_doubt_come_first():
    joint = entry(axis_std=0.018, probabilities={"exists": 0.2})
    assert judge_joints(document(joint))["lift"].reasons == (
        "20% sure that it exists",
        "axis known to 1.0°",
    )


def between_parts(**changes):
    """A document of one joint between parts, of which nothing is doubtful but what is changed."""
    plain = {
        "joint": "lid_joint",
        "ambiguous": False,
        "reason": "",
        "warnings": [],
        "edge_probability": 0.99,
        "alternatives": [{"probability": 0.98}],
    }
    joint = {"name": "lid_joint", "type": "revolute", "parent": "body", "child": "lid"}
    return {
        "links": [{"name": "body"}, {"name": "lid"}],
        "joints": [joint],
        "assembly": {"joints": [plain | changes]},
    }


@pytest.mark.parametrize(
    ("changes", "grade", "reasons"),
    [
        ({}, "good", ()),
        ({"edge_probability": None, "alternatives": [{"probability": None}]}, "good", ()),
        ({"edge_probability": 0.94}, "fair", ("94% sure of its parent",)),
        ({"alternatives": [{"probability": 0.5}]}, "doubtful", ("50% sure of its type and axis",)),
        (
            {"ambiguous": True, "alternatives": [{"probability": None}] * 3},
            "doubtful",
            ("ambiguous: 3 alternatives",),
        ),
        ({"warnings": ["it collides"]}, "doubtful", ("it collides",)),
    ],
)
def test_joints_between_parts_are_judged_by_their_alternatives(changes, grade, reasons):
    judgement = judge_joints(between_parts(**changes))["lid_joint"]
    assert (judgement.grade, judgement.reasons) == (grade, reasons)


def test_a_joint_without_evidence_between_parts_is_not_judged():
    document = between_parts()
    document["assembly"]["joints"] = []
    assert judge_joints(document)["lid_joint"].grade == "good"
