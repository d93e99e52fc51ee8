"""The paper's method on parts whose joints are known."""

from dataclasses import replace

import numpy as np
import pytest
import trimesh

from autourdf_ros.data.parts.part_assembly import Part, PartAssembly
from autourdf_ros.errors import InputError
from autourdf_ros.estimation.parts.assembly_options import AssemblyOptions, MctsOptions
from autourdf_ros.estimation.parts.mcts.joint_choice import ranked_joints
from autourdf_ros.estimation.parts.mcts.kinematify import infer_by_search
from autourdf_ros.estimation.parts.mcts.part_solid import prepare_solid, prepare_solids
from autourdf_ros.estimation.parts.mcts.proximity_graph import proximity_graph

LIGHT = AssemblyOptions(method="mcts", mcts=MctsOptions(samples=1500, moved=300, refinements=15))


def part_of(mesh, name="part"):
    return Part(name, np.asarray(mesh.vertices, float), np.asarray(mesh.faces, np.int64))


def box(extents, centre):
    return trimesh.creation.box(extents, trimesh.transformations.translation_matrix(centre))


def assembly_of(*meshes):
    return PartAssembly("made", tuple(part_of(mesh, f"part_{i}") for i, mesh in enumerate(meshes)))


def turned(mesh):
    """The mesh in a frame in which no axis is special, and the turn."""
    turn = trimesh.transformations.rotation_matrix(0.7, [1, 2, 3])
    return mesh.copy().apply_transform(turn), turn[:3, :3]


def joints_between(parent, child, options=LIGHT):
    solids = [prepare_solid(i, part_of(mesh), options) for i, mesh in enumerate((parent, child))]
    return ranked_joints(*solids, options.mcts, 0)


def pin_in_hole():
    """A plate with a hole, and a pin with a head that holds it in the hole, and a lever."""
    plate = trimesh.creation.annulus(0.051, 0.2, 0.1)
    pin = trimesh.creation.cylinder(0.05, 0.14)
    heads = [
        trimesh.creation.cylinder(0.08, 0.02).apply_translation([0, 0, z]) for z in (-0.07, 0.07)
    ]
    lever = box([0.4, 0.04, 0.02], [0.2, 0, 0.075])
    return plate, trimesh.util.concatenate([pin, *heads, lever])


def slider_in_channel():
    """A channel with a square bore, and a shorter bar in it."""
    walls = [
        box([1.0, 0.3, 0.1], [0, 0, 0.151]),
        box([1.0, 0.3, 0.1], [0, 0, -0.151]),
        box([1.0, 0.1, 0.2], [0, 0.151, 0]),
        box([1.0, 0.1, 0.2], [0, -0.151, 0]),
    ]
    return trimesh.util.concatenate(walls), box([0.5, 0.2, 0.2], [0, 0, 0])


@pytest.mark.slow
def test_a_pin_turns_in_its_hole():
    (plate, turn), (pin, _) = (turned(mesh) for mesh in pin_in_hole())
    best = joints_between(plate, pin)[0]
    axis = turn @ [0, 0, 1]
    assert best.type == "revolute"
    assert abs(best.axis @ axis) > np.cos(np.radians(2))
    assert np.linalg.norm(np.cross(best.point, axis)) < 0.01
    assert 0 < best.score <= 1


@pytest.mark.slow
def test_a_bar_slides_in_its_channel():
    (channel, turn), (bar, _) = (turned(mesh) for mesh in slider_in_channel())
    best = joints_between(channel, bar)[0]
    assert best.type == "prismatic"
    assert abs(best.axis @ turn @ [1, 0, 0]) > np.cos(np.radians(2))


@pytest.mark.slow
def test_without_the_anchor_the_collision_alone_ranks():
    options = replace(LIGHT, mcts=replace(LIGHT.mcts, anchor=False))
    found = joints_between(*pin_in_hole(), options)
    assert all(one.features["pivot"] == 0 for one in found)
    assert all(one.score == pytest.approx(1 / (1 + one.features["collision"])) for one in found)
    anchored = joints_between(*pin_in_hole())
    assert max(one.features["consistency"] for one in found) > max(
        one.features["consistency"] for one in anchored
    )


@pytest.mark.slow
def test_a_higher_bias_makes_the_pin_prismatic():
    options = replace(LIGHT, mcts=replace(LIGHT.mcts, type_bias=1e3))
    assert joints_between(*pin_in_hole(), options)[0].type == "prismatic"


def body_with_arms(gap=0.0):
    """A body with two equal arms, one of which has a hand; the first part is the hand."""
    right = box([0.5, 0.1, 0.1], [0.45 + gap, 0, 0])
    left = box([0.5, 0.1, 0.1], [-0.45, 0, 0])
    hand = box([0.1, 0.2, 0.12], [0.75 + gap, 0, 0])
    return assembly_of(hand, box([0.4, 0.3, 0.6], [0, 0, 0]), right, left)


def test_contacts():
    assembly = body_with_arms()
    solids = prepare_solids(assembly, LIGHT)
    graph = proximity_graph(solids, assembly.size, LIGHT.mcts)
    assert [contact.parts for contact in graph.contacts] == [(0, 2), (1, 2), (1, 3)]
    assert all(0.5 < contact.strength <= 1 for contact in graph.contacts)
    assert all(contact.distance < 1e-6 for contact in graph.contacts)
    np.testing.assert_allclose(graph.contacts[2].centre, [-0.2, 0, 0], atol=0.02)
    assert not graph.virtual


def test_the_strength_falls_with_the_gap_and_the_edge_ends_at_the_tolerance():
    strengths = []
    for gap in (0.0, 0.005, 0.01, 0.03):
        assembly = body_with_arms(gap)
        solids = prepare_solids(assembly, LIGHT)
        graph = proximity_graph(solids, assembly.size, LIGHT.mcts)
        strengths += [contact.strength for contact in graph.contacts if contact.parts == (1, 2)]
        virtual = graph.virtual
    assert strengths == sorted(strengths, reverse=True)
    assert strengths[3] == 0
    assert virtual == {(1, 2)}


def test_a_part_that_is_too_far_is_named():
    with pytest.raises(InputError, match="part_1, part_3"):
        infer_by_search(body_with_arms(gap=2.0), LIGHT)


def test_an_unknown_root_is_named():
    with pytest.raises(InputError, match="'torso'"):
        infer_by_search(body_with_arms(), replace(LIGHT, root="torso"))


@pytest.mark.slow
def test_a_body_with_arms():
    found = infer_by_search(body_with_arms(), LIGHT)
    assert found.tree.root == 1
    assert set(found.tree.edges) == {(1, 2), (1, 3), (2, 0)}
    assert set(found.tree.terms) == {"struct", "static", "contact", "symmetry", "hierarchy"}
    assert found.clusters == ((2, 3),)
    assert len(found.joints) == 3
    assert found.runner_up is None  # the contact graph is a tree


@pytest.mark.slow
def test_a_given_root():
    found = infer_by_search(body_with_arms(), replace(LIGHT, root="part_0"))
    assert found.tree.edges == ((0, 2), (2, 1), (1, 3))


@pytest.mark.slow
def test_the_same_seed_gives_the_same_joints():
    first, second = (infer_by_search(body_with_arms(), LIGHT) for _ in range(2))
    for one, other in zip(first.joints, second.joints, strict=True):
        np.testing.assert_array_equal(one[0].axis, other[0].axis)


@pytest.mark.slow
def test_progress_rises_and_may_cancel():
    fractions = []
    infer_by_search(body_with_arms(), LIGHT, lambda stage, fraction: fractions.append(fraction))
    assert fractions == sorted(fractions)
    assert fractions[0] >= 0 and fractions[-1] <= 1

    def cancel(stage, fraction):
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        infer_by_search(body_with_arms(), LIGHT, cancel)
