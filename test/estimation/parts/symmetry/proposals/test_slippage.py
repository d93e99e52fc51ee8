"""Surfaces slip along the motions that map them onto themselves."""

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from autourdf_ros.estimation.parts.symmetry.proposals.slippage import (
    OrientedPoints,
    plain_slippage,
    reweighted_slippage,
)
from autourdf_ros.estimation.parts.symmetry.symmetry_options import SymmetryOptions

OPTIONS = SymmetryOptions()


def _cone(count=400, seed=0):
    """Points of a cone with a cap, about z through (1, 2, 0), and their normals."""
    generator = np.random.default_rng(seed)
    angles, heights = generator.uniform(0, 2 * np.pi, count), generator.uniform(0, 1, count)
    radial = np.stack([np.cos(angles), np.sin(angles), np.zeros(count)], axis=1)
    points = radial * (2 - heights)[:, None] + np.array([1, 2, 0]) + heights[:, None] * [0, 0, 1]
    normals = (radial + np.array([0, 0, 1])) / np.sqrt(2)
    return points, normals


@settings(max_examples=20, deadline=None)
@given(st.floats(0.01, 100), st.integers(0, 100))
def test_a_cone_turns_about_its_axis_at_any_scale(scale, seed):
    points, normals = _cone(seed=seed)
    oriented = OrientedPoints.of(points * scale, normals, np.ones(len(points)))
    values, twists = plain_slippage(oriented)
    axes = oriented.axes(twists[:, :1].T, "slippage")
    assert values[0] < 1e-9 < values[1]
    assert not axes.slides[0]
    np.testing.assert_allclose(np.abs(axes.directions[0]), [0, 0, 1], atol=1e-6)
    np.testing.assert_allclose(axes.points[0, :2], [scale, 2 * scale], rtol=1e-5)


def test_reweighting_ignores_what_does_not_slip():
    points, normals = _cone()
    generator = np.random.default_rng(1)
    clutter = generator.normal(0, 1, (100, 3)) + np.array([2, 0, 0])
    directions = generator.normal(0, 1, (100, 3))
    directions /= np.linalg.norm(directions, axis=1, keepdims=True)
    both = np.vstack([points, clutter]), np.vstack([normals, directions])
    oriented = OrientedPoints.of(*both, np.ones(500))
    starts = plain_slippage(oriented)[1][:, :4].T
    twists, shares = reweighted_slippage(oriented, starts, OPTIONS.slip_start, OPTIONS)
    axes = oriented.axes(twists, "slippage")
    best = int(np.argmax(shares))
    assert abs(axes.directions[best, 2]) > np.cos(np.radians(0.1))


def test_axes_and_twists_are_inverse():
    points, normals = _cone()
    oriented = OrientedPoints.of(points, normals, np.ones(len(points)))
    twists = np.array([[0, 0, 1, 0.3, -0.2, 0], [0, 0, 0, 0, 1, 0]], float)
    twists /= np.linalg.norm(twists, axis=1, keepdims=True)
    again = oriented.twists(oriented.axes(twists, "slippage"))
    np.testing.assert_allclose(again, twists, atol=1e-12)
