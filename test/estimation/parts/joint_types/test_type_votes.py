"""Votes of a type model, and what they decide."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sample_assembly import BODY, DRAWER, KNOB, LID, cabinet, cabinet_joints

from autourdf_ros.estimation.parts.assembly_trace import EdgeJoint, JointCandidate
from autourdf_ros.estimation.parts.joint_types.type_model import TYPES, TypeAnswer
from autourdf_ros.estimation.parts.joint_types.type_options import TypeOptions
from autourdf_ros.estimation.parts.joint_types.type_votes import (
    VOTE_SHARE,
    decide_types,
    group_votes,
)
from autourdf_ros.estimation.parts.result.found_kinematics import guessed_joint

OPTIONS = TypeOptions()
CABINET = cabinet()
LID_JOINT = cabinet_joints()[1]  # ambiguous: three hinges and a slide


def decided(joint, *answers, joints=None, clusters=()):
    joints = joints or (joint,)
    found, notes = decide_types(CABINET, joints, clusters, answers)
    return found[0], notes


def two_way(first, second, ambiguous=True):
    """A joint that is revolute by `first`, prismatic by `second`."""
    kinds = ("revolute", first), ("prismatic", second)
    candidates = tuple(
        JointCandidate(kind, np.eye(3)[2], np.zeros(3), share, share) for kind, share in kinds
    )
    return EdgeJoint(BODY, LID, candidates, ambiguous, "both fit" if ambiguous else "")


def test_an_answer_ranks_an_ambiguous_joint_anew():
    joint, notes = decided(two_way(0.5, 0.45), TypeAnswer("prismatic", 0.9))
    assert joint.best.type == "prismatic"
    assert "becomes the first" in notes[0]


def test_the_posterior_is_that_of_bayes_rule():
    joint, _ = decided(two_way(0.5, 0.4), TypeAnswer("prismatic", 0.8))
    weights = 0.4 * 0.8, 0.5 * 0.1, 0.1 / 3
    expected = np.array(weights) / sum(weights)
    shares = [one.probability for one in joint.alternatives]
    np.testing.assert_allclose(shares, expected[:2])


def test_a_sure_answer_decides_and_an_unsure_one_leaves_it_ambiguous():
    joint, notes = decided(two_way(0.7, 0.3), TypeAnswer("revolute", 0.9))
    assert not joint.ambiguous and joint.reason == "" and "decides" in notes[0]
    joint, notes = decided(two_way(0.5, 0.5), TypeAnswer("revolute", 0.6))
    assert joint.ambiguous and "stays ambiguous" in notes[0]
    assert joint.reason.startswith("both fit; the type model")


def test_no_claim_counts_above_the_greatest_reliability():
    claims = [decided(two_way(0.5, 0.5), TypeAnswer("revolute", c))[0] for c in (0.9, 1.0)]
    assert claims[0].best.probability == claims[1].best.probability < OPTIONS.sure
    assert claims[0].ambiguous


def test_a_clear_geometry_is_not_overridden_and_the_contradiction_is_a_warning():
    before = two_way(0.9, 0.1, ambiguous=False)
    joint, notes = decided(before, TypeAnswer("prismatic", 1.0))
    assert joint.best.type == "revolute" and joint.best.probability == 0.9
    assert "prismatic" in joint.warnings[0] and "which is kept" in notes[0]
    assert joint.best.features[VOTE_SHARE] == 0.0


def test_agreement_with_a_clear_geometry_is_evidence_alone():
    joint, notes = decided(two_way(0.9, 0.1, ambiguous=False), TypeAnswer("revolute", 1.0))
    assert joint.warnings == () and joint.best.probability == 0.9
    assert joint.best.features[VOTE_SHARE] == 1.0 and "as the geometry" in notes[0]


def test_a_joint_of_which_nothing_is_known_stays_a_guess_without_a_contradiction():
    before = guessed_joint(CABINET, BODY, LID, "the parts are apart")
    joint, notes = decided(before, TypeAnswer("prismatic", 0.9))
    assert joint.best.type == "fixed" and joint.warnings == before.warnings
    assert "the guess stays" in notes[0]


def test_an_abstention_changes_nothing():
    joint, notes = decided(LID_JOINT, None)
    assert joint is LID_JOINT and notes == ()


@pytest.mark.parametrize("confidence", [0.0, 0.3, 1 / 3])
def test_an_answer_no_better_than_chance_changes_nothing(confidence):
    joint, notes = decided(LID_JOINT, TypeAnswer("prismatic", confidence))
    assert joint is LID_JOINT and notes == ()


def test_a_type_that_no_alternative_has_leaves_their_order():
    joint, notes = decided(LID_JOINT, TypeAnswer("fixed", 0.9))
    assert [one.point.tolist() for one in joint.alternatives] == [
        one.point.tolist() for one in LID_JOINT.alternatives
    ]
    assert (
        joint.ambiguous
        and "none of its alternatives" in notes[0]
        and notes[0][-30:] in joint.reason
    )


def test_the_number_of_an_axis_ranks_the_alternatives_of_its_type():
    joint, notes = decided(LID_JOINT, TypeAnswer("revolute", 0.9, alternative=2))
    np.testing.assert_array_equal(joint.best.point, LID_JOINT.alternatives[1].point)
    assert "alternative 2 becomes the first" in notes[0]


def test_without_probabilities_of_the_method_the_ranks_change_and_stay_without():
    joint = replace(
        LID_JOINT,
        alternatives=tuple(replace(a, probability=np.nan) for a in LID_JOINT.alternatives),
    )
    weighed, _ = decided(joint, TypeAnswer("prismatic", 0.9))
    assert weighed.best.type == "prismatic" and np.isnan(weighed.best.probability)
    assert weighed.ambiguous
    assert [a.score for a in weighed.alternatives[1:]] == [a.score for a in joint.alternatives[:3]]


def drawers(count):
    """Joints of equal drawers in one body."""
    return [replace(two_way(0.5, 0.45), parent=0, child=k + 1) for k in range(count)]


def test_congruent_joints_correct_an_outlier_and_an_abstention():
    answers = [TypeAnswer("prismatic"), TypeAnswer("revolute"), TypeAnswer("prismatic"), None]
    votes = group_votes(drawers(4), [(1, 2, 3, 4)], answers, OPTIONS)
    assert {vote.type for vote in votes} == {"prismatic"}
    assert votes[0].shares["prismatic"] == pytest.approx(2 / 3) and votes[0].count == 3


def test_a_tie_of_congruent_joints_is_an_abstention():
    answers = [TypeAnswer("prismatic"), TypeAnswer("revolute")]
    assert group_votes(drawers(2), [(1, 2)], answers, OPTIONS) == (None, None)


def test_joints_of_parts_that_differ_do_not_vote_together():
    answers = [TypeAnswer("prismatic"), TypeAnswer("revolute")]
    votes = group_votes(drawers(2), [], answers, OPTIONS)
    assert [vote.type for vote in votes] == ["prismatic", "revolute"]


def test_equal_children_of_different_parents_do_not_vote_together():
    joints = [drawers(1)[0], replace(drawers(2)[1], parent=3)]
    answers = [TypeAnswer("prismatic"), TypeAnswer("revolute")]
    votes = group_votes(joints, [(1, 2)], answers, OPTIONS)
    assert [vote.type for vote in votes] == ["prismatic", "revolute"]


@pytest.mark.slow
@given(
    st.lists(
        st.none()
        | st.builds(
            TypeAnswer, st.sampled_from(TYPES), st.floats(0, 1), st.none() | st.integers(1, 4)
        ),
        min_size=3,
        max_size=3,
    )
)
def test_any_answers_leave_the_alternatives_and_valid_probabilities(answers):
    before = cabinet_joints()
    after, _ = decide_types(CABINET, before, [(DRAWER, LID, KNOB)], answers)
    for old, new in zip(before, after, strict=True):
        assert sorted(one.score for one in old.alternatives) == sorted(
            one.score for one in new.alternatives
        )
        shares = np.array([one.probability for one in new.alternatives])
        assert (shares >= 0).all() and shares.sum() <= 1 + 1e-9
        assert old.ambiguous or new.best.type == old.best.type
