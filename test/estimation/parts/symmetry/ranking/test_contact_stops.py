"""A rail stops a push across it and none along it."""

import numpy as np
import pytest
from part_shapes import FEW, pin_in_ring, prepared, slider_on_rail

from autourdf_ros.estimation.parts.contact.contact_region import contact_region
from autourdf_ros.estimation.parts.symmetry.proposals.axes import Axes
from autourdf_ros.estimation.parts.symmetry.ranking.contact_stops import contact_stops
from autourdf_ros.estimation.parts.symmetry.symmetry_options import SymmetryOptions

OPTIONS = SymmetryOptions(contact=FEW)


def _stops(assembly, axes):
    first, second = prepared(assembly)
    return contact_stops(first, second, contact_region(first, second, FEW), axes, OPTIONS)


def test_a_sleeve_slides_along_its_rail_only():
    found = _stops(slider_on_rail(), Axes.alike(np.eye(3), np.zeros(3), True, "slide"))
    assert found["stop_min"][0] == 0
    assert found["stop_min"][1] > 0.9
    assert found["closed"][0] > 0.9
    assert found["closed"][1] == pytest.approx(0, abs=0.1)


def test_a_pin_turns_about_its_own_axis_only():
    found = _stops(pin_in_ring(), Axes.alike(np.eye(3), np.zeros(3), False, "centre"))
    assert found["stop_max"][2] < 0.1
    assert found["stop_min"][:2].min() > 0.5
