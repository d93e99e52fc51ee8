"""Joints of simple pairs are found, in any pose."""

import numpy as np
import pytest
from part_shapes import FEW, pin_in_ring, prepared, slider_on_rail, tilted

from autourdf_ros.estimation.parts.contact.contact_region import contact_region
from autourdf_ros.estimation.parts.symmetry.pair_joint import pair_joint, pair_joints
from autourdf_ros.estimation.parts.symmetry.symmetry_options import SymmetryOptions
from autourdf_ros.geometry.lines import axis_angle, perpendicular_distance

OPTIONS = SymmetryOptions(contact=FEW)


def _joint(assembly):
    first, second = prepared(assembly)
    return pair_joint(first, second, contact_region(first, second, FEW), assembly.size, OPTIONS)


@pytest.mark.slow
@pytest.mark.parametrize("pose", [np.eye(4), tilted(1)], ids=["along axes", "tilted"])
def test_a_pin_turns_in_its_ring(pose):
    joint = _joint(pin_in_ring(pose))
    best = joint.candidates[0]
    assert best.type == "revolute"
    assert axis_angle(best.axis, pose[:3, 2]) < 0.5
    assert perpendicular_distance(np.zeros(3), best.point, best.axis) < 1e-3
    assert best.probability > OPTIONS.sure


@pytest.mark.slow
def test_a_sleeve_slides_on_its_rail():
    best = _joint(slider_on_rail(tilted(2))).candidates[0]
    assert best.type == "prismatic"
    assert axis_angle(best.axis, tilted(2)[:3, 0]) < 0.5


@pytest.mark.slow
def test_probabilities_fall_and_do_not_exceed_one():
    candidates = _joint(slider_on_rail()).candidates
    shares = [candidate.probability for candidate in candidates]
    assert shares == sorted(shares, reverse=True)
    assert 0 < sum(shares) <= 1 + 1e-9


@pytest.mark.slow
def test_the_same_options_find_the_same_joint():
    first, second = _joint(pin_in_ring()).candidates[0], _joint(pin_in_ring()).candidates[0]
    np.testing.assert_array_equal(first.axis, second.axis)
    assert first.score == second.score


@pytest.mark.slow
def test_joints_of_many_pairs_are_by_pair():
    assembly = pin_in_ring()
    parts = prepared(assembly)
    triples = [(0, 1, contact_region(*parts, FEW))]
    joints = pair_joints(parts, triples, assembly.size, OPTIONS)
    assert list(joints) == [(0, 1)]
