"""Pairs of parts near each other, and what connects the rest."""

from simple_parts import box, part

from autourdf_ros.data.parts.part_assembly import PartAssembly
from autourdf_ros.estimation.parts.contact.prepared_part import prepare_parts
from autourdf_ros.estimation.parts.structure.near_pairs import near_pairs
from autourdf_ros.estimation.parts.structure.structure_options import StructureOptions


def cubes(*places):
    parts = [part(f"part_{i}", box((0.1, 0.1, 0.1), (x, 0, 0))) for i, x in enumerate(places)]
    return prepare_parts(PartAssembly("cubes", tuple(parts)))


def test_neighbours_are_pairs_and_others_are_not():
    assert near_pairs(cubes(0, 0.1, 0.2), StructureOptions()) == ((0, 1), (1, 2))


def test_parts_far_apart_are_connected_by_the_shortest_pair():
    assert near_pairs(cubes(0, 0.1, 5, 5.1), StructureOptions()) == ((0, 1), (1, 2), (2, 3))


def test_small_parts_on_a_large_one_are_near_it_although_its_samples_are_sparse():
    places = [(x, 0, 0.02) for x in (-0.12, -0.07, 0.07, 0.12)]
    parts = [part("wall", box((6, 6, 0.02), (0, 0, 0)))]
    parts += [part(f"button_{i}", box((0.02, 0.02, 0.02), place)) for i, place in enumerate(places)]
    pairs = near_pairs(prepare_parts(PartAssembly("panel", tuple(parts))), StructureOptions())
    assert {(0, 1), (0, 2), (0, 3), (0, 4)} <= set(pairs)


def test_copies_at_one_place_are_each_paired_with_their_neighbours_only():
    assert near_pairs(cubes(0, 0, 0.1), StructureOptions()) == ((0, 2), (1, 2))


def test_copies_far_from_the_rest_are_each_connected_to_it():
    assert near_pairs(cubes(0, 0, 5), StructureOptions()) == ((0, 2), (1, 2))


def test_copies_without_other_parts_are_a_pair():
    assert near_pairs(cubes(0, 0), StructureOptions()) == ((0, 1),)
