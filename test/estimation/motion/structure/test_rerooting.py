from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from autourdf_ros.estimation.common.rigid_bodies import Bodies
from autourdf_ros.estimation.motion.fitting.articulation import Articulation, body_poses
from autourdf_ros.estimation.motion.fitting.frame_fit import States
from autourdf_ros.estimation.motion.fitting.surface import LabelledSurface
from autourdf_ros.estimation.motion.fitting.tracking import motion_of
from autourdf_ros.estimation.motion.segmentation.segmented_bodies import Segmentation
from autourdf_ros.estimation.motion.structure.candidate_model import CandidateModel
from autourdf_ros.estimation.motion.structure.candidate_tree import CandidateTree, MotorFits
from autourdf_ros.estimation.motion.structure.rerooting import (
    mean_turns,
    on_steadiest_body,
    rerooted,
)
from autourdf_ros.geometry.rigid_motion import exp_se3

FRAMES = 5


def robot(parents, rng, root_motion="turns", turn=1.0):
    """A candidate of this tree with lines, values and bodies drawn, and its motion."""
    joints = len(parents)
    bodies = rng.permutation(joints + 1)
    revolute = rng.random(joints) < 0.7
    twists = rng.normal(size=(joints, 6))
    twists[~revolute, :3] = 0
    values = rng.normal(size=(FRAMES, joints))
    base = exp_se3(turn * rng.normal(size=(FRAMES, 6)))
    labels = rng.integers(-1, joints + 1, 50)
    seen = labels[labels >= 0]
    points = rng.normal(size=(len(seen), 3))
    surface = LabelledSurface(points, points, np.ones(len(seen)), seen, np.ones(len(seen)))
    motors = MotorFits(np.arange(joints), np.ones(joints), np.zeros(joints))
    costs, margins = rng.random(joints), rng.random(joints)
    tree = CandidateTree(bodies, parents, twists, revolute, values, costs, margins, motors)
    none = Bodies(np.zeros((0, 0, 4, 4)), np.zeros((0, 0, 6, 6)), np.zeros((0, 0)))
    segmentation = Segmentation(labels, none, int(bodies[0]), root_motion, (), ())
    model = Articulation(parents, twists, revolute, rng.normal(size=(joints, 3)))
    states = States(values, base)
    found = CandidateModel(model, surface, states, tree, segmentation, labels)
    return found, motion_of(states, np.append(0.0, np.ones(FRAMES - 1)))


@st.composite
def trees(draw):
    parents = [draw(st.integers(0, j)) for j in range(draw(st.integers(1, 7)))]
    return np.array(parents), draw(st.integers(0, len(parents))), draw(st.integers(0, 999))


def poses_of(candidate, states):
    return body_poses(candidate.model, states.values, states.base)


@given(trees())
def test_every_body_moves_as_before_and_keeps_its_points(drawn):
    parents, root, seed = drawn
    found, motion = robot(parents, np.random.default_rng(seed))
    turned, moved = rerooted(found, motion, root)
    place = {body: i for i, body in enumerate(turned.tree.bodies.tolist())}
    order = [place[body] for body in found.tree.bodies.tolist()]
    assert order[root] == 0
    before = poses_of(found, motion.states)
    np.testing.assert_allclose(poses_of(turned, moved.states)[:, order], before, atol=1e-9)
    np.testing.assert_allclose(poses_of(turned, turned.states)[:, order], before, atol=1e-9)
    seen = found.labels >= 0
    np.testing.assert_array_equal(turned.labels[seen], np.take(order, found.labels[seen]))
    np.testing.assert_array_equal(turned.surface.labels, np.take(order, found.surface.labels))
    assert (turned.model.parents <= np.arange(len(parents))).all()
    assert turned.segmentation.root == turned.tree.bodies[0]


@given(trees())
def test_every_joint_keeps_its_two_bodies_and_what_is_known_of_it(drawn):
    parents, root, seed = drawn
    found, motion = robot(parents, np.random.default_rng(seed))
    turned, _ = rerooted(found, motion, root)

    def joints(candidate):
        tree = candidate.tree
        return {
            frozenset((int(tree.bodies[parent]), int(tree.bodies[j + 1]))): (
                tree.costs[j],
                tree.margins[j],
                tree.motors.columns[j],
                candidate.model.revolute[j],
                tuple(candidate.model.anchors[j]),
                tuple(tree.values[:, j]),
            )
            for j, parent in enumerate(tree.parents)
        }

    assert joints(turned) == joints(found)


def test_the_root_becomes_the_body_that_turns_least():
    parents = np.array([0, 1, 2])
    found, motion = robot(parents, np.random.default_rng(1))
    turned, moved = on_steadiest_body(found, motion)
    turns = mean_turns(turned, moved)
    assert turns.argmin() == 0
    assert turns[0] == pytest.approx(mean_turns(found, motion).min())


def test_a_body_without_points_becomes_no_root():
    parents = np.array([0, 1, 2])
    found, motion = robot(parents, np.random.default_rng(1))
    steadiest = int(mean_turns(found, motion).argmin())
    unseen = replace(found, labels=np.where(found.labels == steadiest, -1, found.labels))
    turned, moved = on_steadiest_body(unseen, motion)
    assert (turned.labels == 0).any()
    turns = np.delete(mean_turns(found, motion), steadiest)
    assert mean_turns(turned, moved)[0] == pytest.approx(turns.min())


@pytest.mark.parametrize("root_motion", ["still", "shifts"])
def test_a_root_that_was_seen_not_to_turn_stays(root_motion):
    found, motion = robot(np.array([0, 1, 2]), np.random.default_rng(1), root_motion)
    assert on_steadiest_body(found, motion) == (found, motion)
