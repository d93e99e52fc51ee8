"""Ends that could turn unseen are said to be, where nothing else says that they do not."""

import numpy as np
from flange_scene import AXIS, CENTRE, flange_scene

from autourdf_ros.estimation.motion.fitting.articulation import Articulation
from autourdf_ros.estimation.motion.fitting.frame_fit import States
from autourdf_ros.estimation.motion.uncertainty.hidden_ends import hidden_ends
from autourdf_ros.geometry.rigid_motion import revolute_twist


def found_in(frames, posed):
    states = States(posed.values, posed.base)
    return hidden_ends(frames, posed.model, states, posed.labels)


def test_a_round_flange_that_is_taken_for_the_end_of_its_arm_may_be_a_link():
    frames, posed, labels, _ = flange_scene(plug=False)
    (end,) = found_in(frames, posed)
    assert end.link == 1
    assert end.points > 0.5 * np.sum(labels == 2)


def test_a_flange_whose_plug_would_show_its_turn_is_none():
    frames, posed, _, _ = flange_scene(plug=True)
    assert found_in(frames, posed) == ()


def test_a_model_that_hardly_moved_says_nothing_about_ends():
    frames, posed, _, _ = flange_scene(plug=False)
    states = States(0.01 * posed.values, posed.base)
    assert hidden_ends(frames, posed.model, states, posed.labels) == ()


def test_an_end_that_the_joint_of_its_own_link_turns_is_none():
    frames, posed, labels, turns = flange_scene(plug=False)
    anchors = np.vstack([posed.model.anchors, CENTRE])
    twists = np.vstack([posed.model.twists, revolute_twist(AXIS, CENTRE)])
    model = Articulation(np.array([0, 1]), twists, np.array([True, True]), anchors)
    states = States(np.column_stack([posed.values, turns]), posed.base)
    assert hidden_ends(frames, model, states, labels) == ()
