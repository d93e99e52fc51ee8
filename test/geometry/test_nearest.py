import pickle

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.spatial import cKDTree

from autourdf_ros.geometry.nearest import MOST_CELLS, build_grid


@pytest.mark.slow
@settings(max_examples=60, deadline=None)
@given(
    st.integers(0, 300),
    st.integers(0, 99),
    st.sampled_from([1e-3, 0.05, 0.5, 10.0]),
    st.sampled_from([0.02, 0.3, 3.0, np.inf]),
    st.sampled_from([(1, 1, 1), (1, 1, 0), (5, 0, 0), (0, 0, 0)]),
)
def test_the_same_as_a_tree(count, seed, spacing, gate, extent):
    rng = np.random.default_rng(seed)
    points = rng.normal(size=(count, 3)) * extent
    queries = np.concatenate([rng.normal(size=(80, 3)), 4 * rng.normal(size=(20, 3)), points[:9]])
    distances, numbers = build_grid(points, spacing).query(queries, gate)
    if count == 0:
        assert np.isinf(distances).all() and (numbers == 0).all()
        return
    expected, _ = cKDTree(points).query(queries, distance_upper_bound=gate)
    np.testing.assert_allclose(distances, expected)
    found = np.isfinite(expected)
    assert (numbers[~found] == count).all()
    np.testing.assert_allclose(
        np.linalg.norm(points[numbers[found]] - queries[found], axis=1), expected[found]
    )


def test_a_stray_point_costs_no_memory():
    points = np.random.default_rng(0).random((500, 3))
    points[0] = 1e6
    grid = build_grid(points, 1e-3)
    assert len(grid.starts) <= MOST_CELLS * 501 + 1
    np.testing.assert_array_equal(grid.query(points)[1], np.arange(500))


@pytest.mark.parametrize("value", [np.nan, np.inf, 1e300])
def test_a_query_from_nowhere_finds_nothing(value):
    distances, numbers = build_grid(np.zeros((3, 3)), 0.1).query(np.array([[value, 0.0, 0.0]]), 1.0)
    assert np.isinf(distances).all() and (numbers == 3).all()


def test_a_grid_goes_to_other_processes():
    points = np.random.default_rng(0).random((50, 3))
    grid = pickle.loads(pickle.dumps(build_grid(points, 0.1)))
    np.testing.assert_array_equal(grid.query(points)[1], np.arange(50))
