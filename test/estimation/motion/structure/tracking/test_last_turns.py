"""A flange that was tracked into a wrong turn is found by what is not round of it."""

import numpy as np
import pytest
import trimesh
from sampled_shapes import box, cylinder
from turning_bar import turning_bar

from autourdf_ros.estimation.motion.fitting.frame_fit import States
from autourdf_ros.estimation.motion.fitting.tracking import Motion
from autourdf_ros.estimation.motion.structure.scoring.decided_structure import roughness
from autourdf_ros.estimation.motion.structure.tracking.last_turns import (
    smooth_choice,
    with_last_links_turned,
)

PLUGGED = trimesh.util.concatenate([cylinder(0.1, 0.02), box((0.04, 0.04, 0.03), (0.07, 0, 0.025))])
TURNS = np.array([0.0, 0.2, 0.4, 0.5, 0.7])
WRONG = TURNS + np.array([0.0, 0.0, 1.0, -2.0, 0.0])


def turned(shape):
    """Values (F,) of a shape of which frames 2 and 3 were tracked into wrong turns."""
    problem, candidate = turning_bar(shape, TURNS, None)
    base, used = np.tile(np.eye(4), (len(TURNS), 1, 1)), np.ones(len(TURNS), dtype=bool)
    motion = Motion(States(WRONG[:, None], base), np.full(len(TURNS), 2.0), used, used)
    return with_last_links_turned(problem, candidate, motion).states.values[:, 0]


def test_a_wrong_turn_of_a_flange_with_a_plug_is_mended():
    found = turned(PLUGGED)
    off = (found - TURNS + np.pi) % (2 * np.pi) - np.pi
    np.testing.assert_allclose(off, 0.0, atol=0.05)
    np.testing.assert_array_equal(found[[0, 1, 4]], TURNS[[0, 1, 4]])


def test_where_all_turns_are_as_likely_the_angle_stays():
    angles = np.tile(np.arange(24) * np.pi / 12, (5, 1)).T
    costs = np.full((24, 5), 7.0)
    assert smooth_choice(costs, angles, 0.3, 0.0).tolist() == [0] * 5
    costs[6, 2:] = 0.0  # a quarter turn saves 7 nats in each of the last three frames
    assert smooth_choice(costs, angles, 0.5, 0.0).tolist() == [2, 4, 6, 6, 6]


def test_one_unlikely_jump_does_not_pay():
    angles = np.tile(np.arange(24) * np.pi / 12, (5, 1)).T
    costs = np.full((24, 5), 7.0)
    costs[12, 2] = 0.0
    assert smooth_choice(costs, angles, 0.3, None)[2] == 12
    costs[0, [0, 1, 3, 4]] = 0.0
    assert smooth_choice(costs, angles, 0.3, None).tolist() == [0] * 5


def test_steps_go_the_nearer_way_round():
    angles = np.array([[3.0, 3.0], [0.0, -3.1]])
    costs = np.array([[0.0, 1.0], [50.0, 0.0]])
    assert smooth_choice(costs, angles, 0.3, None).tolist() == [0, 1]


def test_angles_that_go_on_are_smooth_and_those_of_chance_are_rough():
    owners = np.repeat([0, 1], 10)
    assert roughness(0.1 * np.arange(20.0), owners) < 0.2
    assert roughness(np.zeros(20), owners) == 0.0
    chance = np.random.default_rng(0).uniform(-np.pi, np.pi, 20)
    assert roughness(chance, owners) == pytest.approx(1.0, abs=0.3)
