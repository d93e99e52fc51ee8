import json
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.spatial.transform import Rotation
from skeletons import X, Y, Z, arm, joint, quadruped, skeleton, truth

from autourdf_ros.assessment.metrics.evaluation import evaluate


def perturbed(robot, index, degrees=0.0, shift=(0, 0, 0)):
    """Turn a joint's axis about a direction across it, and shift its line."""
    true = robot.joints[index]
    across = np.cross(true.axis, [0.6, 0.64, 0.48])
    across *= np.radians(degrees) / np.linalg.norm(across)
    changed = replace(
        true,
        axis=-Rotation.from_rotvec(across).apply(true.axis),
        point=true.point + np.asarray(shift) + 0.1 * true.axis * (degrees == 0),
    )
    joints = list(robot.joints)
    joints[index] = changed
    return replace(robot, joints=tuple(joints))


def test_a_perfect_estimate_has_no_error():
    result = evaluate(quadruped(), truth(quadruped()))
    assert result.all.right_tree
    assert result.all.recall == 1
    assert result.all.ted == 0
    assert result.all.angle == result.all.line_distance == result.all.perpendicular == 0
    assert result.observable is None


@pytest.mark.slow
@given(st.integers(0, 3), st.floats(0.01, 20))
def test_a_turned_axis_counts_once_in_the_mean(index, degrees):
    result = evaluate(perturbed(arm(), index, degrees), truth(arm()))
    assert result.joints[index].angle == pytest.approx(degrees, abs=1e-6)
    assert result.all.angle == pytest.approx(degrees / 4, abs=1e-6)
    assert result.joints[index].perpendicular == pytest.approx(0, abs=1e-6)
    assert result.all.right_tree


def test_a_shifted_axis_is_off_by_its_shift_across():
    result = evaluate(perturbed(arm(), 1, shift=(0.003, 0.05, 0.004)), truth(arm()))
    assert result.joints[1].perpendicular == pytest.approx(5, abs=1e-6)
    assert result.joints[1].line_distance == pytest.approx(5, abs=1e-6)
    assert result.joints[1].shifted == pytest.approx(5, abs=1e-2)


def test_a_shift_of_everything_is_taken_out():
    estimate = arm()
    for index in range(4):
        estimate = perturbed(estimate, index, shift=(0.001, 0.002, -0.002))
    result = evaluate(estimate, truth(arm()))
    assert result.global_shift == pytest.approx((-1, -2, 2), abs=1e-3)
    assert result.all.perpendicular > 1
    assert result.all.shifted == pytest.approx(0, abs=1e-3)


def test_a_hard_joint_cannot_be_dropped():
    result = evaluate(arm().frozen({"wrist"}), truth(arm()))
    assert result.missed == ("wrist",)
    assert result.all.recall == 0.75
    assert result.all.ted == 1
    assert not result.all.right_tree


def test_the_right_shape_with_a_wrong_parent_is_no_right_tree():
    joints = [
        joint("left", Z, [0.5, 0, 0], 0, 1),
        joint("left_hand", Y, [0.5, 0.1, 0.2], 1, 2),
        joint("right", X, [-0.5, 0, 0.1], 0, 3),
        joint("right_hand", Z, [-0.5, 0.3, 0.2], 3, 4),
    ]
    crossed = [*joints]
    crossed[1], crossed[3] = replace(joints[1], parent=3), replace(joints[3], parent=1)
    result = evaluate(skeleton(crossed), truth(skeleton(joints)))
    assert result.all.ted == 0
    assert [error.parent_right for error in result.joints].count(False) == 2
    assert not result.all.right_tree


def test_what_nobody_can_see_may_be_missed_or_found():
    observable = {"pan", "lift", "elbow"}
    missed = evaluate(arm().frozen({"wrist"}), truth(arm()), observable)
    assert missed.observable.right_tree
    assert missed.observable.recall == 1
    assert not missed.all.right_tree
    found = evaluate(arm(), truth(arm()), observable)
    assert found.observable.right_tree
    assert found.observable.found == found.observable.true == 3


def test_an_unseen_joint_in_the_middle_is_rigid():
    result = evaluate(arm().frozen({"lift"}), truth(arm()), {"pan", "elbow", "wrist"})
    assert result.observable.right_tree
    assert all(error.parent_right for error in result.joints)


def test_a_spurious_joint_makes_the_tree_wrong():
    joints = [*arm().joints, joint("ghost", X, [0.95, 0, 0.25], 4, 5)]
    result = evaluate(skeleton(joints), truth(arm()))
    assert result.spurious == ("ghost",)
    assert result.all.recall == 1
    assert not result.all.right_tree


def test_nothing_found_gives_no_means():
    result = evaluate(skeleton([]), truth(arm()))
    assert result.all.recall == 0
    assert result.all.angle is None
    assert json.loads(json.dumps(result.to_dict()))["missed"] == ["pan", "lift", "elbow", "wrist"]
