"""Degraded parts: what each fault changes, and that nothing else changes."""

import numpy as np
import pytest
import trimesh

from autourdf_ros.assessment.metrics.parts.part_truth import PartTruth, TruePartJoint
from autourdf_ros.benchmark.parts.degradation import (
    DEGRADATIONS,
    DegradationOptions,
    degrade,
    degraded_errors,
)
from autourdf_ros.data.parts.part_assembly import Part, PartAssembly
from autourdf_ros.errors import InputError
from autourdf_ros.estimation.parts.assembly_trace import JointCandidate

X = np.array([1.0, 0.0, 0.0])


def joint(parent, child):
    return TruePartJoint("", "revolute", X, np.zeros(3), parent, child)


@pytest.fixture
def chain():
    """Four boxes in a row that touch."""
    boxes = [trimesh.creation.box([1, 0.4, 0.3]).subdivide().subdivide() for _ in range(4)]
    parts = tuple(
        Part(f"part_{i:02d}", np.array(mesh.vertices) + i * X, np.array(mesh.faces, np.int64))
        for i, mesh in enumerate(boxes)
    )
    assembly = PartAssembly("chain", parts)
    truth = PartTruth(0, 4, assembly.size, tuple(joint(i, i + 1) for i in range(3)))
    return assembly, truth


def mesh_of(part):
    return trimesh.Trimesh(part.vertices, part.triangles, process=True)


def test_the_defaults_change_no_surface(chain):
    degraded = degrade(*chain, DegradationOptions())
    assert degraded.sources == tuple(frozenset([i]) for i in range(4))
    for part, given in zip(degraded.assembly.parts, chain[0].parts, strict=True):
        assert mesh_of(part).area == pytest.approx(mesh_of(given).area)
        np.testing.assert_allclose(part.bounds, given.bounds)


def test_a_gap_parts_what_touches(chain):
    first, second = degrade(*chain, DegradationOptions(gap=0.01)).assembly.parts[:2]
    between = second.bounds[0, 0] - first.bounds[1, 0]
    # corners move along their mean normals: between one and √3 times less along an axis
    assert 0.01 * chain[0].size / np.sqrt(3) - 1e-9 < between < 0.011 * chain[0].size


def test_holes_open_the_parts_and_leave_the_box(chain):
    for part in degrade(*chain, DegradationOptions(holes=3)).assembly.parts:
        mesh = mesh_of(part)
        assert not mesh.is_watertight
        assert 0.7 < mesh.area / mesh_of(chain[0].parts[0]).area < 1


def test_merged_parts_are_one_part_with_two_sources(chain):
    degraded = degrade(*chain, DegradationOptions(merged=0.34))
    sizes = sorted(len(sources) for sources in degraded.sources)
    assert sizes == [1, 1, 2]
    pair = next(sources for sources in degraded.sources if len(sources) == 2)
    assert max(pair) - min(pair) == 1  # the two parts of a joint
    assert sorted(i for sources in degraded.sources for i in sources) == [0, 1, 2, 3]


def test_split_parts_are_two_parts_of_one_source(chain):
    degraded = degrade(*chain, DegradationOptions(split=0.25))
    assert len(degraded.assembly.parts) == 5
    twice = [s for s in set(degraded.sources) if degraded.sources.count(s) == 2]
    assert len(twice) == 1
    halves = [
        part
        for part, sources in zip(degraded.assembly.parts, degraded.sources, strict=True)
        if sources == twice[0]
    ]
    assert sum(mesh_of(half).area for half in halves) == pytest.approx(
        mesh_of(chain[0].parts[0]).area
    )
    assert all(np.ptp(half.bounds[:, 0]) == pytest.approx(0.5) for half in halves)


@pytest.mark.slow
def test_a_rebuilt_part_is_near_the_given_one(chain):
    for part, given in zip(
        degrade(*chain, DEGRADATIONS["remeshed"]).assembly.parts, chain[0].parts, strict=True
    ):
        assert len(part.vertices) != len(given.vertices)
        np.testing.assert_allclose(part.bounds, given.bounds, atol=0.03 * given.diagonal)


@pytest.mark.slow
@pytest.mark.parametrize("name", DEGRADATIONS)
def test_the_same_seed_gives_the_same_parts(chain, name):
    first, second = (degrade(*chain, DEGRADATIONS[name]) for _ in range(2))
    assert first.sources == second.sources
    for one, other in zip(first.assembly.parts, second.assembly.parts, strict=True):
        np.testing.assert_array_equal(one.vertices, other.vertices)
        np.testing.assert_array_equal(one.triangles, other.triangles)


def test_another_seed_gives_others(chain):
    given = [degrade(*chain, DegradationOptions(merged=0.34, seed=seed)) for seed in range(6)]
    assert len({one.sources for one in given}) > 1


def test_the_number_of_parts_must_be_that_of_the_truth(chain):
    truth = PartTruth(0, 2, 1.0, (joint(0, 1),))
    with pytest.raises(InputError, match="4 parts; accepted are the 2"):
        degrade(chain[0], truth, DegradationOptions())


def turned(degrees):
    angle = np.radians(degrees)
    axis = np.array([np.cos(angle), np.sin(angle), 0])
    return JointCandidate("revolute", axis, np.zeros(3), 1.0)


def test_errors_of_the_whole_chain(chain):
    whole = degrade(*chain, DegradationOptions())
    errors = degraded_errors(
        whole, chain[1], 0, [(0, 1), (1, 2), (2, 3)], [turned(0), turned(10), turned(20)]
    )
    assert errors.ted == 0
    np.testing.assert_allclose(errors.angles, [0, 10, 20], atol=1e-6)


def test_a_merged_part_costs_an_edit_and_a_joint(chain):
    merged = degrade(*chain, DegradationOptions(merged=0.34))
    pair = next(i for i, sources in enumerate(merged.sources) if len(sources) == 2)
    errors = degraded_errors(merged, chain[1], 0, [(0, 1), (1, 2)], [turned(5), turned(5)])
    assert errors.ted == 1
    assert errors.joints == 3
    assert len(errors.angles) == 2
    assert pair in range(3)


def test_a_split_part_costs_an_edit_and_no_joint(chain):
    split = degrade(*chain, DegradationOptions(split=0.25))
    edges = [(i, i + 1) for i in range(4)]
    errors = degraded_errors(split, chain[1], 0, edges, [turned(5)] * 4)
    assert errors.ted == 1
