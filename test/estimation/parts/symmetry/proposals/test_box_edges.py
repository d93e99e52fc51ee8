"""Panels are hinged at their edges, without their handles."""

import numpy as np
from part_shapes import box, part, prepared

from autourdf_ros.data.parts.part_assembly import PartAssembly
from autourdf_ros.estimation.parts.symmetry.proposals.box_edges import box_edges


def _door():
    panel, handle = box((0.4, 0.02, 0.8), (0, 0, 0)), box((0.02, 0.05, 0.1), (0.15, 0.035, 0))
    parts = part("door", panel, handle), part("other", box((1, 1, 1), (2, 0, 0)))
    return prepared(PartAssembly("door", parts))[0]


def test_the_slab_leaves_the_handle_out():
    found = _door().box
    np.testing.assert_allclose(np.abs(found.axes[0]), [0, 1, 0], atol=1e-9)
    np.testing.assert_allclose(np.ptp(found.slab), 0.02, atol=2e-3)
    assert found.thinness > 0.9


def test_edges_are_at_the_slab():
    directions, middles = box_edges(_door().box)
    upright = np.abs(directions[:, 2]) > 0.99
    wanted = np.array([0.2, 0.01, 0.0])
    nearest = np.linalg.norm(np.abs(middles[upright]) - wanted, axis=1).min()
    assert nearest < 2e-3
