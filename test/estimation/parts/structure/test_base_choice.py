"""The base: where the supports of a standing assembly meet, the large end of an arm."""

import numpy as np
import pytest
from simple_parts import box, part

from autourdf_ros.data.parts.part_assembly import PartAssembly
from autourdf_ros.estimation.parts.contact.congruence import CongruentGroup
from autourdf_ros.estimation.parts.contact.prepared_part import prepare_parts
from autourdf_ros.estimation.parts.structure.base_choice import base_terms, stance
from autourdf_ros.estimation.parts.structure.structure_options import StructureOptions

OPTIONS = StructureOptions()


def chosen(parts, edges, groups=()):
    terms = base_terms(edges, parts, groups, OPTIONS)
    return int(np.sum(list(terms.values()), axis=0).argmax())


def prepared(*meshes):
    parts = [part(f"part_{i}", mesh) for i, mesh in enumerate(meshes)]
    return prepare_parts(PartAssembly("boxes", tuple(parts)))


def table():
    """Four legs, each of two boxes, and a top that is smaller than a leg."""
    meshes, edges = [box((0.1, 0.1, 0.1), (0, 0, 1))], []
    for x in (-0.2, 0.2):
        for y in (-0.2, 0.2):
            edges += [(0, len(meshes)), (len(meshes), len(meshes) + 1)]
            meshes += [box((0.1, 0.1, 0.5), (x, y, 0.75)), box((0.1, 0.1, 0.5), (x, y, 0.25))]
    return prepared(*meshes), edges


@pytest.mark.slow
def test_a_table_stands_on_its_legs_and_their_meeting_is_the_base():
    parts, edges = table()
    assert stance(parts, OPTIONS) == (True, (2, 4, 6, 8))
    assert chosen(parts, edges) == 0


def test_an_arm_that_stands_on_its_foot_has_it_as_base():
    parts = prepared(
        box((0.2, 0.2, 0.1), (0, 0, 0.05)),
        box((0.1, 0.1, 0.5), (0, 0, 0.35)),
        box((0.1, 0.1, 0.1), (0, 0, 0.65)),
    )
    assert chosen(parts, [(0, 1), (1, 2)]) == 0


def test_the_middle_of_a_hanging_chain_is_not_the_base():
    parts = prepared(
        box((0.2, 0.2, 0.2), (0, 0, 1)),
        box((0.6, 0.1, 0.1), (0.4, 0, 1)),
        box((0.1, 0.1, 0.1), (0.75, 0, 0.9)),
    )
    assert chosen(parts, [(0, 1), (1, 2)]) == 0


def test_a_part_between_congruent_sides_may_be_the_base():
    meshes = [
        box((0.3, 0.1, 0.3), (0, 0, 1)),
        box((0.1, 0.1, 0.5), (-0.2, 0, 0.6)),
        box((0.1, 0.1, 0.5), (0.2, 0, 0.6)),
    ]
    group = CongruentGroup((1, 2), (np.eye(4)[None],) * 2, (False, False))
    assert chosen(prepared(*meshes), [(0, 1), (0, 2)], [group]) == 0


@pytest.mark.parametrize("scale", [0.01, 100.0])
def test_the_base_does_not_depend_on_the_scale(scale):
    meshes = [box((0.2, 0.2, 0.1), (0, 0, 0.05)), box((0.1, 0.1, 0.5), (0, 0, 0.35))]
    for mesh in meshes:
        mesh.apply_scale(scale)
    assert chosen(prepared(*meshes), [(0, 1)]) == 0
