import itertools

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from autourdf_ros.assessment.metrics.segmentation_error import rand_index, share_on_right_link

labellings = st.lists(st.tuples(st.integers(-1, 3), st.integers(0, 3)), min_size=2, max_size=12)


@given(labellings)
def test_it_counts_the_pairs_that_agree(labels):
    estimate, truth = np.array(labels).T
    pairs = list(itertools.combinations(range(len(labels)), 2))
    agree = sum((estimate[i] == estimate[j]) == (truth[i] == truth[j]) for i, j in pairs)
    assert rand_index(estimate, truth) == pytest.approx(agree / len(pairs))


def test_names_of_links_do_not_matter():
    assert rand_index(np.array([5, 5, 7, 7]), np.array([0, 0, 1, 1])) == 1
    assert rand_index(np.array([0, 0, 0, 0]), np.array([0, 1, 2, 3])) == 0


def test_points_of_unknown_links_are_wrong():
    estimate, truth = np.array([0, 1, 1, 2, -1]), np.array([0, 4, 5, 5, 0])
    assert share_on_right_link(estimate, truth, {0: 0, 1: 4}) == pytest.approx(2 / 5)
