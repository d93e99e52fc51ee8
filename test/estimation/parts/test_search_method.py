"""The paper's method as a method of the estimator."""

from dataclasses import replace

import numpy as np
import pytest
import trimesh

from autourdf_ros.data.parts.part_assembly import Part, PartAssembly
from autourdf_ros.estimation.parts.assembly_options import AssemblyOptions, MctsOptions
from autourdf_ros.estimation.parts.contact.prepared_part import prepare_parts
from autourdf_ros.estimation.parts.search_method import find_by_search
from autourdf_ros.stopwatch import Stopwatch

LIGHT = AssemblyOptions(method="mcts", mcts=MctsOptions(samples=1000, moved=200, refinements=5))


def boxes(gap):
    """Three boxes in a row, of which the last is a gap away."""
    made = [trimesh.creation.box([1, 0.4, 0.3]) for _ in range(3)]
    return PartAssembly(
        "row",
        tuple(
            Part(
                f"part_{i}",
                mesh.vertices + np.array([i + gap * (i == 2), 0, 0]),
                np.array(mesh.faces, np.int64),
            )
            for i, mesh in enumerate(made)
        ),
    )


@pytest.mark.slow
def test_tree_joints_and_seconds():
    row, watch = boxes(0.0), Stopwatch()
    found = find_by_search(row, prepare_parts(row), LIGHT, watch)
    assert found.tree.root == 1
    assert found.tree.edges == ((1, 0), (1, 2))
    assert [(joint.parent, joint.child) for joint in found.joints] == [(1, 0), (1, 2)]
    assert all(np.isnan(joint.edge_probability) for joint in found.joints)
    assert "no probabilities" in found.warnings[0]
    assert watch.seconds["search"] > 0


@pytest.mark.slow
def test_a_virtual_edge_is_a_reason_for_doubt():
    row, options = boxes(0.3), replace(LIGHT, root="part_0")
    found = find_by_search(row, prepare_parts(row), options, Stopwatch())
    assert found.tree.edges == ((0, 1), (1, 2))
    first, second = found.joints
    assert not first.warnings
    assert "not in contact" in second.warnings[0]
