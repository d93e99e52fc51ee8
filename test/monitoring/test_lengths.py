"""Lengths that grow with a robot's links."""

import numpy as np
import pytest
import trimesh
from watched_arm import model

from autourdf_ros.monitoring.lengths import Lengths, link_thickness


def bars(scale):
    sizes = [(0.3, 0.05, 0.04), (0.2, 0.03, 0.06), (0.04, 0.04, 0.5)]
    return [trimesh.creation.box(scale * np.array(size)).subdivide() for size in sizes]


@pytest.mark.parametrize("scale", [0.3, 1.0, 1.5])
def test_lengths_are_as_large_as_the_robot(scale):
    assert link_thickness([None, *bars(scale)]) == pytest.approx(0.05 * scale)
    lengths = Lengths.of(bars(scale))
    assert lengths.gate == pytest.approx(0.45 * 0.05 * scale)
    assert lengths.fine < lengths.object_cell < lengths.gate < lengths.near < lengths.far


def test_thick_and_tiny_links_have_bounded_lengths():
    assert Lengths.of(bars(10.0)).thickness == 0.1
    assert Lengths.of(bars(0.01)).thickness == 0.01
    assert Lengths.of([None]).thickness == 0.1


def test_a_model_has_the_lengths_of_its_links():
    assert model().lengths.thickness == pytest.approx(0.1, rel=0.3)
