"""Rings of joints are named; a weak joint closes nothing."""

import pytest

from autourdf_ros.estimation.parts.structure.closed_chains import closed_chains

RING = {(0, 1): 3.0, (1, 2): 3.0, (2, 3): 3.0, (0, 3): 3.0}


def test_a_ring_of_good_joints_is_closed():
    (ring,) = closed_chains(4, [(0, 1), (1, 2), (2, 3)], RING, good=2.5)
    assert ring.pair == (0, 3) and ring.parts == (0, 1, 2, 3)


@pytest.mark.parametrize("weak", list(RING))
def test_a_ring_with_a_weak_joint_is_open(weak):
    edges = [(0, 1), (1, 2), (2, 3)]
    assert closed_chains(4, edges, {**RING, weak: 1.0}, good=2.5) == ()


def test_three_parts_are_no_chain():
    assert closed_chains(3, [(0, 1), (1, 2)], {(0, 1): 3, (1, 2): 3, (0, 2): 3}, good=2.5) == ()
