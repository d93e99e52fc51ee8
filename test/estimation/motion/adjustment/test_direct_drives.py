"""A joint turns by as much as its motor reads, unless the frames show another ratio."""

from dataclasses import replace

import numpy as np
import pytest
from sampled_shapes import box, cylinder
from turning_bar import turning_bar

from autourdf_ros.estimation.motion.adjustment.direct_drives import (
    with_likely_drives,
    with_near_drives,
)
from autourdf_ros.estimation.motion.fitting.frame_fit import States
from autourdf_ros.estimation.motion.structure.refinement import adjusted_to

BAR, DISC = box((0.2, 0.04, 0.02)), cylinder(0.1, 0.02)
TURNS = np.concatenate([[0.0], np.random.default_rng(2).uniform(-0.7, 0.7, 9)])


def matched(candidate, ratio, share):
    """The candidate with a motor that was matched so."""
    fits = replace(
        candidate.tree.motors,
        columns=np.array([0]),
        ratios=np.array([ratio]),
        unexplained_shares=np.array([share]),
    )
    return replace(candidate, tree=replace(candidate.tree, motors=fits))


def driven(shape, readings, ratio, share, start=TURNS):
    """A candidate whose motor was matched so, and what the frames make of it."""
    problem, candidate = turning_bar(shape, TURNS, readings)
    candidate = matched(candidate, ratio, share)
    chosen = np.arange(1, len(TURNS))
    frames, read = problem.frame_set(chosen), problem.readings_in(chosen)
    states = States(start[chosen, None], np.tile(np.eye(4), (len(chosen), 1, 1)))
    adjusted = adjusted_to(frames.frames, candidate, states, read, problem.noise)
    found = with_likely_drives(frames, read, candidate, adjusted, 1.0)
    return candidate, found


@pytest.mark.parametrize("ratio", [0.8, -1.2])
def test_what_a_motor_explains_loosely_is_driven_one_to_one(ratio):
    readings = np.sign(ratio) * TURNS
    _, (found, adjusted) = driven(BAR, readings, ratio, share=0.2)
    assert found.tree.motors.ratios[0] == np.sign(ratio)
    assert found.follow_motors[0]
    np.testing.assert_allclose(adjusted.states.values[:, 0], TURNS[1:], atol=0.01)


def test_what_looks_alike_at_every_angle_is_where_its_motor_reads():
    """The demo's last wrist: its values were known to 6°, and were up to 12° off."""
    start = TURNS + np.random.default_rng(4).normal(0, 0.1, len(TURNS))
    before, (found, adjusted) = driven(DISC, TURNS, 0.93, share=0.15, start=start)
    assert not before.follow_motors[0]
    assert found.tree.motors.ratios[0] == 1.0 and found.follow_motors[0]
    np.testing.assert_allclose(adjusted.states.values[:, 0], TURNS[1:], atol=0.01)


@pytest.mark.parametrize("share", [0.0, 0.2])
def test_a_ratio_that_the_frames_show_is_kept(share):
    before, (found, _) = driven(BAR, TURNS / 0.8, 0.8, share)
    assert found is before


@pytest.mark.parametrize(("ratio", "share"), [(0.8, 0.5), (2.0, 0.0), (0.0, 0.2)])
def test_what_no_motor_explains_or_a_gear_does_is_left_alone(ratio, share):
    before, (found, _) = driven(BAR, TURNS, ratio, share)
    assert found is before


def test_nothing_is_driven_without_readings():
    problem, candidate = turning_bar(BAR, TURNS, None)
    frames = problem.frame_set(np.arange(1, len(TURNS)))
    adjusted = object()
    assert with_likely_drives(frames, None, candidate, adjusted, 1.0) == (candidate, adjusted)


@pytest.mark.parametrize(
    ("ratio", "share", "expected"),
    [(0.97, 0.0, 1.0), (-1.04, 0.0, -1.0), (0.9, 0.0, 0.9), (0.97, 0.2, 0.97)],
)
def test_a_ratio_that_is_nearly_one_to_one_is_that(ratio, share, expected):
    """As the model states it; but not of a joint that follows no motor."""
    _, candidate = turning_bar(BAR, TURNS, TURNS)
    found = with_near_drives(matched(candidate, ratio, share), 1.0)
    assert found.tree.motors.ratios[0] == expected


def test_a_slide_of_a_metre_is_a_metre_in_robot_sizes():
    _, candidate = turning_bar(BAR, TURNS, TURNS)
    sliding = replace(candidate, model=replace(candidate.model, revolute=np.array([False])))
    found = with_near_drives(matched(sliding, 0.49, 0.0), 0.5)
    assert found.tree.motors.ratios[0] == 0.5
