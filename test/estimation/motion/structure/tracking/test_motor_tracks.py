"""A symmetric last link is tracked by the motor that turns nothing else."""

from dataclasses import replace

import numpy as np
import pytest
from sampled_shapes import box, cylinder
from turning_bar import turning_bar

from autourdf_ros.estimation.motion.structure.candidate_model import MATCHED
from autourdf_ros.estimation.motion.structure.completion import with_motors_matched
from autourdf_ros.estimation.motion.structure.tracking import motor_tracks
from autourdf_ros.estimation.motion.structure.tracking.motor_tracks import (
    LOOSELY,
    with_joints_tracked_by_motors,
)
from autourdf_ros.estimation.motion.structure.tracking.recording_tracking import track_recording
from autourdf_ros.progress import silent

BAR, DISC = box((0.2, 0.04, 0.02)), cylinder(0.1, 0.02)
TURNS = np.concatenate([[0.0], np.random.default_rng(2).uniform(-3.0, 3.0, 9)])


def tracked(shape, readings):
    """What motion alone finds, and what the readings make of it."""
    problem, candidate = turning_bar(shape, TURNS, readings)
    motion = track_recording(
        turning_bar(shape, TURNS, None)[0], candidate, silent
    )  # as the search without readings did
    matched = with_motors_matched(problem, candidate, motion)
    return (matched, motion), with_joints_tracked_by_motors(problem, matched, motion)


@pytest.mark.parametrize("direction", [1.0, -1.0])
def test_a_bar_that_looks_alike_after_half_a_turn_follows_its_motor(direction):
    (before, motion), (after, found) = tracked(BAR, direction * TURNS)
    assert not before.follow_motors[0]  # motion alone lost half turns
    assert np.abs(motion.states.values[:, 0] - TURNS).max() > 1.0
    assert after.follow_motors[0]
    assert after.tree.motors.ratios[0] == pytest.approx(direction, abs=0.01)
    np.testing.assert_allclose(found.states.values[:, 0], TURNS, atol=0.03)


def test_a_motor_that_turns_something_else_is_not_followed():
    other = np.random.default_rng(5).uniform(-2.0, 2.0, len(TURNS))
    before, after = tracked(BAR, other)
    assert after[0] is before[0]
    assert after[1] is before[1]


def test_what_fits_in_both_directions_alike_follows_no_motor():
    """A disc: nothing shows whether it turned with its motor or against it."""
    before, after = tracked(DISC, TURNS)
    assert after[0] is before[0]


def test_what_follows_its_motor_loosely_is_bound_to_it():
    """As where the axis is still off: what the readings leave is then more than chance."""
    turns = np.concatenate([[0.0], np.random.default_rng(2).uniform(-0.7, 0.7, 11)])
    readings = turns + np.concatenate([[0.0], np.random.default_rng(4).normal(0, 0.08, 11)])
    problem, candidate = turning_bar(BAR, turns, readings)
    motion = track_recording(problem, candidate, silent)
    lost = motion.states.values + np.pi * (np.arange(12) % 2)[:, None]
    motion = replace(motion, states=replace(motion.states, values=lost))
    matched = with_motors_matched(problem, candidate, motion)
    assert not matched.follow_motors[0]
    after, found = with_joints_tracked_by_motors(problem, matched, motion)
    left = with_motors_matched(problem, after, found).tree.motors.unexplained_shares[0]
    assert MATCHED < left < LOOSELY
    assert after.follow_motors[0] and after.tree.motors.ratios[0] == 1.0
    np.testing.assert_allclose(found.states.values[:, 0], turns, atol=0.03)


@pytest.mark.parametrize(("astray", "follows"), [((5,), True), (range(1, 10, 2), False)])
def test_a_few_frames_half_a_turn_away_are_where_the_motor_reads(monkeypatch, astray, follows):
    """The demo's hand: one frame of twenty lay half a turn away, and no motor was matched.

    Where many do, nothing shows that the joint follows: the xarm7's flange, whose axis was 29° off.
    """
    problem, candidate = turning_bar(BAR, TURNS, TURNS)
    motion = track_recording(problem, candidate, silent)
    values, scores = TURNS[:, None].copy(), motion.scores.copy()
    values[list(astray)] -= np.pi * np.sign(values[list(astray)])
    scores[list(astray)] *= 0.995
    lost = replace(motion, states=replace(motion.states, values=values), scores=scores)
    monkeypatch.setattr(motor_tracks, "track_and_repair", lambda *_: lost)
    unmatched = with_motors_matched(problem, candidate, lost)
    assert not unmatched.follow_motors[0]
    after, found = with_joints_tracked_by_motors(problem, unmatched, lost)
    assert after.follow_motors[0] == follows
    expected = TURNS[:, None] if follows else values
    np.testing.assert_allclose(found.states.values, expected, atol=0.03)
