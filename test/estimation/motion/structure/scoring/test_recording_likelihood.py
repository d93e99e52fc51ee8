"""What a motor's ratio to its joint is worth in the likelihood."""

from dataclasses import replace

import numpy as np
import pytest
from sampled_shapes import box
from turning_bar import turning_bar

from autourdf_ros.estimation.motion.fitting.frame_fit import States
from autourdf_ros.estimation.motion.structure.scoring.rearranging import JointChange, with_joint
from autourdf_ros.estimation.motion.structure.scoring.recording_likelihood import (
    PosedState,
    RecordingLikelihood,
)

TURNS = np.linspace(0, 0.5, 6)
FRAMES = np.arange(1, len(TURNS))


@pytest.fixture(scope="module")
def bar():
    """A state of a bar that turns as its motor reads, with the problem."""
    problem, candidate = turning_bar(box((0.2, 0.04, 0.02)), TURNS, TURNS)
    states = States(TURNS[FRAMES, None], np.tile(np.eye(4), (len(FRAMES), 1, 1)))
    return problem, PosedState(candidate, states)


def driven(state, ratio, *, revolute=True):
    """The state with a joint of a type that its motor moves by a ratio."""
    candidate = state.candidate
    motors = replace(
        candidate.tree.motors, ratios=np.array([ratio]), unexplained_shares=np.zeros(1)
    )
    model = replace(candidate.model, revolute=np.array([revolute]))
    return replace(
        state,
        candidate=replace(candidate, model=model, tree=replace(candidate.tree, motors=motors)),
    )


@pytest.mark.parametrize("ratio", [1.0, -1.0, 1.02])
def test_a_ratio_of_its_own_costs_a_parameter(bar, ratio):
    problem, state = bar
    likelihood = RecordingLikelihood(problem.frame_set(FRAMES), problem.readings_in(FRAMES), 0.8)
    direct, geared = (likelihood.score(driven(state, each)) for each in (ratio, 0.5))
    assert direct - geared == pytest.approx(likelihood.parameter)


def test_one_to_one_is_a_metre_for_what_slides(bar):
    problem, state = bar
    likelihood = RecordingLikelihood(problem.frame_set(FRAMES), problem.readings_in(FRAMES), 0.8)
    direct, geared = (
        likelihood.score(driven(state, ratio, revolute=False)) for ratio in (-0.8, 1.0)
    )
    assert direct - geared == pytest.approx(likelihood.parameter)


def test_a_joint_of_another_type_is_matched_with_its_motor_anew(bar):
    """The ratio of a turn, in rad, would hold a slide at values that no frame shows."""
    problem, state = bar
    slide = JointChange(0, 0, False, np.array([0, 0, 0, 1.0, 0, 0]), 0.1 * TURNS[FRAMES])
    readings = problem.readings_in(FRAMES)
    changed = with_joint(problem.reference, driven(state, 1.0), slide, readings)
    motors = changed.candidate.tree.motors
    assert motors.columns.tolist() == [0]
    assert motors.ratios[0] == pytest.approx(0.1)
    np.testing.assert_allclose(changed.candidate.predicted(readings)[:, 0], slide.values)
