"""The contact of two parts: its distance, its points, and both parts' share."""

import numpy as np
import pytest
from part_shapes import FEW, box, part, pin_in_ring, prepared

from autourdf_ros.data.parts.part_assembly import PartAssembly
from autourdf_ros.estimation.parts.contact.contact_region import contact_region


def _boxes(gap):
    first, second = box((1, 1, 1), (0, 0, 0)), box((0.2, 0.2, 0.2), (0.6 + gap, 0, 0))
    return prepared(PartAssembly("boxes", (part("first", first), part("second", second))))


@pytest.mark.parametrize("gap", [0.0, 0.003, 0.1])
def test_distance_of_boxes_is_exact(gap):
    region = contact_region(*_boxes(gap), FEW)
    assert region.distance == pytest.approx(gap, abs=1e-6)


def test_points_are_near_the_other_part():
    region = contact_region(*_boxes(0.003), FEW)
    reach = 0.003 + FEW.band * 0.2 * np.sqrt(3)
    assert (region.gaps <= reach + 1e-6).all()
    assert region.second.any() and not region.second.all()
    assert region.weights.sum() == pytest.approx(1)
    assert region.weights[region.second].sum() == pytest.approx(0.5)


def test_contact_of_a_pin_is_in_its_ring():
    region = contact_region(*prepared(pin_in_ring()), FEW)
    assert np.linalg.norm(region.centre) < 0.02
    assert region.strength > 0.3
