"""Even subsets of clouds."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.spatial import KDTree

from autourdf_ros.simulation.recordings.thinning import thin


@pytest.mark.slow
@settings(max_examples=25)
@given(st.integers(1, 600), st.integers(1, 300), st.integers(0, 99))
def test_as_many_as_wanted_and_each_only_once(size, count, seed):
    points = np.random.default_rng(seed).random((size, 3))
    kept = thin(points, count)
    assert len(kept) == min(size, count)
    assert (np.diff(kept) > 0).all()
    assert kept.min() >= 0 and kept.max() < size


def test_spread_evenly_although_the_cloud_is_not():
    rng = np.random.default_rng(0)
    points = rng.random((40000, 3)) * (1, 1, 0)
    points[:30000] *= 0.1
    kept = points[thin(points, 500)]
    spacing = KDTree(kept).query(kept, 2)[0][:, 1]
    assert spacing.min() > 0.5 * np.median(spacing)
    assert KDTree(kept).query(points)[0].max() < 2 * np.median(spacing)


@pytest.mark.parametrize("count", [1, 5])
def test_points_that_coincide(count):
    assert len(thin(np.ones((20, 3)), count)) <= count
