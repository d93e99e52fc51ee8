from dataclasses import replace

import numpy as np
import pytest
from invented_link import with_invented_link

from autourdf_ros.estimation.motion.fitting.frame_fit import States
from autourdf_ros.estimation.motion.structure.scoring.unfounded_joints import (
    without_unfounded_joint,
)


@pytest.mark.parametrize(
    ("turn", "exists", "goes"), [(0.01, 0.0, True), (0.01, 0.5, False), (0.1, 0.0, False)]
)
def test_a_joint_that_moved_nowhere_and_hardly_exists_goes(two_boxes, turn, exists, goes):
    problem, candidate, motion = two_boxes
    larger, moved = with_invented_link(candidate, motion, problem.reference)
    values = moved.states.values * [1, 1, turn / 0.01]
    moved = replace(moved, states=States(values, moved.states.base))
    fewer = without_unfounded_joint(problem, larger, moved, np.array([1.0, 1.0, exists]))
    assert (fewer is not None) == goes
    if goes:
        smaller, left = fewer
        np.testing.assert_array_equal(smaller.labels, candidate.labels)
        np.testing.assert_array_equal(left.states.values, motion.states.values)


def test_a_link_in_the_middle_leaves_its_child_to_its_parent(two_boxes):
    problem, candidate, motion = two_boxes
    chain, moved = with_invented_link(candidate, motion, problem.reference)
    values = moved.states.values * [0.01, 1, 1]
    moved = replace(moved, states=States(values, moved.states.base))
    child = int(np.flatnonzero(chain.model.parents == 1)[0])
    smaller, left = without_unfounded_joint(problem, chain, moved, np.array([0.0, 1.0, 1.0]))
    assert smaller.model.parents.tolist() == [0, 0]
    np.testing.assert_array_equal(smaller.model.twists[child - 1], chain.model.twists[child])
    np.testing.assert_allclose(left.states.values, values[:, 1:], atol=0.01)  # without its turn
    assert set(smaller.labels[chain.labels == 1]) == {0}


@pytest.mark.parametrize(("share", "goes"), [(0.05, True), (0.5, False)])
def test_a_joint_goes_whose_motion_its_link_would_not_show(two_boxes, share, goes):
    problem, candidate, motion = two_boxes
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


def test_a_joint_without_motor_that_moved_nowhere_goes_however_likely(two_boxes):
    problem, candidate, motion = two_boxes
    larger, moved = with_invented_link(candidate, motion, problem.reference)
    known = replace(problem, motors=("motor",), readings=np.zeros((len(motion.used), 1)))
    smaller, _ = without_unfounded_joint(known, larger, moved, np.ones(3))
    np.testing.assert_array_equal(smaller.labels, candidate.labels)


def halves(two_boxes, *, apart=0.0):
    """The same with link 1 in two, each on the base, whose motions differ by an angle (rad)."""
    problem, candidate, motion = two_boxes
    whole, moved = with_invented_link(candidate, motion, problem.reference)
    model, values = whole.model, moved.states.values.copy()
    parents, twists = model.parents.copy(), model.twists.copy()
    parents[2], twists[2] = model.parents[0], model.twists[0]
    values[:, 2] = values[:, 0]
    values[1, 2] += apart
    model = replace(model, parents=parents, twists=twists)
    tree = replace(whole.tree, parents=parents, motors=whole.tree.motors.of(np.array([0, 1, 0])))
    return replace(whole, model=model, tree=tree), replace(
        moved, states=States(values, moved.states.base)
    )


def test_halves_of_a_link_that_moved_alike_are_one(two_boxes):
    problem, candidate, motion = two_boxes
    split, moved = halves(two_boxes, apart=0.01)
    smaller, left = without_unfounded_joint(problem, split, moved, np.ones(3))
    np.testing.assert_array_equal(smaller.labels, candidate.labels)
    np.testing.assert_array_equal(smaller.model.parents, candidate.model.parents)
    np.testing.assert_allclose(left.states.values, motion.states.values, atol=1e-9)
    assert without_unfounded_joint(problem, smaller, left, np.ones(2)) is None


def test_links_that_moved_apart_stay_two(two_boxes):
    problem = two_boxes[0]
    assert without_unfounded_joint(problem, *halves(two_boxes, apart=0.1), np.ones(3)) is None


def test_links_that_moved_alike_by_two_motors_stay_two(two_boxes):
    problem, candidate, _ = two_boxes
    split, moved = halves(two_boxes)
    count = len(candidate.model.parents) + 1
    motors = replace(
        split.tree.motors,
        columns=np.arange(count),
        ratios=np.ones(count),
        unexplained_shares=np.zeros(count),
    )
    split = replace(split, tree=replace(split.tree, motors=motors))
    assert without_unfounded_joint(problem, split, moved, np.ones(3)) is None
