import numpy as np
from invented_link import with_invented_link

from autourdf_ros.estimation.motion.structure.pruning.trimming import trimmed


def test_joints_that_all_frames_need_stay(two_boxes):
    problem, candidate, motion = two_boxes
    assert len(candidate.model.parents) == 2
    same, moved = trimmed(problem, candidate, motion)
    assert same is candidate
    assert moved is motion


def test_a_joint_that_saves_nothing_in_all_frames_goes_and_leaves_the_others(two_boxes):
    problem, candidate, motion = two_boxes
    larger, moved = with_invented_link(candidate, motion, problem.reference)
    smaller, left = trimmed(problem, larger, moved)
    assert smaller.model.parents.tolist() == candidate.model.parents.tolist()
    np.testing.assert_array_equal(smaller.model.twists, candidate.model.twists)
    np.testing.assert_array_equal(smaller.labels, candidate.labels)
    np.testing.assert_array_equal(left.states.values, motion.states.values)
    assert smaller.states.values.shape[1] == smaller.tree.values.shape[1] == 2
    assert (smaller.tree.margins > 2).all()  # nothing else is left to hang on
