import numpy as np
import pytest

from autourdf_ros.estimation.motion.networks.clusters import cluster, clusters_about, means

RNG = np.random.default_rng(0)
PLACES = np.array([[0.0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1]])
TRUE = np.repeat(np.arange(4), 50)
POINTS = PLACES[TRUE] + 0.02 * RNG.normal(size=(200, 3))


def same_partition(one, other):
    return len(set(zip(one, other, strict=True))) == len(set(one)) == len(set(other))


@pytest.mark.parametrize("seed", range(5))
def test_what_is_apart_is_apart(seed):
    assert same_partition(cluster(POINTS, 4, seed), TRUE)


def test_the_seed_decides():
    spread = RNG.normal(size=(500, 3))
    one = cluster(spread, 20, 1)
    np.testing.assert_array_equal(one, cluster(spread, 20, 1))
    assert not same_partition(one, cluster(spread, 20, 2))


def test_there_are_no_more_clusters_than_points():
    assert sorted(cluster(PLACES, 9, 0)) == [0, 1, 2, 3]


def test_clusters_keep_the_numbers_of_their_centres_and_may_stay_empty():
    begin = np.vstack([PLACES[[2, 0, 3, 1]] + 0.1, [[9.0, 9, 9]]])
    labels = clusters_about(POINTS, begin)
    np.testing.assert_array_equal(labels, np.argsort([2, 0, 3, 1])[TRUE])
    centres = means(POINTS, labels, 5)
    np.testing.assert_allclose(centres[:4], PLACES[[2, 0, 3, 1]], atol=0.02)
    assert np.isnan(centres[4]).all()
