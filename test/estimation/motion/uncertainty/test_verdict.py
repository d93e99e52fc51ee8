"""What makes a model doubtful or failed; the costs themselves are tested where they are made."""

from dataclasses import replace

import numpy as np
import pytest
from synthetic_robot import arm_model, moving_recording

from autourdf_ros.estimation.motion.reconstruction import BaseMotion, LinkCost, UnexplainedPatch
from autourdf_ros.estimation.motion.uncertainty.findings import (
    FrameFindings,
    JointFindings,
    LinkFindings,
    MotorFindings,
)
from autourdf_ros.estimation.motion.uncertainty.foreign_points import ForeignPoints
from autourdf_ros.estimation.motion.uncertainty.verdict import judge

JOINTS = arm_model().joints[:3]
GOOD = LinkCost(0.5, 0.6)
CORRUPTED = LinkCost(0.5, 7.4)


def judged(
    costs,
    used=(True,) * 6,
    patches=(),
    noise=0.001,
    foreign=None,
    places=((1, 2, 3),),
    suspected=(),
    leaps=(),
    joints=JOINTS,
    hidden=(),
):
    """The verdict on the arm's first three joints, about which all else is well."""
    return judge(
        FrameFindings(moving_recording(6, 100).frame_names, np.array(used), noise, foreign, places),
        "still",
        BaseMotion("fixed"),
        JointFindings(joints, np.full(3, 2.0), np.full(3, 50.0), leaps=leaps),
        LinkFindings(costs, patches, suspected, hidden),
        MotorFindings(True),
    )[:2]


@pytest.mark.parametrize("held_out", [0.6, np.nan])
def test_what_explains_all_frames_is_trusted(held_out):
    assert judged([LinkCost(0.5, held_out)] * 4) == ([], "trusted")


def test_a_link_that_explains_only_the_frames_it_was_fitted_to_is_a_reason_with_both_numbers():
    warnings, verdict = judged([GOOD, GOOD, CORRUPTED, GOOD])
    assert verdict == "doubtful" and len(warnings) == 1
    assert "'link_2'" in warnings[0] and "held out" in warnings[0]
    assert "cost 0.5, 7.4 in frames held out" in warnings[0]


def test_a_link_that_explains_held_out_frames_hardly_worse_is_no_reason():
    """A small gripper seen by real cameras costs 2.9 where it is right."""
    assert judged([GOOD, GOOD, GOOD, LinkCost(2.8, 3.2)]) == ([], "trusted")
    assert judged([GOOD, GOOD, GOOD, LinkCost(2.4, 3.2)])[1] == "doubtful"


def test_an_end_that_turns_in_some_frames_only_is_a_reason():
    change = "the end of 'link_3' (59 points) turns by itself"
    warnings, verdict = judged([GOOD] * 4, suspected=(change,))
    assert verdict == "doubtful"
    assert warnings == [
        f"some frames look as if {change}, but not from each frame to the next: a joint may be "
        "missing there"
    ]


def test_an_end_that_could_turn_unseen_is_a_reason_that_names_its_link():
    warnings, verdict = judged([GOOD] * 4, hidden=(("link_3", 114),))
    assert verdict == "doubtful"
    assert warnings == [
        "the end of link 'link_3' (114 points) looks alike however it turns about its own axis: a "
        "joint may be missing there, which only readings of its motor show"
    ]


def test_a_joint_that_leaps_is_a_reason_unless_readings_state_where_it_is():
    leaps, text = (0.0, 3.2, 0.0), f"{JOINTS[1].name!r} turns by 183 degrees from one frame to"
    assert judged([GOOD] * 4, leaps=leaps) == ([], "trusted")
    alone = [replace(one, estimate=replace(one.estimate, motor=None)) for one in JOINTS]
    warnings, verdict = judged([GOOD] * 4, leaps=leaps, joints=alone)
    assert verdict == "doubtful" and sum(text in warning for warning in warnings) == 1
    assert not any(text in warning for warning in judged([GOOD] * 4, joints=alone)[0])


def test_a_link_that_explains_nothing_is_one_reason():
    warnings, verdict = judged([GOOD, GOOD, LinkCost(5.0, 7.4), GOOD])
    assert verdict == "doubtful" and len(warnings) == 1
    assert "badly" in warnings[0] and "7.4 in frames held out" in warnings[0]
    alone, _ = judged([GOOD, GOOD, LinkCost(5.0, np.nan), GOOD])
    assert "badly" in alone[0] and "held out" not in alone[0]


def test_a_link_without_points_is_a_reason_only_where_nothing_hangs_on_it():
    nothing = LinkCost(np.nan, np.nan)
    assert judged([GOOD, GOOD, nothing, GOOD]) == ([], "trusted")
    warnings, verdict = judged([GOOD, GOOD, GOOD, nothing])
    assert verdict == "doubtful" and "no point follows link 'link_3'" in warnings[0]


def test_a_model_most_of_whose_links_fail_held_out_frames_has_failed():
    assert judged([CORRUPTED, CORRUPTED, GOOD, GOOD])[1] == "doubtful"
    assert judged([GOOD, CORRUPTED, CORRUPTED, GOOD])[1] == "failed"
    assert judged([GOOD] * 4, used=[True, True] + [False] * 4)[1] == "failed"


def test_a_patch_that_no_link_explains_is_a_reason():
    warnings, verdict = judged([GOOD] * 4, patches=(UnexplainedPatch("link_2", 300, 3.1),))
    assert verdict == "doubtful"
    assert "300 points beside each other on link 'link_2' move otherwise" in warnings[0]


def test_points_far_from_all_links_are_a_reason_that_names_the_frames():
    warnings, verdict = judged([GOOD] * 4, foreign=ForeignPoints((2, 3), 0.12))
    assert verdict == "doubtful" and len(warnings) == 1
    assert "up to 12% of the points of frames 0000/2, 0000/3 are far from all links" in warnings[0]


def test_what_moves_in_two_places_is_a_reason_that_names_the_links():
    assert judged([GOOD] * 4, places=()) == ([], "trusted")
    warnings, verdict = judged([GOOD] * 4, places=((1, 2), (3,)))
    assert verdict == "doubtful" and len(warnings) == 1
    assert "2 places apart from each other ('link_1', 'link_2'; 'link_3')" in warnings[0]


def test_noise_in_which_small_links_are_lost_is_a_doubt_with_what_is_accepted():
    assert judged([GOOD] * 4, noise=0.0025) == ([], "trusted")
    warnings, verdict = judged([GOOD] * 4, noise=0.003)
    assert verdict == "doubtful"
    assert len(warnings) == 1
    assert "0.30% of the robot's size (accepted is up to 0.25%)" in warnings[0]
