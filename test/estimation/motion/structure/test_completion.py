"""Which motors are taken to move which joints."""

from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pytest
from sampled_shapes import box
from turning_bar import turning_bar

from autourdf_ros.estimation.motion.fitting.articulation import Articulation
from autourdf_ros.estimation.motion.structure.completion import (
    UNMATCHED,
    UNMATCHED_BESIDE,
    unmatched_count,
    with_motors_matched,
)

TURNS = np.random.default_rng(0).uniform(-1, 1, 19)
GRIPS = np.random.default_rng(1).uniform(0, 0.04, 19)
ALONG_X = np.array([0, 0, 0, 1.0, 0, 0])


def hand(rest, *, apart=True):
    """A joint that turns, and two fingers on it, of which the second follows the grips loosely.

    rest: share of the second finger's values that they do not explain. apart: whether the fingers
    move against each other.
    """
    values = np.stack([TURNS, GRIPS, GRIPS if apart else -GRIPS], axis=1)
    noise = np.random.default_rng(2).normal(size=19)
    for column in (TURNS, GRIPS):  # orthogonal to both, so that they explain none of it
        noise -= column * (noise @ column) / (column @ column)
        noise -= GRIPS * (noise @ GRIPS) / (GRIPS @ GRIPS)
    size = np.linalg.norm(GRIPS) * rest / np.sqrt(1 - rest**2)
    values[:, 2] += noise * size / np.linalg.norm(noise)
    problem, candidate = turning_bar(box((0.2, 0.04, 0.02)), TURNS, TURNS)
    twists = np.stack([candidate.model.twists[0], ALONG_X, -ALONG_X])
    kinds = np.array([True, False, False])
    model = Articulation(np.array([0, 1, 1]), twists, kinds, np.zeros((3, 3)))
    readings = np.stack([TURNS, GRIPS], axis=1)
    problem.readings, problem.motors = readings, ("turn", "grip")
    problem.readings_in = lambda frames: readings[frames]
    motion = SimpleNamespace(used=np.ones(19, bool), states=SimpleNamespace(values=values))
    return problem, replace(candidate, model=model), motion


def test_a_finger_that_follows_the_other_ones_motor_loosely_has_a_motor():
    """The Panda's second finger, of 28 points: the search by readings had found it.

    As a joint without a motor it made the search by motion alone begin, whose model lacks this
    finger, so that nothing was unmatched.
    """
    found = hand((UNMATCHED + UNMATCHED_BESIDE) / 2)
    fits = with_motors_matched(*found).tree.motors
    assert fits.columns.tolist() == [0, 1, 1]
    assert fits.ratios[2] == pytest.approx(1.0, abs=0.1)
    assert fits.unexplained_shares[2] == pytest.approx(0.4, abs=0.01)
    assert unmatched_count(*found) == 0


@pytest.mark.parametrize(("rest", "apart"), [(UNMATCHED_BESIDE + 0.05, True), (0.4, False)])
def test_what_hardly_follows_it_or_is_a_piece_of_the_other_finger_has_none(rest, apart):
    """A piece of one link would slide along the same line, the same way."""
    assert unmatched_count(*hand(rest, apart=apart)) == 1
