import numpy as np
import pytest

from autourdf_ros.shape.segmentation.convex_merging import merge_tree, piece_of

SIGNS = np.array([[x, y, z] for x in (-1, 1) for y in (-1, 1) for z in (-1, 1)], float) / 2


def cubes(places):
    return [piece_of(SIGNS + place, 1.0, 1) for place in np.asarray(places, float)]


def an_l():
    """Six cubes: four along x, and two more along y above the last."""
    places = [[0, 0, 0], [1, 0, 0], [2, 0, 0], [3, 0, 0], [3, 1, 0], [3, 2, 0]]
    return cubes(places), np.array([[i, i + 1] for i in range(5)])


def test_two_arms_of_an_l_are_its_two_parts():
    tree = merge_tree(*an_l())
    labels = tree.cut(2)
    assert len(set(labels[:3])) == 1
    assert len(set(labels[4:])) == 1
    assert labels[0] != labels[5]


def test_the_price_of_a_part_decides_their_number():
    tree = merge_tree(*an_l())
    assert tree.pruned(0.01).max() + 1 == 2
    assert tree.pruned(10.0).max() + 1 == 1


def test_concavity_is_the_hull_less_the_volume():
    tree = merge_tree(*an_l())
    hull = 6 + (3 * 2) / 2  # a right triangle of sides 3 and 2 is filled
    assert tree.concavities[-1] == pytest.approx((hull - 6) / 6)


def test_every_cut_has_as_many_parts_as_are_asked():
    tree = merge_tree(*an_l())
    assert [int(tree.cut(count).max()) + 1 for count in range(1, 7)] == [1, 2, 3, 4, 5, 6]


def test_pieces_apart_are_joined_at_the_end():
    tree = merge_tree(cubes([[0, 0, 0], [1, 0, 0], [9, 0, 0]]), np.array([[0, 1]]))
    labels = tree.cut(2)
    assert labels[0] == labels[1] != labels[2]


def test_a_flat_piece_has_no_hull():
    flat = piece_of(np.array([[0, 0, 0], [1, 0, 0], [0, 1, 0], [1, 1, 0.0]]), 0.0, 1)
    assert flat.concavity == pytest.approx(0, abs=1e-6)
