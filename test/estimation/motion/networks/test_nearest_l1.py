"""Nearest points by L1, against all distances."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.spatial.distance import cdist

from autourdf_ros.estimation.motion.networks.nearest_l1 import nearest_l1
from autourdf_ros.geometry.nearest import build_grid


@given(
    st.integers(0, 10_000),
    st.integers(1, 300),
    st.integers(1, 100),
    st.floats(1e-3, 1.0),
    st.sampled_from([0, 1, 15]),
)
def test_the_distance_is_the_least_of_all(seed, count, asked, spacing, digits):
    rng = np.random.default_rng(seed)
    # Rounded, many points are the same, or equally far.
    points = rng.uniform(-2, 2, (count, 3)).round(digits)
    queries = rng.uniform(-3, 3, (asked, 3)).round(digits)
    guesses = rng.integers(count, size=asked)
    found = nearest_l1(build_grid(points, spacing), queries, guesses)
    distances = cdist(queries, points, "cityblock")
    np.testing.assert_allclose(
        distances[np.arange(asked), found], distances.min(axis=1), rtol=0, atol=1e-15
    )


@pytest.mark.parametrize("bad", [np.nan, np.inf, -np.inf])
def test_a_query_that_is_nowhere_keeps_its_guess(bad):
    points = np.random.default_rng(0).normal(size=(50, 3))
    queries = np.array([[bad, 0.0, 0.0], points[7]])
    assert nearest_l1(build_grid(points, 0.1), queries, np.array([3, 3])).tolist() == [3, 7]
