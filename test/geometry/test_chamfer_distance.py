import numpy as np
import pytest

from autourdf_ros.geometry.chamfer_distance import chamfer_distance


def test_hand_made_clouds():
    first = np.array([[0.0, 0, 0], [1, 0, 0]])
    second = np.array([[0.0, 0, 0], [1, 0.5, 0.25], [4, 0, 0]])
    # There: 0 and 0.75, mean 0.375. Back: 0, 0.75 and 3, mean 1.25.
    assert chamfer_distance(first, second) == pytest.approx(0.375 + 1.25)
    assert chamfer_distance(second, first) == pytest.approx(0.375 + 1.25)


def test_the_nearest_point_is_the_nearest_in_l1():
    # (3, 3) is nearer in the plane (4.24 < 5), (5, 0) in L1 (5 < 6).
    assert chamfer_distance(np.zeros((1, 3)), np.array([[3.0, 3, 0], [5, 0, 0]])) == pytest.approx(
        5 + (6 + 5) / 2
    )


def test_equal_and_empty_clouds():
    cloud = np.random.default_rng(0).normal(size=(50, 3))
    assert chamfer_distance(cloud, cloud[::-1]) == 0
    assert np.isnan(chamfer_distance(cloud, cloud[:0]))
