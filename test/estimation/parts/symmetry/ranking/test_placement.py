"""A handle is far from the hinge, and a knob is round about its own axis."""

import numpy as np
import trimesh
from part_shapes import FEW, box, part, prepared

from autourdf_ros.data.parts.part_assembly import PartAssembly
from autourdf_ros.estimation.parts.contact.contact_region import contact_region
from autourdf_ros.estimation.parts.symmetry.proposals.axes import Axes
from autourdf_ros.estimation.parts.symmetry.ranking.placement import placement
from autourdf_ros.estimation.parts.symmetry.symmetry_options import SymmetryOptions

Z = np.array([0.0, 0.0, 1.0])


def _placed(mover, axes):
    body = part("body", box((0.6, 0.6, 1.0), (0, 0.311, 0)))
    first, second = prepared(PartAssembly("some", (body, part("mover", *mover))))
    region = contact_region(first, second, FEW)
    return placement(first, second, region, axes, SymmetryOptions(contact=FEW))


def test_a_door_is_hinged_opposite_its_handle():
    door = box((0.4, 0.02, 0.8), (0, 0, 0)), box((0.02, 0.05, 0.1), (0.15, -0.035, 0))
    sides = np.array([[-0.2, 0, 0], [0.2, 0, 0]])
    found = _placed(door, Axes.alike(np.tile(Z, (2, 1)), sides, False, "edge"))
    assert found["handle"][0] > 0.5
    assert found["handle"][1] < -0.5
    assert found["boxy"][0] > 0.99


def test_a_knob_is_round_about_its_own_axis():
    knob = trimesh.creation.cylinder(0.05, 0.06, sections=48)
    knob.apply_transform(trimesh.transformations.rotation_matrix(np.pi / 2, [1, 0, 0]))
    knob.apply_translation((0, -0.02, 0))
    found = _placed((knob,), Axes.alike(np.eye(3), np.zeros(3), False, "middle"))
    assert found["whole"][1] > 0.95
    assert found["whole"][[0, 2]].max() < 0.7
