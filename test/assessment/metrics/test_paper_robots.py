"""The metrics on the true joints of the AutoURDF paper's robots, perturbed by known amounts."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.spatial.transform import Rotation

from autourdf_ros.assessment.metrics.evaluation import evaluate
from autourdf_ros.assessment.metrics.truth.truth import load_truth

ROBOTS = {path.stem: path for path in sorted((Path(__file__).parent / "data").glob("*.json"))}


def unit_across(axis, direction):
    across = np.cross(axis, direction)
    return across / np.linalg.norm(across)


@pytest.mark.parametrize("name", ROBOTS)
def test_the_truth_agrees_with_itself(name):
    truth = load_truth(ROBOTS[name])
    result = evaluate(truth.skeleton, truth)
    assert len(result.joints) == {"wx200_5": 5, "ur5": 5, "solo8": 8}[name]
    assert result.all.right_tree
    assert result.all.angle == result.all.perpendicular == result.all.shifted == 0


@pytest.mark.parametrize("name", ROBOTS)
@settings(max_examples=20, deadline=None)
@given(seed=st.integers(0, 999))
def test_every_error_is_what_was_done(name, seed):
    """Turned about the joint's own origin, moved across the new axis, slid along it, reversed.

    Slid a little only: hips of two legs share an axis line, and differ by where on it they are.
    """
    truth = load_truth(ROBOTS[name])
    rng = np.random.default_rng(seed)
    joints, degrees, offsets = [], [], []
    for true in truth.skeleton.joints:
        degrees.append(rng.uniform(0.01, 3.0))
        turn = unit_across(true.axis, rng.normal(size=3))
        axis = Rotation.from_rotvec(np.radians(degrees[-1]) * turn).apply(true.axis)
        offsets.append(rng.uniform(0.0, 4e-3))
        moved = true.point + offsets[-1] * unit_across(axis, rng.normal(size=3))
        sign = rng.choice([-1.0, 1.0])
        joints.append(
            replace(true, axis=sign * axis, point=moved + rng.uniform(-0.03, 0.03) * axis)
        )
    order = rng.permutation(len(joints))
    result = evaluate(
        replace(truth.skeleton, joints=tuple(joints[index] for index in order)), truth
    )
    assert [joint.name for joint in result.joints] == list(truth.skeleton.names)
    assert result.all.right_tree
    np.testing.assert_allclose([joint.angle for joint in result.joints], degrees, atol=1e-6)
    np.testing.assert_allclose(
        [joint.perpendicular for joint in result.joints], 1e3 * np.array(offsets), atol=1e-6
    )
    # Two lines are never farther apart than a point of one is from the other.
    assert all(joint.line_distance <= joint.perpendicular + 1e-9 for joint in result.joints)
    assert result.all.angle == pytest.approx(np.mean(degrees), abs=1e-6)
    assert result.all.perpendicular == pytest.approx(1e3 * np.mean(offsets), abs=1e-6)


@pytest.mark.parametrize("name", ROBOTS)
def test_a_line_moved_along_itself_and_turned_about_the_common_normal_keeps_its_distance(name):
    """E_JD by construction: along the common normal of both lines, whatever the angle."""
    truth = load_truth(ROBOTS[name])
    joints, distances = [], []
    for index, true in enumerate(truth.skeleton.joints):
        normal = unit_across(true.axis, np.array([0.6, 0.64, 0.48]))
        axis = Rotation.from_rotvec(np.radians(2.0) * normal).apply(true.axis)
        distances.append(1e-3 * (index + 1))
        joints.append(replace(true, axis=axis, point=true.point + distances[-1] * normal))
    result = evaluate(replace(truth.skeleton, joints=tuple(joints)), truth)
    np.testing.assert_allclose(
        [joint.line_distance for joint in result.joints], 1e3 * np.array(distances), atol=1e-6
    )
