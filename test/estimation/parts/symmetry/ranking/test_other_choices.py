"""Candidates that differ: nearly the same ones are one choice, and the rest follows from it."""

import numpy as np
import pytest

from autourdf_ros.estimation.parts.symmetry.proposals.axes import Axes
from autourdf_ros.estimation.parts.symmetry.ranking.other_choices import (
    distinct_choices,
    ordered_choices,
    relation_numbers,
)

X, Y, Z = np.eye(3)


def _alike(*pairs, count):
    same = np.eye(count, dtype=bool)
    for first, second in pairs:
        same[first, second] = same[second, first] = True
    return same


def test_the_most_probable_of_those_nearly_the_same_stands_for_their_sum():
    shares = np.array([0.3, 0.4, 0.25, 0.05])
    found = distinct_choices(shares, _alike((1, 2), count=4))
    assert [number for number, _ in found] == [1, 0, 3]
    assert [mass for _, mass in found] == pytest.approx([0.65, 0.3, 0.05])


def test_many_weak_candidates_that_agree_beat_one_that_is_alone():
    shares = np.array([0.4, 0.25, 0.25, 0.1])
    assert distinct_choices(shares, _alike((1, 2), count=4))[0][0] == 1


def test_a_slide_along_the_axis_comes_before_a_slide_across_it_where_no_part_turns():
    turning = Axes.alike([Z], np.zeros(3), False, "slippage")
    sliding = Axes.alike([X, Y, Z], np.zeros(3), True, "slide")
    axes = Axes.joined(turning, sliding)
    shares = np.array([0.9, 0.04, 0.03, 0.03])
    found = ordered_choices(axes, shares, np.eye(4, dtype=bool), 3)
    assert [number for number, _ in found][:2] == [0, 3]
    assert found[0][1] == pytest.approx(0.9)


def test_no_axis_is_given_twice_and_probabilities_do_not_rise():
    random = np.random.default_rng(0)
    directions = random.normal(size=(12, 3))
    directions /= np.linalg.norm(directions, axis=1)[:, None]
    axes = Axes.joined(
        Axes.alike(directions[:6], np.zeros(3), False, "edge"),
        Axes.alike(directions[6:], np.zeros(3), True, "slide"),
    )
    shares = random.dirichlet(np.ones(12))
    found = ordered_choices(axes, shares, np.eye(12, dtype=bool), 6)
    assert len({number for number, _ in found}) == 6
    masses = [mass for _, mass in found[1:]]
    assert masses == sorted(masses, reverse=True)
    assert sum(mass for _, mass in found) <= 1 + 1e-9


def test_relations_of_other_kinds_and_angles_differ():
    axes = Axes.joined(
        Axes.alike([Z], np.zeros(3), False, "edge"), Axes.alike([X, Z], np.zeros(3), True, "slide")
    )
    numbers = relation_numbers(axes)
    assert numbers[0, 2] == numbers[0, 1] - 1
    assert len({numbers[0, 0], numbers[0, 1], numbers[0, 2], numbers[1, 0]}) == 4
