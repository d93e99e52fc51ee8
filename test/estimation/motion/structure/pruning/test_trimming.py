from dataclasses import replace

import numpy as np
import pytest
from invented_link import with_invented_link
from synthetic_robot import moving_recording

from autourdf_ros.estimation.motion.fitting.frame_fit import States
from autourdf_ros.estimation.motion.reconstruction import ReconstructionOptions
from autourdf_ros.estimation.motion.registration.preparation import prepare
from autourdf_ros.estimation.motion.structure.iterations import iterate_estimate
from autourdf_ros.estimation.motion.structure.pruning.trimming import (
    trimmed,
    without_unfounded_joint,
)
from autourdf_ros.estimation.motion.structure.structure_search import initial_estimate
from autourdf_ros.progress import silent
from autourdf_ros.stopwatch import Stopwatch


@pytest.fixture(scope="module")
def found():
    """What is known of two boxes on a base, and their motion."""
    options = ReconstructionOptions(use_readings=False)
    recording = moving_recording(frames=5, sway=0.1)
    problem, first = initial_estimate(
        prepare(recording, options.points, report=lambda _: None), options, silent
    )
    return problem, *iterate_estimate(problem, first, Stopwatch(), silent)


def test_joints_that_all_frames_need_stay(found):
    problem, candidate, motion = found
    assert len(candidate.model.parents) == 2
    same, moved = trimmed(problem, candidate, motion)
    assert same is candidate
    assert moved is motion


def test_a_joint_that_saves_nothing_in_all_frames_goes_and_leaves_the_others(found):
    problem, candidate, motion = found
    larger, moved = with_invented_link(candidate, motion, problem.reference)
    smaller, left = trimmed(problem, larger, moved)
    assert smaller.model.parents.tolist() == candidate.model.parents.tolist()
    np.testing.assert_array_equal(smaller.model.twists, candidate.model.twists)
    np.testing.assert_array_equal(smaller.labels, candidate.labels)
    np.testing.assert_array_equal(left.states.values, motion.states.values)
    assert smaller.states.values.shape[1] == smaller.tree.values.shape[1] == 2
    assert (smaller.tree.margins > 2).all()  # nothing else is left to hang on


@pytest.mark.parametrize(
    ("turn", "exists", "goes"), [(0.01, 0.0, True), (0.01, 0.5, False), (0.1, 0.0, False)]
)
def test_a_joint_that_moved_nowhere_and_hardly_exists_goes(found, turn, exists, goes):
    problem, candidate, motion = found
    larger, moved = with_invented_link(candidate, motion, problem.reference)
    values = moved.states.values * [1, 1, turn / 0.01]
    moved = replace(moved, states=States(values, moved.states.base))
    fewer = without_unfounded_joint(problem, larger, moved, np.array([1.0, 1.0, exists]))
    assert (fewer is not None) == goes
    if goes:
        smaller, left = fewer
        np.testing.assert_array_equal(smaller.labels, candidate.labels)
        np.testing.assert_array_equal(left.states.values, motion.states.values)


def test_a_link_in_the_middle_leaves_its_child_to_its_parent(found):
    problem, candidate, motion = found
    chain, moved = with_invented_link(candidate, motion, problem.reference)
    values = moved.states.values * [0.01, 1, 1]
    moved = replace(moved, states=States(values, moved.states.base))
    child = int(np.flatnonzero(chain.model.parents == 1)[0])
    smaller, left = without_unfounded_joint(problem, chain, moved, np.array([0.0, 1.0, 1.0]))
    assert smaller.model.parents.tolist() == [0, 0]
    np.testing.assert_array_equal(smaller.model.twists[child - 1], chain.model.twists[child])
    np.testing.assert_array_equal(left.states.values, values[:, 1:])
    assert set(smaller.labels[chain.labels == 1]) == {0}


@pytest.mark.parametrize(("share", "goes"), [(0.05, True), (0.5, False)])
def test_a_joint_goes_whose_motion_its_link_would_not_show(found, share, goes):
    problem, candidate, motion = found
    model, reference = candidate.model, problem.reference
    last = (set(range(1, 3)) - set(model.parents.tolist())).pop()
    along = np.array([1.0, 0, 0])
    # Only sides along which the link slides are left of it, or others as well.
    own = (candidate.labels == last) & (np.abs(reference.normals @ along) < share)
    labels = np.where((candidate.labels == last) & ~own, -1, candidate.labels)
    twists, revolute = model.twists.copy(), model.revolute.copy()
    twists[last - 1], revolute[last - 1] = np.concatenate([np.zeros(3), along]), False
    sliding = replace(model, twists=twists, revolute=revolute)
    changed = replace(candidate, model=sliding, labels=labels)
    assert np.ptp(motion.states.values[:, last - 1]) > 0.1
    fewer = without_unfounded_joint(problem, changed, motion, np.ones(2))
    assert (fewer is not None) == goes
    if goes:
        assert set(fewer[0].labels[own]) == {int(model.parents[last - 1])}
