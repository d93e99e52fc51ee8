from hypothesis import given
from hypothesis import strategies as st
from skeletons import X, arm, joint, quadruped, skeleton

from autourdf_ros.assessment.metrics.tree_distance import tree_edit_distance


def tree(parents):
    """Body i + 1 hangs on body parents[i]."""
    return skeleton(
        [joint(f"j{i}", X, [i, 0, 0], parent, i + 1) for i, parent in enumerate(parents)]
    )


def test_equal_trees_in_another_order_have_distance_zero():
    assert tree_edit_distance(tree([0, 1, 0]), tree([0, 0, 2])) == 0
    assert tree_edit_distance(quadruped(), quadruped()) == 0


def test_one_body_more_is_one_edit():
    assert tree_edit_distance(arm(), tree([0, 1, 2])) == 1
    assert tree_edit_distance(tree([0, 1, 2, 3, 4]), arm()) == 1


def test_a_leg_on_the_wrong_body_is_two_edits():
    # Chain of three with the last one moved to the root: delete it there, insert it here.
    assert tree_edit_distance(tree([0, 1, 0]), tree([0, 1, 2])) == 2


def test_a_single_body_against_a_quadruped():
    assert tree_edit_distance(tree([]), quadruped()) == 8


@st.composite
def parent_lists(draw):
    count = draw(st.integers(0, 7))
    return [draw(st.integers(0, index)) for index in range(count)]


@given(parent_lists(), parent_lists())
def test_it_is_a_symmetric_distance_bounded_by_the_sizes(first, second):
    distance = tree_edit_distance(tree(first), tree(second))
    assert distance == tree_edit_distance(tree(second), tree(first))
    assert abs(len(first) - len(second)) <= distance <= len(first) + len(second)
    assert tree_edit_distance(tree(first), tree(first)) == 0


@given(parent_lists(), st.randoms(use_true_random=False))
def test_numbering_does_not_matter(parents, random):
    numbers = list(range(1, len(parents) + 1))
    random.shuffle(numbers)
    number = dict(zip(range(1, len(parents) + 1), numbers, strict=True)) | {0: 0}
    renumbered = skeleton(
        [joint(f"j{i}", X, [i, 0, 0], number[p], number[i + 1]) for i, p in enumerate(parents)]
    )
    assert tree_edit_distance(renumbered, tree(parents)) == 0
