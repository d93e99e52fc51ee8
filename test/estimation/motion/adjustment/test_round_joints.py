"""What a joint's two links explain equally, while they turn, holds its axis."""

from dataclasses import replace

import numpy as np
import pytest
import trimesh
from sampled_shapes import box
from turning_bar import turning_bar

from autourdf_ros.estimation.motion.adjustment import round_joints
from autourdf_ros.estimation.motion.adjustment.round_joints import with_round_joints
from autourdf_ros.estimation.motion.fitting.frame_fit import States
from autourdf_ros.estimation.motion.structure.refinement import adjusted_to
from autourdf_ros.geometry.rigid_motion import revolute_twist

BALL, BAR = trimesh.creation.icosphere(radius=0.05), box((0.2, 0.04, 0.02))
TURNS = np.concatenate([[0.0], np.random.default_rng(2).uniform(-1.5, 1.5, 9)])
CHOSEN = np.arange(1, len(TURNS))


def scene(shape, turns=TURNS, tilt=0.0):
    """Frames, readings, a candidate driven by them whose axis was off by a tilt, adjusted."""
    problem, candidate = turning_bar(shape, turns, turns)
    fits = replace(
        candidate.tree.motors,
        columns=np.array([0]),
        ratios=np.ones(1),
        unexplained_shares=np.zeros(1),
    )
    twist = revolute_twist(np.array([np.sin(tilt), 0, np.cos(tilt)]), candidate.model.anchors[0])
    model = replace(candidate.model, twists=twist[None])
    tree = replace(candidate.tree, motors=fits)
    candidate = replace(candidate, model=model, tree=tree)
    frames, readings = problem.frame_set(CHOSEN), problem.readings_in(CHOSEN)
    states = States(turns[CHOSEN, None], np.tile(np.eye(4), (len(CHOSEN), 1, 1)))
    adjusted = adjusted_to(frames.frames, candidate, states, readings, problem.noise)
    return frames, readings, replace(candidate, model=adjusted.model), adjusted


def off(model):
    """Degrees by which the axis is off."""
    return float(np.degrees(np.arccos(min(1.0, abs(model.twists[0, 2])))))


def axis_std(adjusted):
    """Degrees, mean of the two directions."""
    variances = np.diag(np.linalg.pinv(adjusted.information))[:2]
    return float(np.degrees(adjusted.noise * np.sqrt(variances.mean())))


def test_the_axis_of_a_ball_is_held_by_the_plate_that_it_turns_on():
    """A ball looks alike about any axis through its middle: its own points show none."""
    frames, readings, before, adjusted = scene(BALL, tilt=np.radians(5.0))
    assert off(before.model) > 2.0
    after, held = with_round_joints(frames, readings, before, adjusted, design=1.0)
    assert off(after.model) < 0.5
    assert off(after.model) < 2 * axis_std(held) < 2.0
    np.testing.assert_allclose(held.states.values[:, 0], TURNS[CHOSEN], atol=0.01)
    np.testing.assert_array_equal(held.model.twists, after.model.twists)


def test_a_joint_that_its_own_points_show_is_left_alone():
    frames, readings, before, adjusted = scene(BAR)
    after = with_round_joints(frames, readings, before, adjusted, design=1.0)
    assert after[0] is before and after[1] is adjusted


def test_a_joint_that_no_motor_states_is_left_alone():
    """The ur5_gripper's wrist without readings: by lost turns, an axis 18° off looked round."""
    frames, _, before, adjusted = scene(BALL, tilt=np.radians(5.0))
    fits = replace(before.tree.motors, unexplained_shares=np.ones(1))
    before = replace(before, tree=replace(before.tree, motors=fits))
    after = with_round_joints(frames, None, before, adjusted, design=1.0)
    assert after[0] is before and after[1] is adjusted


def test_the_plates_edge_is_not_round_and_what_did_not_turn_shows_nothing():
    frames, _, candidate, adjusted = scene(BALL)
    found = round_joints._round_points(frames, candidate, adjusted.states, 0)
    points = frames.reference.points[found]
    assert len(found) > 100
    assert (candidate.labels[found] == 0).all()
    radii = np.linalg.norm(points[:, :2], axis=1)
    assert radii.max() < 0.17 and radii.min() > 0.003  # m; the plate reaches 0.15 to 0.21
    still = replace(adjusted.states, values=np.zeros_like(adjusted.states.values))
    assert not len(round_joints._round_points(frames, candidate, still, 0))


@pytest.mark.parametrize(("name", "value"), [("LEAST_ROUND", 10**6), ("NO_WORSE", 0.0)])
def test_too_few_round_points_and_a_worse_fit_hold_nothing(monkeypatch, name, value):
    frames, readings, before, adjusted = scene(BALL, tilt=np.radians(5.0))
    monkeypatch.setattr(round_joints, name, value)
    after = with_round_joints(frames, readings, before, adjusted, design=1.0)
    assert after[0] is before and after[1] is adjusted
