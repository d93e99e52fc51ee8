"""The shaded picture of meshes: what is nearer hides what is farther, and edges are smooth."""

import numpy as np
import pytest
from matplotlib.figure import Figure

from autourdf_ros.report.figures.mesh_figure import draw_solid

LOW = np.array([[[0, 0, 0], [1, 0, 0], [0, 1, 0]]], float)
HIGH = np.array([[[1, 1, 0], [0, 1, 0], [1, 0, 0]]], float)
RED, BLUE = np.eye(3)[[0, 2]]
LIT = 0.35 + 0.65 * 0.82  # of a surface that faces the viewer


def drawn(triangles, colors):
    """(H, W, 4) what is seen from above; row 0 is at the top."""
    axes = Figure().add_subplot()
    normals = np.tile([0, 0, 1.0], (len(triangles), 1))
    draw_solid(axes, np.concatenate(triangles), normals, np.array(colors), np.eye(3))
    return np.asarray(axes.images[0].get_array())


def test_what_is_nearer_is_seen_and_shaded():
    above = LOW + np.array([0, 0, 0.5])
    image = drawn([LOW, HIGH, above], [BLUE, BLUE, RED])
    assert image[-1, 0] == pytest.approx([*(LIT * RED + 0.08), 1], abs=1e-6)
    assert image[0, -1] == pytest.approx([*(LIT * BLUE + 0.08), 1], abs=1e-6)
    assert (image[..., 3] == 1).all()


def test_nothing_is_clear_and_edges_are_smooth():
    image = drawn([LOW], [RED])
    cover = image[..., 3]
    assert cover.mean() == pytest.approx(0.5, abs=0.02)
    assert cover[0, -1] == 0 and cover[-1, 0] == 1
    assert ((cover > 0) & (cover < 1)).sum() >= min(cover.shape) - 2
    np.testing.assert_allclose(image[cover > 0][:, :3] - (LIT * RED + 0.08), 0, atol=1e-6)
