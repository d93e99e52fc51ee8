"""Congruent parts have like neighbours; a joint's contact is spread and slips as it turns."""

from dataclasses import replace

import numpy as np
import pytest

from autourdf_ros.estimation.parts.assembly_trace import JointCandidate
from autourdf_ros.estimation.parts.contact.contact_region import ContactRegion
from autourdf_ros.estimation.parts.structure.edge_weights import (
    contact_spread,
    edge_weight,
    ends_of,
    unlike_parts,
)
from autourdf_ros.estimation.parts.structure.structure_options import EdgeWeights
from autourdf_ros.estimation.parts.symmetry.pair_joint import PairJoint

TURN = JointCandidate("revolute", np.eye(3)[2], np.zeros(3), 1.0, 0.9, features={"slip": 0.9})
SLIDE = replace(TURN, type="prismatic")


def contact(points: np.ndarray) -> ContactRegion:
    count = len(points)
    second = np.arange(count) % 2 == 1
    return ContactRegion(0.0, points, points, np.zeros(count), second, np.ones(2), 1.0)


def ring(radius: float) -> ContactRegion:
    angles = np.linspace(0, 2 * np.pi, 41)[:-1]
    return contact(radius * np.column_stack([np.cos(angles), np.sin(angles), 0 * angles]))


def weight(*candidates: JointCandidate, spread: float = 0.3) -> float:
    joint = PairJoint(0, 1, ring(1.0), candidates, 1.0)
    return edge_weight(joint, spread, 0.0, False, EdgeWeights())


def test_legs_on_one_trunk_are_alike():
    assert unlike_parts([(0, 1), (0, 2), (0, 3)], kinds=(0, 1, 1, 1)) == 0


def test_a_leg_on_another_leg_makes_both_unlike_the_rest():
    assert unlike_parts([(0, 1), (0, 2), (0, 3), (3, 4)], kinds=(0, 1, 1, 1, 1)) == 2


def test_the_spread_of_a_ring_is_its_radius_in_diagonals():
    assert contact_spread(ring(0.2), diagonal=0.8) == pytest.approx(0.25)


def test_a_contact_without_points_has_no_spread():
    assert contact_spread(contact(np.zeros((0, 3))), diagonal=1.0) == 0.0


def test_a_contact_around_an_axis_is_likelier_a_joint_than_one_at_a_spot():
    assert weight(TURN, spread=0.3) > weight(TURN, spread=0.05)


def test_a_pair_that_turns_is_likelier_joined_than_one_that_only_slides():
    assert weight(TURN) > weight(SLIDE)


def test_a_second_candidate_that_turns_well_speaks_for_a_joint():
    assert weight(SLIDE, TURN) > weight(SLIDE, replace(TURN, features={"slip": 0.1}))


def test_a_chain_has_two_ends_and_a_branch_adds_one():
    assert ends_of(4, [(0, 1), (1, 2), (2, 3)]) == 2
    assert ends_of(4, [(0, 1), (1, 2), (1, 3)]) == 3
