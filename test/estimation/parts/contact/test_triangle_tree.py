"""Distances by the tree of triangles against those of every triangle."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from autourdf_ros.estimation.parts.contact.triangle_tree import build_triangle_tree


def _soup(seed: int, count: int) -> tuple[np.ndarray, np.ndarray]:
    """Corners and triangles of all shapes: needles, points, and pairs that coincide."""
    generator = np.random.default_rng(seed)
    corners = generator.normal(size=(count, 1, 3)) + generator.normal(
        size=(count, 3, 3)
    ) * 10.0 ** generator.uniform(-3, 0, (count, 1, 1))
    corners[::7, 2] = corners[::7, 1]
    corners[::11] = corners[::11, :1]
    corners[1::13] = corners[0]
    return corners.reshape(-1, 3), np.arange(3 * count).reshape(-1, 3)


def _brute(vertices: np.ndarray, triangles: np.ndarray, points: np.ndarray) -> np.ndarray:
    """Least distances to edges, and to planes where the foot is inside the triangle."""
    a, b, c = np.moveaxis(vertices[triangles], 1, 0)
    found = np.full(len(points), np.inf)
    for one, two in ((a, b), (b, c), (c, a)):
        edges = two - one
        along = ((points[:, None] - one) * edges).sum(2) / np.maximum((edges**2).sum(1), 1e-300)
        feet = one + np.clip(along, 0, 1)[..., None] * edges
        found = np.minimum(found, np.linalg.norm(points[:, None] - feet, axis=2).min(axis=1))
    normals = np.cross(b - a, c - a)
    squares = (normals**2).sum(axis=1)
    heights = ((points[:, None] - a) * normals).sum(axis=2) / np.maximum(squares, 1e-300)
    feet = points[:, None] - heights[..., None] * normals
    inside = np.full(heights.shape, squares > 1e-20)
    for one, two in ((a, b), (b, c), (c, a)):
        inside &= (np.cross(two - one, feet - one) * normals).sum(axis=2) >= 0
    far = np.where(inside, np.abs(heights) * np.sqrt(squares), np.inf)
    return np.minimum(found, far.min(axis=1))


@pytest.mark.slow
@settings(max_examples=30, deadline=None)
@given(seed=st.integers(0, 2**32 - 1), count=st.integers(1, 120))
def test_distances_are_the_least_of_all_triangles(seed: int, count: int) -> None:
    vertices, triangles = _soup(seed, count)
    points = np.random.default_rng(seed).normal(size=(50, 3)) * 2
    expected = _brute(vertices, triangles, points)
    tree = build_triangle_tree(vertices, triangles)
    np.testing.assert_allclose(tree.capped(points, np.inf), expected, atol=1e-9)
    limits = np.random.default_rng(seed).uniform(0.01, 2, 50)
    np.testing.assert_allclose(tree.capped(points, limits), np.minimum(expected, limits), atol=1e-9)
    clear = np.abs(expected - limits) > 1e-9
    np.testing.assert_array_equal(tree.beyond(points, limits)[clear], (expected > limits)[clear])


@pytest.mark.slow
def test_triangles_that_no_level_divides_are_halved() -> None:
    vertices, triangles = np.tile(np.eye(3), (1000, 1)), np.arange(3000).reshape(-1, 3)
    tree = build_triangle_tree(vertices, triangles)
    assert tree.capped(np.zeros((2, 4, 3)), 9.0) == pytest.approx(np.full((2, 4), 3**-0.5))


@pytest.mark.slow
def test_a_long_row_of_ever_smaller_triangles_needs_no_more_room() -> None:
    corners = np.exp(-0.2 * np.arange(3000))[:, None, None] * np.eye(3)
    tree = build_triangle_tree(corners.reshape(-1, 3), np.arange(9000).reshape(-1, 3))
    assert tree.capped(np.full((1, 3), -1.0), np.inf) == pytest.approx(3**0.5)
