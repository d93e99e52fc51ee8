from dataclasses import replace

import numpy as np
import pytest
from synthetic_robot import moving_recording

from autourdf_ros.estimation.common.joint_fit import on_axes
from autourdf_ros.estimation.motion.fitting.articulation import body_poses
from autourdf_ros.estimation.motion.fitting.frame_fit import States
from autourdf_ros.estimation.motion.reconstruction import ReconstructionOptions
from autourdf_ros.estimation.motion.registration.preparation import prepare
from autourdf_ros.estimation.motion.structure.iterations import iterate_estimate
from autourdf_ros.estimation.motion.structure.sliding_joints import with_sliding_joint
from autourdf_ros.estimation.motion.structure.structure_search import initial_estimate
from autourdf_ros.geometry.rigid_motion import revolute_twist
from autourdf_ros.progress import silent
from autourdf_ros.stopwatch import Stopwatch

FAR = 60.0  # robot sizes
SLIDE = 0.2  # robot sizes, from end to end


@pytest.fixture(scope="module")
def circling():
    """Two boxes on a base, of which the second goes on a circle about an axis far away."""
    options = ReconstructionOptions(use_readings=False)
    problem, first = initial_estimate(
        prepare(moving_recording(frames=5, sway=0.1), options.points, report=lambda _: None),
        options,
        silent,
    )
    candidate, motion = iterate_estimate(problem, first, Stopwatch(), silent)
    model = candidate.model
    twists, values = model.twists.copy(), motion.states.values.copy()
    twists[1] = revolute_twist(np.array([0.0, 0.0, 1.0]), np.array([0.0, FAR, 0.0]))
    values[:, 1] = np.linspace(0.0, SLIDE / FAR, len(values))
    model = replace(model, twists=twists, anchors=on_axes(twists, model.anchors, model.revolute))
    moved = replace(motion, states=States(values, motion.states.base))
    return problem, replace(candidate, model=model), moved


def test_a_circle_about_a_far_axis_becomes_a_line(circling):
    problem, candidate, motion = circling
    slid, moved = with_sliding_joint(problem, candidate, motion, np.array([1.0, 0.0]))
    assert slid.model.revolute.tolist() == [True, False]
    assert slid.model.parents.tolist() == candidate.model.parents.tolist()
    before, after = (
        body_poses(one.model, seen.states.values, seen.states.base)
        for one, seen in ((candidate, motion), (slid, moved))
    )
    np.testing.assert_allclose(after[:, 1], before[:, 1], atol=1e-9)
    np.testing.assert_allclose(after[:, 2], before[:, 2], atol=SLIDE / FAR * 1.5)
    assert np.ptp(moved.states.values[:, 1]) == pytest.approx(SLIDE, rel=0.02)


@pytest.mark.parametrize(("turns", "revolute"), [(1.0, 0.5), (30.0, 0.0)])
def test_a_joint_that_may_turn_or_turns_far_stays(circling, turns, revolute):
    problem, candidate, motion = circling
    values = motion.states.values * [1.0, turns]
    moved = replace(motion, states=States(values, motion.states.base))
    assert with_sliding_joint(problem, candidate, moved, np.array([1.0, revolute])) is None
