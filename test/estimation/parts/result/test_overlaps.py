"""Parts that overlap in the given pose are named; parts that touch are not."""

import numpy as np
import pytest
import trimesh

from autourdf_ros.data.parts.part_assembly import Part, PartAssembly
from autourdf_ros.estimation.parts.contact.contact_options import ContactOptions
from autourdf_ros.estimation.parts.contact.prepared_part import prepare_parts
from autourdf_ros.estimation.parts.result.overlaps import overlap_notes
from autourdf_ros.estimation.parts.result.result_options import ResultOptions

FEW = ContactOptions(samples=400, pool=400)


def notes(shift):
    """Of two boxes, the second shifted along x from the first."""
    mesh = trimesh.creation.box((0.1, 0.1, 0.1))
    first = Part("a", np.array(mesh.vertices), np.array(mesh.faces, np.int64))
    second = Part("b", first.vertices + np.array([shift, 0.0, 0.0]), first.triangles)
    return overlap_notes(prepare_parts(PartAssembly("two", (first, second)), FEW), ResultOptions())


def test_parts_that_overlap_are_named():
    assert notes(0.05) == ("parts overlap in the given pose, which stops no joint: a and b",)


@pytest.mark.parametrize("shift", [0.1, 0.098, 0.3])
def test_parts_that_touch_or_are_apart_are_not(shift):
    assert notes(shift) == ()
