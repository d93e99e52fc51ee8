"""Congruent parts have like neighbours."""

from autourdf_ros.estimation.parts.structure.edge_weights import unlike_parts


def test_legs_on_one_trunk_are_alike():
    assert unlike_parts([(0, 1), (0, 2), (0, 3)], kinds=(0, 1, 1, 1)) == 0


def test_a_leg_on_another_leg_makes_both_unlike_the_rest():
    assert unlike_parts([(0, 1), (0, 2), (0, 3), (3, 4)], kinds=(0, 1, 1, 1, 1)) == 2
