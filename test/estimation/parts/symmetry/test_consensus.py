"""Congruent parts get congruent joints."""

from dataclasses import replace

import numpy as np
import pytest
from part_shapes import box, part, pin_in_ring, prepared

from autourdf_ros.data.parts.part_assembly import PartAssembly
from autourdf_ros.estimation.parts.assembly_trace import JointCandidate
from autourdf_ros.estimation.parts.contact.congruence import CongruentGroup
from autourdf_ros.estimation.parts.symmetry.consensus import agree
from autourdf_ros.estimation.parts.symmetry.pair_joint import PairJoint
from autourdf_ros.estimation.parts.symmetry.stated_probability import Calibration
from autourdf_ros.estimation.parts.symmetry.symmetry_options import SymmetryOptions

X, Z = np.array([1.0, 0, 0]), np.array([0, 0, 1.0])
QUARTER = np.array([[0, -1, 0, 0], [1, 0, 0, 0], [0, 0, 1, 0], [0, 0, 0, 1.0]])


def _candidate(axis, probability):
    return JointCandidate("revolute", axis, np.zeros(3), np.log(probability), probability)


@pytest.fixture(scope="module")
def parts():
    body = box((1, 1, 0.1), (0, 0, 0))
    legs = [box((0.1, 0.1, 0.5), (0.4 * np.cos(a), 0.4 * np.sin(a), -0.3)) for a in (0, 1, 2)]
    named = [part("body", body), *(part(f"leg_{i}", leg) for i, leg in enumerate(legs))]
    return prepared(PartAssembly("table", tuple(named)))


def _agreed(parts, *ranked):
    joints = {(0, i + 1): PairJoint(0, i + 1, None, one, 1.0) for i, one in enumerate(ranked)}
    motions = [np.linalg.matrix_power(QUARTER, i)[None] for i in range(len(ranked))]
    group = CongruentGroup(tuple(range(1, len(ranked) + 1)), tuple(motions), (False,) * len(ranked))
    return agree(list(joints), joints, [group], parts)


def test_the_majority_decides(parts):
    turned = QUARTER[:3, :3] @ X
    right = [
        (_candidate(X, 0.7), _candidate(Z, 0.3)),
        (_candidate(turned, 0.8), _candidate(Z, 0.2)),
    ]
    wrong = _candidate(Z, 0.6), _candidate(X, 0.4)
    axes = [edge.best.axis for edge in _agreed(parts, *right, wrong)]
    np.testing.assert_allclose(np.abs(axes), np.abs([X, turned, X]), atol=1e-9)


def test_a_joint_that_one_edge_does_not_propose_comes_from_another(parts):
    turned = QUARTER[:3, :3] @ X
    wrong = (replace(_candidate(Z, 0.5), type="prismatic"),)
    edges = _agreed(parts, (_candidate(X, 0.99),), (_candidate(turned, 0.99),), wrong)
    np.testing.assert_allclose(np.abs(edges[2].best.axis), np.abs(X), atol=1e-9)
    assert edges[2].best.source == "congruent part"


def test_edges_of_other_parts_keep_their_candidates_and_state_calibrated_probabilities():
    parts = prepared(pin_in_ring())
    joints = {(0, 1): PairJoint(0, 1, None, (_candidate(Z, 0.9), _candidate(X, 0.1)), 1.0)}
    options = SymmetryOptions(calibration=Calibration(0.5, 0.0))
    (edge,) = agree([(1, 0)], joints, [], parts, options)
    assert (edge.parent, edge.child) == (1, 0)
    assert [one.axis.tolist() for one in edge.alternatives] == [Z.tolist(), X.tolist()]
    assert [one.probability for one in edge.alternatives] == pytest.approx([0.75, 0.25])


def test_copies_of_one_shape_do_not_make_a_joint_surer(parts):
    turned = QUARTER[:3, :3] @ X
    first, second = ((_candidate(axis, 0.7), _candidate(Z, 0.3)) for axis in (X, turned))
    third = _candidate(X, 0.7), _candidate(Z, 0.3)
    alone, two, three = (
        _agreed(parts, *some)[0].best for some in ([first], [first, second], [first, second, third])
    )
    assert two.probability == pytest.approx(alone.probability)
    assert three.probability == pytest.approx(alone.probability)
