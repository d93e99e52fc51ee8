import numpy as np
import pytest

from autourdf_ros.estimation.motion.autourdf.link_groups import group_links, silhouette

PLACES = np.array([0.0, 0.1, 0.2, 5.0, 5.1, 5.2, 9.0, 9.1, 9.2, 9.3])
TRUE = np.array([0, 0, 0, 1, 1, 1, 2, 2, 2, 2])
DISTANCES = np.abs(PLACES[:, None] - PLACES)
SIZES = np.full(10, 50)


def partition(labels):
    return {frozenset(np.flatnonzero(labels == label)) for label in set(labels)}


def test_the_largest_silhouette_determines_how_many_links_there_are():
    groups = group_links(DISTANCES, SIZES, None, 8, 0.01)
    assert partition(groups.labels) == partition(TRUE)
    assert max(groups.silhouettes, key=groups.silhouettes.get) == 3


@pytest.mark.parametrize("count", [2, 3, 5])
def test_as_many_as_are_given(count):
    groups = group_links(DISTANCES, SIZES, count, 8, 0.0)
    assert groups.labels.max() + 1 == count
    if count == 2:
        assert partition(groups.labels) == partition(np.minimum(TRUE, 1))


def test_next_to_nothing_is_no_link():
    distances = np.pad(DISTANCES, (0, 1), constant_values=3.0)
    distances[10, 10], distances[6, 10], distances[10, 6] = 0.0, 2.5, 2.5
    sizes = np.append(SIZES, 2)
    groups = group_links(distances, sizes, 3, 8, 0.01)
    assert partition(groups.labels) == partition(np.append(TRUE, 2))
    # It is one where every cluster may be.
    assert len(partition(group_links(distances, sizes, 4, 8, 0.0).labels)) == 4


def test_what_moves_as_one_is_one():
    groups = group_links(np.zeros((4, 4)), np.ones(4, dtype=int), None, 8, 0.0)
    assert groups.labels.tolist() == [0, 0, 0, 0] and groups.silhouettes == {}


def test_the_silhouette_is_rousseeuws():
    # By hand: a = 1; b = mean(4, 6) = 5 and mean(3, 5) = 4; alone: 0.
    places = np.array([0.0, 1.0, 4.0, 6.0])
    distances = np.abs(places[:, None] - places)
    two = silhouette(distances, np.array([0, 0, 1, 1]))
    expected = [(5 - 1) / 5, (4 - 1) / 4, (3.5 - 2) / 3.5, (5.5 - 2) / 5.5]
    assert two == pytest.approx(np.mean(expected))
    assert silhouette(distances, np.array([0, 0, 0, 1])) == pytest.approx(
        np.mean([(6 - 2.5) / 6, (5 - 2) / 5, (2 - 3.5) / 3.5, 0.0])
    )
