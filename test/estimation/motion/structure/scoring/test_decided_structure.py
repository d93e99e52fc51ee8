"""The likelihood of a whole recording decides which links and joints there are."""

from dataclasses import replace

import numpy as np
import pytest
from invented_link import with_invented_link
from synthetic_robot import moving_recording

from autourdf_ros.estimation.motion.fitting.frame_fit import States
from autourdf_ros.estimation.motion.reconstruction import ReconstructionOptions
from autourdf_ros.estimation.motion.registration.preparation import prepare
from autourdf_ros.estimation.motion.structure.iterations import iterate_estimate
from autourdf_ros.estimation.motion.structure.scoring.decided_structure import decided
from autourdf_ros.estimation.motion.structure.scoring.joint_rehanging import JointRehanging
from autourdf_ros.estimation.motion.structure.scoring.link_uniting import LinkUniting
from autourdf_ros.estimation.motion.structure.scoring.rearranging import (
    JointChange,
    parents_first,
    rearranged,
    with_joint,
)
from autourdf_ros.estimation.motion.structure.scoring.recording_likelihood import (
    PosedState,
    RecordingLikelihood,
    design_effect,
)
from autourdf_ros.estimation.motion.structure.structure_search import initial_estimate
from autourdf_ros.progress import silent
from autourdf_ros.stopwatch import Stopwatch


@pytest.fixture(scope="module")
def found():
    """What is known of two boxes on a base, and their motion."""
    options = ReconstructionOptions(use_readings=False)
    recording = moving_recording(frames=6, sway=0.1)
    problem, first = initial_estimate(
        prepare(recording, options.points, report=lambda _: None), options, silent
    )
    return problem, *iterate_estimate(problem, first, Stopwatch(), silent)


def posed(problem, candidate, motion):
    """The state in all frames but the reference, with its likelihood."""
    frames = np.arange(1, len(motion.used))
    numbers = tuple((number,) for number in range(len(candidate.model.parents) + 1))
    state = PosedState(
        replace(candidate, pieces=numbers),
        States(motion.states.values[frames], motion.states.base[frames]),
    )
    chosen = problem.frame_set(frames)
    return state, RecordingLikelihood(chosen, None, 1.0, design_effect(chosen, state))


def test_a_right_candidate_stays_as_it_is(found):
    problem, candidate, motion = found
    same, moved = decided(problem, candidate, motion)
    assert same is candidate
    assert moved is motion


def test_an_invented_link_is_united_with_what_it_is_of_and_the_decision_says_so(found):
    problem, candidate, motion = found
    larger, moved = with_invented_link(candidate, motion, problem.reference)
    smaller, left = decided(problem, larger, moved)
    assert smaller.model.parents.tolist() == candidate.model.parents.tolist()
    assert np.mean(smaller.labels == candidate.labels) > 0.98
    assert left.states.values.shape == motion.states.values.shape
    np.testing.assert_allclose(left.states.values, motion.states.values, atol=0.02)
    (decision,) = smaller.decisions
    assert decision.gain > 0
    assert decision.change.startswith("{3} (")
    assert smaller.pieces == ((0,), (1, 3), (2,))


def test_a_link_on_the_wrong_link_is_hung_on_the_right_one(found):
    problem, candidate, motion = found
    state, likelihood = posed(problem, candidate, motion)
    joint = int(np.flatnonzero(candidate.model.parents > 0)[-1])
    values = state.states.values[:, joint]
    change = JointChange(joint, 0, True, candidate.model.twists[joint], values)
    wrong = with_joint(problem.reference, state, change)
    wrong = likelihood.settled(wrong)
    assert likelihood.score(wrong) < likelihood.score(state)
    proposed = {item.state.candidate.model.parents.tolist()[joint]: item
                for item in JointRehanging(likelihood)(wrong)}  # fmt: skip
    right = likelihood.settled(proposed[candidate.model.parents[joint]].state)
    assert likelihood.score(right) > likelihood.score(wrong)


def test_links_that_move_are_not_worth_uniting(found):
    problem, candidate, motion = found
    state, likelihood = posed(problem, candidate, motion)
    score = likelihood.score(state)
    for proposal in LinkUniting(likelihood)(state):
        assert likelihood.score(likelihood.settled(proposal.state)) < score


def test_a_joint_costs_what_its_values_and_its_line_do(found):
    """A link of no points that stands still explains nothing: its charge is all that is left."""
    problem, candidate, motion = found
    state, likelihood = posed(problem, candidate, motion)
    larger, moved = with_invented_link(candidate, motion, problem.reference)
    still = replace(moved.states, values=np.pad(motion.states.values, ((0, 0), (0, 1))))
    second, _ = posed(problem, larger, replace(moved, states=still))
    frames = len(likelihood.frames.frames)
    independent = len(problem.reference.points) / likelihood.design
    values, line = frames * np.log(independent) / 2, 2 * np.log(frames * independent)
    lost = likelihood.score(state) - likelihood.score(second)
    assert lost == pytest.approx(values + line, abs=0.5)


def test_errors_that_neighbours_share_count_less(found):
    problem, candidate, motion = found
    state, likelihood = posed(problem, candidate, motion)
    assert likelihood.design >= 1
    shifted = States(state.states.values, state.states.base.copy())
    shifted.base[:, :3, 3] += 0.5 * problem.noise
    assert design_effect(likelihood.frames, replace(state, states=shifted)) > likelihood.design


def test_what_is_arranged_anew_moves_as_before(found):
    problem, candidate, motion = found
    state, _ = posed(problem, candidate, motion)
    joints = np.arange(len(candidate.model.parents))[::-1]
    same = rearranged(
        problem.reference, state, joints, candidate.model.parents[joints], candidate.labels
    )
    np.testing.assert_allclose(same.poses, state.poses, atol=1e-12)
    np.testing.assert_array_equal(same.candidate.labels, candidate.labels)


def test_parents_come_first():
    children, parents = np.array([4, 2, 1, 3]), np.array([3, 1, 0, 1])
    order = parents_first(children, parents)
    seen = {0}
    for child, parent in zip(children[order], parents[order], strict=True):
        assert parent in seen
        seen.add(child)
